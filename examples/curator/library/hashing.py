"""Reading contents: of the files that can have a duplicate, or of those that are asked for.

Two files can be equal only if they are equally long, so a file is read only if another file has its
size. Empty files are findings, not duplicates. Hard links are one file and are read once. Nothing
is cached between calls and contents are never kept, only their SHA-256.

Above: receipt, comparison. Below: printable, values, walk (for what identifies a file).

Rules: at most `HASH_THREADS` files are open, each with one buffer of `CHUNK_BYTES`; small files
share a thread hop; cancellation is noticed at the next chunk and no thread outlives the call; a
file counts only if it was the same, in identity, size and time of change, before and after reading.
"""

import hashlib
import os
import stat
import threading
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, final

import attrs
import trio

from curator.library.printable import from_printable
from curator.library.values import (
    Digests,
    DuplicateGroup,
    Duplicates,
    FileRecord,
    Problem,
    Report,
    Survey,
)
from curator.library.walk import identify, to_modified_us

HASH_THREADS: Final = 4
"""SHA-256 releases the interpreter lock; beyond a few threads the disk is the limit."""

CHUNK_BYTES: Final = 1 << 20
"""One to three milliseconds of SHA-256: the time it takes to notice a cancellation."""

BATCH_BYTES: Final = 16 << 20
BATCH_FILES: Final = 256
"""A thread hop costs about as much as hashing a small file, so 256 of them share one."""

_REPORT_BYTES: Final = 64 << 20
"""Progress is told at every hundredth of the total, and at least this often."""

READ_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    # What was a regular file may be a link or a pipe by now: do not follow it, do not wait for it.
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)

Names = tuple[FileRecord, ...]
"""All records of one file: more than one if it has hard links."""

Batch = tuple[Names, ...]


async def find_duplicates(survey: Survey, report: Report) -> Duplicates:
    """Group the files of `survey` that have the same content.

    `report` hears the bytes read so far and their total; the last report says that all is done,
    also if some files could not be read. The result does not depend on the order in which threads
    finish. On cancellation the threads are waited for, which takes one chunk.
    """
    batches = await trio.to_thread.run_sync(_plan, survey.files)
    return _collect(await _hash_all(survey.root, batches, report))


async def digest_files(root: str, files: Iterable[FileRecord], report: Report) -> Digests:
    """Read all of `files`, which a survey of `root` has seen; see `find_duplicates`."""
    names: dict[str, list[FileRecord]] = {}
    for file in files:
        names.setdefault(file.identity, []).append(file)
    outcomes = await _hash_all(root, _pack(map(tuple, names.values())), report)
    return Digests(
        by_identity={
            record.identity: digest for outcome in outcomes for record, digest in outcome.digests
        },
        problems=_sorted_problems(outcomes),
    )


@final
@attrs.frozen(kw_only=True)
class _Outcome:
    """What became of one batch: each file that was read, with its digest, and what went wrong."""

    digests: tuple[tuple[FileRecord, str], ...]
    problems: tuple[Problem, ...]


