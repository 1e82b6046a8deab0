"""Auditing a directory tree: ordinary async application code, ignorant of who asks for it.

`audit` does everything; the four steps below it are public so that a caller can show each of them
as it happens: `survey` walks, `find_duplicates` hashes, `check_names` judges names, `make_receipt`
condenses the three into one bounded value. Nothing here follows a symbolic link, opens anything but
a regular file, writes, or keeps state between calls.
"""

from curator.library.hashing import find_duplicates as find_duplicates
from curator.library.naming import check_names as check_names
from curator.library.receipt import audit as audit, make_receipt as make_receipt
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
