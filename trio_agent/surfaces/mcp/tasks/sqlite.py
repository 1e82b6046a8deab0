"""Tasks in a file of SQLite: what is finished survives the process, until its time is over.

    <folder>/<server>.db                  the tasks; any number of processes may share it
    <folder>/<server>-<worker>.lock       says that a process lives; see `workers`

A change is one transaction, so a process that is killed leaves what was there before, or what is
there after.  The journal is a write-ahead log that is not flushed at every commit: what a dead
process committed is in the hands of the operating system, and only the end of the machine itself
can lose the last of it.

What works in a process that is gone is failed, `runtime-restarted`, by the first one that looks.

SQLite runs in a worker thread, one call at a time.  That adds 0.08 ms to a
call of 0.02 to 0.11; but another process may hold the file, or a disk be slow, and then everything
would stand still.  Below: `quota`, `rows`, `workers`.  Beside: `registry`, which it
agrees with in everything.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar, TypeVarTuple, final

import attrs
import trio

from trio_agent.shown import shown
from trio_agent.surfaces.mcp.tasks.quota import TaskQuota, make_room
from trio_agent.surfaces.mcp.tasks.record import TaskOutcome, TaskRecord
from trio_agent.surfaces.mcp.tasks.registry import TaskPage
from trio_agent.surfaces.mcp.tasks.rows import read_row, write_row
from trio_agent.surfaces.mcp.tasks.store import TaskStoreError
from trio_agent.surfaces.mcp.tasks.workers import WorkerFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from trio_agent.surfaces.mcp.tasks.record import Change
    from trio_agent.surfaces.mcp.tasks.store import OpenStore

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

BUSY_S: Final = 5.0
"""How long a call waits for another process."""

RESTARTED: Final = "[runtime-restarted] The server ended before the task did."
"""What a task says whose process is gone, and the text of its result."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS tasks (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    worker TEXT NOT NULL,
    ended_at REAL,
    expires_at REAL,
    is_orphan INTEGER NOT NULL,
    state TEXT NOT NULL,
    outcome TEXT
)
"""


@final
@attrs.frozen
class _Held:
    """What is known of a row without reading it: a `quota.Held`."""

    id: str
    owner: str
    ended_at: float | None
    is_orphan: bool

    __repr__ = shown


@final
class TaskFile:
    """The tasks of one server in a file; every method is one transaction, in any one thread.

    Args:
        folder: made when it is missing.
        server: its name.
        quota: how many.

    Attributes:
        worker: the name of this process.
    """

    def __init__(self, folder: str, server: str, quota: TaskQuota | None = None) -> None:
        self._folder: Final = folder
        self._path: Final = os.path.join(folder, f"{server}.db")
        self._quota: Final = TaskQuota() if quota is None else quota
        self.worker: str = secrets.token_hex(16)
        self._workers: Final = WorkerFiles(folder, server, self.worker)
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        """Let go of everything, as the end of the process does."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
            self._workers.leave()

    def create(self, record: TaskRecord, now: float) -> TaskRecord:
        """See `TaskRegistry.create`."""
        with self._transaction(now) as database:
            rows = database.execute("SELECT id, owner, ended_at, is_orphan FROM tasks")
            held = [_Held(id_, owner, end, bool(orphan)) for id_, owner, end, orphan in rows]
            for id_ in make_room(held, record.owner, self._quota):
                database.execute("DELETE FROM tasks WHERE id = ?", (id_,))
            state, outcome = write_row(record)
            cursor = database.execute(
                "INSERT INTO tasks (id, owner, worker, is_orphan, state, outcome)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (record.id, record.owner, self.worker, record.is_orphan, state, outcome),
            )
            return attrs.evolve(record, number=cursor.lastrowid or 0)

    def find(self, id_: str, now: float) -> TaskRecord | None:
        """See `TaskRegistry.find`."""
        return self.change(id_, lambda record: record, now)

    def change(self, id_: str, change: Change, now: float) -> TaskRecord | None:
        """See `TaskRegistry.change`."""
        with self._transaction(now) as database:
            row = database.execute(
                "SELECT number, worker, state, outcome FROM tasks WHERE id = ?", (id_,)
            ).fetchone()
            if row is None:
                return None
            stored = read_row(row[0], row[2:])
            record = change(self._revived(stored, row[1], now))
            if record is not stored:
                _save(database, record)
            return record

    def discard(self, id_: str) -> None:
        """See `TaskRegistry.discard`."""
        with self._transaction(0) as database:
            database.execute("DELETE FROM tasks WHERE id = ?", (id_,))

    def page(self, owner: str, after: int, size: int, now: float) -> TaskPage:
        """See `TaskRegistry.page`."""
        with self._transaction(now) as database:
            rows = database.execute(
                "SELECT number, worker, state, outcome FROM tasks"
                " WHERE owner = ? AND number > ? ORDER BY number LIMIT ?",
                (owner, after, size + 1),
            ).fetchall()
            records = [self._revived(read_row(row[0], row[2:]), row[1], now) for row in rows[:size]]
        return TaskPage(records, records[-1].number if len(rows) > size else None)

    def orphan(self, owner: str) -> None:
        """See `TaskRegistry.orphan`."""
        with self._transaction(0) as database:
            rows = database.execute(
                "SELECT number, state, outcome FROM tasks WHERE owner = ?", (owner,)
            ).fetchall()
            for number, *row in rows:
                _save(database, read_row(number, (row[0], row[1])).orphaned())

    def expire(self, now: float) -> bool:
        """Forget what has been kept for long enough; whether anything is kept still."""
        with self._transaction(now) as database:
            return database.execute("SELECT 1 FROM tasks LIMIT 1").fetchone() is not None

    @contextmanager
    def _transaction(self, now: float) -> Generator[sqlite3.Connection, None, None]:
        """One step, seen by nobody before it is done.

        Raises:
            TaskStoreError: the file cannot be used.
        """
        try:
            database = self._open(now)
            database.execute("BEGIN IMMEDIATE")
            try:
                database.execute("DELETE FROM tasks WHERE expires_at <= ?", (now,))
                yield database
                database.execute("COMMIT")
            finally:
                # SQLite has ended it already where it had to.
                if database.in_transaction:
                    database.execute("ROLLBACK")
        except (sqlite3.Error, OSError) as error:
            raise TaskStoreError(f"{self._path}: {error}") from error

    def _open(self, now: float) -> sqlite3.Connection:
        if self._connection is not None:
            return self._connection
        # Results are nobody else's business.
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        database = sqlite3.connect(
            self._path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
        try:
            # Where the file system has no shared memory it stays another kind, which is as safe.
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute(_SCHEMA)
            database.execute("CREATE INDEX IF NOT EXISTS expiry ON tasks (expires_at)")
            self._workers.enter()
            self._inherit(database, now)
        except BaseException:
            database.close()
            self._workers.leave()
            raise
        self._connection = database
        return database

    def _inherit(self, database: sqlite3.Connection, now: float) -> None:
        """End what processes left behind that are gone."""
        database.execute("BEGIN IMMEDIATE")
        rows = database.execute(
            "SELECT number, worker, state, outcome FROM tasks"
            " WHERE NOT is_orphan OR ended_at IS NULL"
        ).fetchall()
        for row in rows:
            stored = read_row(row[0], row[2:])
            record = self._revived(stored, row[1], now)
            if record is not stored:
                _save(database, record)
        database.execute("COMMIT")

    def _revived(self, record: TaskRecord, worker: str, now: float) -> TaskRecord:
        """*record*, ended if nobody works on it, and nobody's if its owner was that process."""
        if not self._workers.is_gone(worker):
            return record
        ended = record.ended("failed", _restarted(), RESTARTED, now)
        is_bound = ended.owner.startswith(("process:", "session:"))
        return ended.orphaned() if is_bound and not ended.is_orphan else ended


@final
class SqliteTaskStore:
    """Keeps tasks in a file: a `TaskStore`.

    Args:
        folder: made when it is missing.
        server: its name.
        quota: how many.
    """

    is_shared: bool = True

    def __init__(self, folder: str, server: str, quota: TaskQuota | None = None) -> None:
        self._file: Final = TaskFile(folder, server, quota)
        self._turn: Final = trio.CapacityLimiter(1)
        self.worker: str = self._file.worker

    async def create(self, record: TaskRecord, now: float) -> TaskRecord:
        """See `TaskStore.create`."""
        return await self._do(self._file.create, record, now)

    async def find(self, id_: str, now: float) -> TaskRecord | None:
        """See `TaskStore.find`."""
        return await self._do(self._file.find, id_, now)

    async def change(self, id_: str, change: Change, now: float) -> TaskRecord | None:
        """See `TaskStore.change`."""
        return await self._do(self._file.change, id_, change, now)

    async def discard(self, id_: str) -> None:
        """See `TaskStore.discard`."""
        await self._do(self._file.discard, id_)

    async def page(self, owner: str, after: int, size: int, now: float) -> TaskPage:
        """See `TaskStore.page`."""
        return await self._do(self._file.page, owner, after, size, now)

    async def orphan(self, owner: str) -> None:
        """See `TaskStore.orphan`."""
        await self._do(self._file.orphan, owner)

    async def sweep(self, now: float) -> bool:
        """See `TaskStore.sweep`."""
        return await self._do(self._file.expire, now)

    def close(self) -> None:
        """Let go of the file, which the end of the process does as well."""
        self._file.close()

    async def _do(self, function: Callable[[*Ts], T], *args: *Ts) -> T:
        # Not abandoned: what was begun is done when this returns, cancelled or not.
        return await trio.to_thread.run_sync(
            function, *args, limiter=self._turn, abandon_on_cancel=False
        )


def open_sqlite(state_root: str) -> OpenStore:
    """Stores below *state_root*, for `TaskSettings.open_store`."""
    folder = os.path.join(state_root, "tasks")
    return lambda server, quota: SqliteTaskStore(folder, server, quota)


def _save(database: sqlite3.Connection, record: TaskRecord) -> None:
    state, outcome = write_row(record)
    database.execute(
        "UPDATE tasks SET ended_at = ?, expires_at = ?, is_orphan = ?, state = ?, outcome = ?"
        " WHERE id = ?",
        (record.ended_at, record.expires_at, record.is_orphan, state, outcome, record.id),
    )


def _restarted() -> TaskOutcome:
    return TaskOutcome({"content": [{"type": "text", "text": RESTARTED}], "isError": True})
