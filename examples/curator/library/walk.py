"""The walk: one pass over a tree that looks at every name once and opens no file.

It is not a file watcher and takes no lock: what changes behind its back is found out by whoever
reads the files later. It runs in one worker thread from beginning to end, because a thread hop per
entry costs more than the entry. Above: receipt. Below: printable, values, the operating system.

Rules: a symbolic link is judged but never followed; depth costs memory, not stack; what cannot be
read becomes a problem and the walk goes on; cancellation is noticed at the next entry.
"""

import errno
import os
import stat
from pathlib import Path
from typing import Final, final

import trio

from curator.library.printable import to_printable
from curator.library.values import (
    FileRecord,
    Finding,
    FindingKind,
    LibraryError,
    Problem,
    Report,
    Survey,
)

_ENTRIES_PER_REPORT: Final = 1_000
"""About 20 ms of walking on a warm file system."""

_EFFECTIVE_IDS: Final = os.access in os.supports_effective_ids

SPECIAL: Final = {
    stat.S_IFIFO: "is a named pipe",
    stat.S_IFSOCK: "is a socket",
    stat.S_IFCHR: "is a character device",
    stat.S_IFBLK: "is a block device",
}


async def survey(root: Path, report: Report) -> Survey:
    """Walk everything below `root` and say what is there.

    `report` hears how many entries were seen; their total is not known. `root` itself may be a
    symbolic link. Two directories that link into each other are no finding: only a link that cannot
    be resolved, or that leads to a directory containing it, is a loop. Memory grows with the number
    of names, by less than half a kilobyte each.

    Raises:
        LibraryError: `root` does not exist, is not a directory or cannot be listed.
    """
    return await trio.to_thread.run_sync(_walk, root, report)


async def check_root(root: Path) -> None:
    """Make sure that `root` can be audited, before anything is promised.

    Raises:
        LibraryError: `root` does not exist, is not a directory or cannot be listed.
    """
    await trio.to_thread.run_sync(_open_root, root)


def identify(status: os.stat_result) -> str:
    """Name a file independently of its paths: hard links have the same identity."""
    return f"{status.st_dev:x}:{status.st_ino:x}"


def to_modified_us(status: os.stat_result) -> int:
    """Time of the last change of the content, in microseconds."""
    return status.st_mtime_ns // 1_000


def _walk(root: Path, report: Report) -> Survey:
    return _Walk(_open_root(root), report).run()


def _open_root(root: Path) -> str:
    """Make sure that `root` can be listed, and give its absolute path."""
    try:
        path = os.fspath(root.absolute())
        with os.scandir(path):
            return path
    except FileNotFoundError as error:
        message = f"expected an existing directory, got {str(root)!r}, which does not exist"
        raise LibraryError("root-not-found", message) from error
    except NotADirectoryError as error:
        message = f"expected a directory, got {str(root)!r}, which is something else"
        raise LibraryError("root-not-a-directory", message) from error
    except (OSError, ValueError) as error:
        # ValueError: a null character, or a surrogate that no file system encoding knows.
        message = f"expected a directory that can be listed, got {str(root)!r}: {error}"
        raise LibraryError("root-unreadable", message) from error


@final
class _Walk:
    """The state of one walk; lives in one thread."""

    def __init__(self, root: str, report: Report) -> None:
        self._root = root
        self._report = report
        self._entries = 0
        self._directories = 0
        self._pending = [(root, "")]
        self._files: list[FileRecord] = []
        self._other_paths: list[str] = []
        self._findings: list[Finding] = []
        self._problems: list[Problem] = []

    def run(self) -> Survey:
        while self._pending:
            self._visit(*self._pending.pop())
        self._tell()
        sizes = {file.identity: file.size for file in self._files}
        return Survey(
            root=to_printable(self._root),
            files=tuple(self._files),
            other_paths=tuple(self._other_paths),
            directories=self._directories,
            total_bytes=sum(sizes.values()),
            findings=tuple(self._findings),
            problems=tuple(self._problems),
        )

    def _visit(self, folder: str, prefix: str) -> None:
        """Look at what is directly in `folder`, whose printable path is `prefix`."""
        self._directories += 1
        try:
            names = sorted(os.listdir(folder))
        except OSError as error:
            self._problems.append(Problem.from_error(prefix.rstrip("/") or ".", error))
            return
        below: list[tuple[str, str]] = []
        for name in names:
            trio.from_thread.check_cancelled()
            path = os.path.join(folder, name)
            shown = prefix + to_printable(name)
            if self._look(path, shown):
                below.append((path, shown + "/"))
        self._pending.extend(reversed(below))

    def _look(self, path: str, shown: str) -> bool:
        """Record one entry; say whether it is a directory to visit."""
        self._entries += 1
        if self._entries % _ENTRIES_PER_REPORT == 0:
            self._tell()
        try:
            status = os.lstat(path)
            target = os.readlink(path) if stat.S_ISLNK(status.st_mode) else None
        except OSError as error:
            self._problems.append(Problem.from_error(shown, error))
            return False
        if stat.S_ISREG(status.st_mode):
            self._add_file(path, shown, status)
            return False
        self._other_paths.append(shown)
        if target is not None:
            self._judge_link(path, shown, target)
        elif not stat.S_ISDIR(status.st_mode):
            what = SPECIAL.get(stat.S_IFMT(status.st_mode), "is not a regular file")
            self._find("special-file", shown, what)
        return stat.S_ISDIR(status.st_mode)

    def _add_file(self, path: str, shown: str, status: os.stat_result) -> None:
        readable = os.access(path, os.R_OK, effective_ids=_EFFECTIVE_IDS)
        if not readable:
            denied = PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            self._problems.append(Problem.from_error(shown, denied))
        if status.st_size == 0:
            self._find("empty-file", shown, "has no content")
        self._files.append(
            FileRecord(
                path=shown,
                size=status.st_size,
                modified_us=to_modified_us(status),
                identity=identify(status),
                readable=readable,
            )
        )

    def _judge_link(self, path: str, shown: str, target: str) -> None:
        leads = f"leads to {to_printable(target)}"
        try:
            if _contains(os.stat(path), os.path.dirname(path)):
                self._find("symlink-loop", shown, f"{leads}, which contains the link itself")
        except (FileNotFoundError, NotADirectoryError):
            self._find("broken-symlink", shown, f"{leads}, which does not exist")
        except OSError as error:
            if error.errno == errno.ELOOP:
                self._find("symlink-loop", shown, f"{leads}, which never ends")
            else:
                self._problems.append(Problem.from_error(shown, error))

    def _find(self, kind: FindingKind, shown: str, detail: str) -> None:
        self._findings.append(Finding(kind=kind, path=shown, detail=detail))

    def _tell(self) -> None:
        self._report(self._entries, message="Entries seen")


def _contains(status: os.stat_result, folder: str) -> bool:
    """Say whether `status` is of `folder` or of a directory above it, by identity, not by name."""
    if not stat.S_ISDIR(status.st_mode):
        return False
    real = Path(os.path.realpath(folder))
    return any(os.path.samestat(status, os.stat(above)) for above in (real, *real.parents))
