"""Which process still lives, among those that keep tasks in one folder.

Each has a file there and holds it locked.  The operating system lets go of the lock when the
process ends, however it ends, and of nothing before that; so who can lock the file of another one
knows that it is gone.  A number of a process would not do: numbers are given away again.

The locks are SQLite's, on empty databases, because those work alike on every system that SQLite
does.  Below: nothing.  Above: `sqlite`.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from typing import Final, final


@final
class WorkerFiles:
    """The files of one folder.

    Args:
        folder: it is there.
        server: several servers may share a folder, each with workers of its own.
        worker: the name of this process.
    """

    def __init__(self, folder: str, server: str, worker: str) -> None:
        self._prefix: Final = os.path.join(folder, f"{server}-")
        self._worker: Final = worker
        self._gone: Final[set[str]] = set()
        self._held: sqlite3.Connection | None = None

    def enter(self) -> None:
        """Be alive from now on, for all others.

        Raises:
            sqlite3.Error: there can be no such file.
        """
        self._held = sqlite3.connect(
            self._path(self._worker), isolation_level=None, check_same_thread=False
        )
        self._held.execute("BEGIN EXCLUSIVE")

    def leave(self) -> None:
        """Be gone."""
        if self._held is not None:
            self._held.close()
            self._remove(self._worker)
            self._held = None

    def is_gone(self, worker: str) -> bool:
        """Whether the process of that name has ended; a process does not come back."""
        if worker == self._worker:
            return False
        if worker not in self._gone:
            if self._is_locked(worker):
                return False
            self._gone.add(worker)
            self._remove(worker)
        return True

    def _is_locked(self, worker: str) -> bool:
        uri = f"file:{_quoted(self._path(worker))}?mode=rw"
        try:
            with contextlib.closing(
                sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)
            ) as connection:
                connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            # A file that is not there cannot be opened; who is at home keeps the door shut.
            return error.sqlite_errorcode == sqlite3.SQLITE_BUSY
        return False

    def _path(self, worker: str) -> str:
        return f"{self._prefix}{worker}.lock"

    def _remove(self, worker: str) -> None:
        with contextlib.suppress(OSError):
            os.unlink(self._path(worker))


def _quoted(path: str) -> str:
    # lazy: a server whose tasks are in memory has no paths to quote.
    from urllib.parse import quote  # noqa: PLC0415

    return quote(path)
