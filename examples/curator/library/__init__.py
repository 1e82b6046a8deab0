"""Auditing a directory tree: ordinary async application code, ignorant of who asks for it.

`audit` does everything; the four steps below it are public so that a caller can show each of them
as it happens: `survey` walks, `find_duplicates` hashes, `check_names` judges names, `make_receipt`
condenses the three into one bounded value. Other questions begin with a survey too: what is largest,
how two trees differ, which duplicates could go. Nothing here follows a symbolic link, opens anything
but a regular file, or keeps state between calls; and nothing writes, but for `write_checksums`.
"""

from curator.library.checksums import (
    Checksums as Checksums,
    check_output as check_output,
    write_checksums as write_checksums,
)
from curator.library.cleanup import (
    CleanupPlan as CleanupPlan,
    CleanupStep as CleanupStep,
    KeepRule as KeepRule,
    plan_cleanup as plan_cleanup,
)
from curator.library.comparison import (
    Comparison as Comparison,
    PathList as PathList,
    compare_trees as compare_trees,
)
from curator.library.description import (
    FileDescription as FileDescription,
    describe as describe,
    digest as digest,
    excerpt as excerpt,
)
from curator.library.hashing import find_duplicates as find_duplicates
from curator.library.naming import check_names as check_names
from curator.library.receipt import (
    audit as audit,
    make_receipt as make_receipt,
    summarise_duplicates as summarise_duplicates,
)
from curator.library.rules import RULES as RULES, rules_page as rules_page
from curator.library.selection import (
    LargestFiles as LargestFiles,
    count_matching as count_matching,
    select_largest as select_largest,
)
from curator.library.shelf import Shelf as Shelf
from curator.library.values import (
    AuditReceipt as AuditReceipt,
    DuplicateGroup as DuplicateGroup,
    Duplicates as Duplicates,
    DuplicateSummary as DuplicateSummary,
    FileRecord as FileRecord,
    Finding as Finding,
    FindingKind as FindingKind,
    KindCount as KindCount,
    LibraryError as LibraryError,
    Problem as Problem,
    ProblemKind as ProblemKind,
    Report as Report,
    Survey as Survey,
)
from curator.library.walk import check_root as check_root, survey as survey
