"""What an audit is made of: values that any JSON encoder can write.

No function here touches a file. A path in a value is relative to the audited root, uses `/`, and is
in the printable form of `curator.library.printable`, which can be turned back into the real name.
Above: every other module of the library. Below: nothing.
"""

from collections.abc import Mapping
from typing import Final, Literal, Protocol, Self, final

import attrs

FindingKind = Literal[
    "empty-file",
    "broken-symlink",
    "symlink-loop",
    "special-file",
    "reserved-name",
    "reserved-character",
    "control-character",
    "trailing-dot-or-space",
    "name-too-long",
    "not-utf-8",
    "case-collision",
    "unicode-collision",
]
"""What can be wrong with something that was read without trouble."""

ProblemKind = Literal["unreadable", "vanished", "changed"]
"""Why something could not be judged."""

LibraryErrorCode = Literal[
    "root-not-found",
    "root-not-a-directory",
    "root-unreadable",
    "file-not-found",
    "file-unreadable",
    "no-library",
    "outside-library",
    "output-exists",
    "output-unwritable",
]

_GONE: Final = (FileNotFoundError, NotADirectoryError)


@final
class LibraryError(Exception):
    """What was asked for cannot begin.

    Everything that goes wrong below the root of an audit is a `Problem` in the result instead.

    Attributes:
        code: what is wrong, for machines.
    """

    def __init__(self, code: LibraryErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class Report(Protocol):
    """Where progress goes: called from worker threads, must not block, may drop what it likes."""

    def __call__(
        self, completed: float = ..., *, total: float | None = None, message: str | None = None
    ) -> None:
        """Note that `completed` units are done, of `total` if that is known."""
        ...


@final
@attrs.frozen(kw_only=True)
class FileRecord:
    """One name of a regular file, as it was when the survey passed.

    Two records with the same `identity` are hard links to one file. The time of the last change is
    in microseconds because nanoseconds do not fit into the integers that JSON readers agree on.
    """

    path: str
    size: int
    modified_us: int
    identity: str
    readable: bool


@final
@attrs.frozen(kw_only=True)
class Finding:
    """Something a curator should look at."""

    kind: FindingKind
    path: str
    detail: str


@final
@attrs.frozen(kw_only=True)
class Problem:
    """Something the audit could not judge, and why; the rest of the audit went on."""

    kind: ProblemKind
    path: str
    detail: str

    @classmethod
    def from_error(cls, path: str, error: OSError) -> Self:
        """Say what the operating system said about `path`."""
        kind: ProblemKind = "vanished" if isinstance(error, _GONE) else "unreadable"
        return cls(kind=kind, path=path, detail=error.strerror or type(error).__name__)


@final
@attrs.frozen(kw_only=True)
class Survey:
    """Everything below a root, in a stable order: each directory by name, depth first.

    Attributes:
        root: the absolute path of the root, printable.
        files: every name of every regular file.
        other_paths: everything else that has a name: directories, symbolic links, special files.
        directories: how many directories, the root included.
        total_bytes: the sum of the sizes; a file with several hard links counts once.
        findings: what the walk alone could see.
        problems: what the walk could not read.
    """

    root: str
    files: tuple[FileRecord, ...]
    other_paths: tuple[str, ...]
    directories: int
    total_bytes: int
    findings: tuple[Finding, ...]
    problems: tuple[Problem, ...]


@final
@attrs.frozen(kw_only=True)
class DuplicateGroup:
    """Different files with the same content.

    Attributes:
        size: bytes of one copy.
        digest: SHA-256 of the content, in hexadecimal.
        copies: how many different files there are; hard links to one file are one.
        paths: one path per copy, sorted. A receipt shows only the first few.
    """

    size: int
    digest: str
    copies: int
    paths: tuple[str, ...]

    @property
    def reclaimable_bytes(self) -> int:
        """What keeping a single copy would free."""
        return self.size * (self.copies - 1)


@final
@attrs.frozen(kw_only=True)
class Duplicates:
    """All groups, the most reclaimable first, and what it took to find them.

    `hashed_files` and `hashed_bytes` count the files that were read to the end, hard links once.
    """

    groups: tuple[DuplicateGroup, ...]
    hashed_files: int
    hashed_bytes: int
    problems: tuple[Problem, ...]


@final
@attrs.frozen(kw_only=True)
class Digests:
    """SHA-256 of the files that could be read, by `FileRecord.identity`, and what could not."""

    by_identity: Mapping[str, str]
    problems: tuple[Problem, ...]


@final
@attrs.frozen(kw_only=True)
class DuplicateSummary:
    """What a receipt says about duplicates: the totals of all groups, and the largest of them."""

    groups: int
    copies: int
    reclaimable_bytes: int
    hashed_files: int
    hashed_bytes: int
    largest: tuple[DuplicateGroup, ...]
    omitted_groups: int


@final
@attrs.frozen(kw_only=True)
class KindCount:
    """How many findings of one kind there are, and how many of them the receipt leaves out."""

    kind: FindingKind
    count: int
    omitted: int


@final
@attrs.frozen(kw_only=True)
class AuditReceipt:
    """The result of an audit, small whatever the size of the tree; see `make_receipt`.

    Attributes:
        counts: one entry for each kind that was found, complete even where `findings` is not.
        findings: the first of each kind, kinds in the order of `counts`.
        omitted_findings: how many findings are counted but not shown.
        problems: the first of those that the walk met, then of those that hashing met.
        omitted_problems: how many problems are not shown.
    """

    root: str
    files: int
    directories: int
    total_bytes: int
    duplicates: DuplicateSummary
    counts: tuple[KindCount, ...]
    findings: tuple[Finding, ...]
    omitted_findings: int
    problems: tuple[Problem, ...]
    omitted_problems: int