@final
class _Meter:
    """Adds up what all threads have read, and tells it in rising order and not too often."""

    def __init__(self, report: Report, total: int) -> None:
        self._report = report
        self._total = total
        self._step = min(total // 100, _REPORT_BYTES)
        self._lock = threading.Lock()
        self._read = 0
        self._told = 0

    def add(self, count: int) -> None:
        """Count `count` more bytes; the lock is held while telling, to keep the order."""
        with self._lock:
            # A hard link that is tried after another name failed half-way counts twice.
            self._read = min(self._read + count, self._total)
            if self._read - self._told > self._step:
                self._told = self._read
                self._report(self._read, total=self._total, message="Comparing contents")


@final
class _Hasher:
    """Reads files, in any number of worker threads at once."""

    def __init__(self, root: str, meter: _Meter) -> None:
        self._root = root
        self._meter = meter

    def hash(self, batch: Batch) -> _Outcome:
        """Digest each file of `batch`, under the first of its names that works."""
        buffer = memoryview(bytearray(CHUNK_BYTES))
        digests: list[tuple[FileRecord, str]] = []
        problems: list[Problem] = []
        for names in batch:
            for record in names:
                try:
                    digests.append((record, self._digest(record, buffer)))
                    break
                except _ChangedError:
                    detail = "was not the same before, during and after the audit"
                    problems.append(Problem(kind="changed", path=record.path, detail=detail))
                except OSError as error:
                    problems.append(Problem.from_error(record.path, error))
        return _Outcome(digests=tuple(digests), problems=tuple(problems))

    def _digest(self, record: FileRecord, buffer: memoryview) -> str:
        trio.from_thread.check_cancelled()
        path = os.path.join(self._root, from_printable(record.path))
        # Looking before opening keeps us from opening a device that took the place of the file.
        _check_unchanged(record, os.lstat(path))
        with open(os.open(path, READ_FLAGS), "rb", buffering=0) as file:
            digest = hashlib.sha256(usedforsecurity=False)
            # Reading what the record promises, not to the end: a growing log has no end.
            missing = record.size
            while missing and (count := file.readinto(buffer[:missing])):
                digest.update(buffer[:count])
                missing -= count
                self._meter.add(count)
                trio.from_thread.check_cancelled()
            # Some virtual files claim a size that they do not have: that is no content to compare.
            _check_unchanged(record, os.fstat(file.fileno()), missing=missing)
        return digest.hexdigest()


async def _hash_all(root: str, batches: Sequence[Batch], report: Report) -> list[_Outcome]:
    total = sum(names[0].size for batch in batches for names in batch)
    hasher = _Hasher(from_printable(root), _Meter(report, total))
    limiter = trio.CapacityLimiter(HASH_THREADS)
    outcomes: list[_Outcome] = []
    remaining = iter(batches)

    async def work() -> None:
        for batch in remaining:
            outcome = await trio.to_thread.run_sync(hasher.hash, batch, limiter=limiter)
            outcomes.append(outcome)

    report(0, total=total, message="Comparing contents")
    # As many tasks as threads: a task for each batch would only queue up at the limiter.
    async with trio.open_nursery() as nursery:  # noqa: TID251 - application code, no actors here
        for _ in range(HASH_THREADS):
            nursery.start_soon(work)
    report(total, total=total, message="Compared contents")
    return outcomes


@final
class _ChangedError(Exception):
    """The file is no longer what the survey saw."""


def _check_unchanged(record: FileRecord, status: os.stat_result, *, missing: int = 0) -> None:
    seen = (status.st_size - missing, to_modified_us(status), identify(status))
    promised = (record.size, record.modified_us, record.identity)
    if not stat.S_ISREG(status.st_mode) or seen != promised:
        raise _ChangedError


def _plan(files: Iterable[FileRecord]) -> Sequence[Batch]:
    """Put the files that have to be read into batches, the largest files first."""
    sizes: dict[int, dict[str, list[FileRecord]]] = {}
    for file in files:
        if file.size and file.readable:
            sizes.setdefault(file.size, {}).setdefault(file.identity, []).append(file)
    # A size that only one file has leaves nothing to compare.
    shared = (sizes[size] for size in sorted(sizes, reverse=True) if len(sizes[size]) > 1)
    return _pack(tuple(names) for same_size in shared for names in same_size.values())


def _pack(files: Iterable[Names]) -> Sequence[Batch]:
    """Put files into batches, in their order."""
    batches: list[Batch] = []
    batch: list[Names] = []
    room = BATCH_BYTES
    for names in files:
        batch.append(names)
        room -= names[0].size
        if room <= 0 or len(batch) == BATCH_FILES:
            batches.append(tuple(batch))
            batch.clear()
            room = BATCH_BYTES
    return (*batches, tuple(batch)) if batch else tuple(batches)


def _collect(outcomes: Sequence[_Outcome]) -> Duplicates:
    contents: dict[tuple[int, str], list[str]] = {}
    for outcome in outcomes:
        for record, digest in outcome.digests:
            contents.setdefault((record.size, digest), []).append(record.path)
    groups = [
        DuplicateGroup(size=size, digest=digest, copies=len(paths), paths=tuple(sorted(paths)))
        for (size, digest), paths in contents.items()
        if len(paths) > 1
    ]
    return Duplicates(
        groups=tuple(sorted(groups, key=lambda group: (-group.reclaimable_bytes, group.paths))),
        hashed_files=sum(map(len, contents.values())),
        hashed_bytes=sum(size * len(paths) for (size, _), paths in contents.items()),
        problems=_sorted_problems(outcomes),
    )


def _sorted_problems(outcomes: Iterable[_Outcome]) -> tuple[Problem, ...]:
    problems = chain.from_iterable(outcome.problems for outcome in outcomes)
    return tuple(sorted(problems, key=lambda problem: problem.path))
