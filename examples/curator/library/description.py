"""One file: what it is, and how it begins.  Ordinary blocking code, for a thread.

Nothing here follows a link, and nothing but a regular file is opened.  Above: whoever asked.
Below: hashing (for how files are opened), naming, printable, selection, values.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from itertools import islice
from mimetypes import guess_type
from pathlib import Path
from typing import BinaryIO, Final, Literal, final

import attrs

from curator.library.hashing import CHUNK_BYTES, READ_FLAGS
from curator.library.naming import judge_name
from curator.library.printable import to_printable
from curator.library.selection import MAX_INTEGER, to_datetime
from curator.library.values import Finding, LibraryError, Report
from curator.library.walk import to_modified_us

FileKind = Literal["file", "directory", "link", "special"]

MAX_EXCERPT_BYTES: Final = 64 << 10
"""As much as a model should read at once."""

_KINDS: Final[dict[int, FileKind]] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "link",
}


@final
@attrs.frozen(kw_only=True)
class FileDescription:
    """What is known about one name.

    Attributes:
        path: absolute, printable.
        mime_type: as its name suggests.
        links: how many names the same file has.
        target: what a link says, printable.
        sha256: of the content, where it was read.
        findings: what is odd about its name.
    """

    path: str
    kind: FileKind
    size: int
    modified: datetime | None
    mime_type: str | None
    links: int
    target: str | None
    sha256: str | None
    findings: tuple[Finding, ...]


def describe(path: Path) -> FileDescription:
    """Describe what is at an absolute path, without opening it.

    Raises:
        LibraryError: there is no such file, or it may not be looked at.
    """
    try:
        status = os.lstat(path)
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "special")
        target = os.readlink(path) if kind == "link" else None
    except OSError as error:
        raise _to_library_error(path, error) from error
    shown = to_printable(str(path))
    return FileDescription(
        path=shown,
        kind=kind,
        size=min(status.st_size, MAX_INTEGER),
        modified=to_datetime(to_modified_us(status)),
        mime_type=guess_type(path.name)[0] if kind == "file" else None,
        links=status.st_nlink,
        target=None if target is None else to_printable(target),
        sha256=None,
        findings=judge_name(shown),
    )


def digest(path: Path, report: Report, check: Callable[[], object]) -> str:
    """SHA-256 of the content of a regular file, in hexadecimal.

    Args:
        path: absolute.
        report: hears the bytes read so far and their total.
        check: called between two chunks; what it raises ends the reading.

    Raises:
        LibraryError: there is no such file, it is not regular, or it may not be read.
    """
    hasher = hashlib.sha256(usedforsecurity=False)
    read = 0
    try:
        with _open(path) as file:
            size = os.fstat(file.fileno()).st_size
            while chunk := file.read(CHUNK_BYTES):
                hasher.update(chunk)
                read += len(chunk)
                # A file that grows meanwhile has no more than all of it.
                report(min(read, size), total=size, message="Reading the file")
                check()
    except OSError as error:
        raise _to_library_error(path, error) from error
    return hasher.hexdigest()


def excerpt(path: Path, first_line: int, lines: int) -> str:
    r"""Some lines of a text file; what is no UTF-8 is shown as `\xNN`.

    Args:
        path: absolute, of a regular file.
        first_line: counted from 1.
        lines: how many; fewer when the file ends before, or when they are longer than
            `MAX_EXCERPT_BYTES` together, which a last line `...` tells.

    Raises:
        LibraryError: there is no such file, it is not regular, or it may not be read.
    """
    taken: list[bytes] = []
    room = MAX_EXCERPT_BYTES
    try:
        with _open(path) as file:
            for line in islice(_lines(file), first_line - 1, first_line - 1 + lines):
                if len(line) > room:
                    taken += [line[:room], b"\n..."]
                    break
                taken.append(line)
                room -= len(line)
    except OSError as error:
        raise _to_library_error(path, error) from error
    return b"".join(taken).decode(errors="backslashreplace")


def _open(path: Path) -> BinaryIO:
    # A pipe that took the place of a file is opened without waiting, and then refused.
    descriptor = os.open(path, READ_FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise LibraryError(
            "file-unreadable", f"expected a regular file, got {str(path)!r}, which is none"
        )
    return os.fdopen(descriptor, "rb", buffering=CHUNK_BYTES)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines; what is longer than an excerpt counts as several, and is never held as one."""
    return iter(partial(file.readline, MAX_EXCERPT_BYTES + 1), b"")


def _to_library_error(path: Path, error: OSError) -> LibraryError:
    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return LibraryError(
            "file-not-found", f"expected an existing file, got {str(path)!r}, which does not exist"
        )
    reason = error.strerror or type(error).__name__
    return LibraryError(
        "file-unreadable", f"expected a file that can be read, got {str(path)!r}: {reason}"
    )
