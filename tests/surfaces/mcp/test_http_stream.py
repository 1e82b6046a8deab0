"""The lines of one client, whether or not it is there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio
import trio.testing
from hypothesis import given, settings, strategies as st

from trio_agent.surfaces.mcp.http.stream import (
    MOST_KEPT,
    MOST_KEPT_BYTES,
    EventStream,
    StreamReader,
)


def taken(reader: StreamReader) -> list[int]:
    """The numbers of everything that is there to be taken."""
    numbers: list[int] = []
    while reader.next_event is not None:
        numbers.append(reader.take().number)
    return numbers


@given(st.lists(st.sampled_from(["post", "attach", "take", "leave", "again"]), max_size=60))
def test_whoever_comes_back_gets_everything_once_and_in_order(steps: list[str]) -> None:
    stream = EventStream(keeps=True)
    reader: StreamReader | None = stream.attach()
    posted = 0
    seen: list[int] = []
    for step in steps:
        if step == "post":
            posted += 1
            stream.post(b"%d" % posted)
        elif step == "attach":
            reader = stream.attach(seen[-1] if seen else 0)
        elif step == "take" and reader is not None and reader.next_event is not None:
            event = reader.take()
            assert event.line == b"%d" % event.number
            seen.append(event.number)
        elif step == "leave" and reader is not None:
            reader.leave()
            reader = None
        elif step == "again" and reader is not None:
            # One that was lost with the connection is read again.
            seen = seen[:-1]
            reader = stream.attach(seen[-1] if seen else 0)
    last = stream.attach(seen[-1] if seen else 0)
    seen += taken(last)

    assert seen == list(range(1, posted + 1))
    assert stream.posted_bytes == 0


@given(st.integers(0, 3), st.integers(1, 10), st.integers(0, 10))
def test_bytes_are_counted_where_they_are(size: int, posted: int, read: int) -> None:
    stream = EventStream(keeps=True)
    reader = stream.attach()
    for _ in range(posted):
        stream.post(b"x" * size)
    for _ in range(min(read, posted)):
        reader.take()

    assert stream.posted_bytes == size * (posted - min(read, posted))
    assert stream.kept_bytes == size * min(read, posted)
    reader.leave()
    assert (stream.posted_bytes, stream.kept_bytes) == (0, size * posted)


def test_of_what_nobody_reads_the_oldest_is_lost_and_never_the_newest() -> None:
    stream = EventStream(keeps=True)
    stream.attach().leave()
    for _ in range(MOST_KEPT + 10):
        stream.post(b"progress")
    assert taken(stream.attach()) == list(range(11, MOST_KEPT + 11))

    stream.attach().leave()
    stream.post(b"x" * 2 * MOST_KEPT_BYTES)
    assert taken(stream.attach()) == [MOST_KEPT + 11]


def test_a_stream_that_does_not_keep_forgets_what_nobody_reads() -> None:
    stream = EventStream()
    reader = stream.attach()
    stream.post(b"one")
    reader.take()
    stream.post(b"two")
    reader.leave()
    stream.post(b"three")

    assert taken(stream.attach()) == []
    assert stream.kept_bytes == 0


def test_before_anybody_read_nothing_is_kept() -> None:
    stream = EventStream(keeps=True)
    stream.post(b"one")

    assert taken(stream.attach()) == []


def test_a_later_reader_takes_the_place_of_an_earlier_one() -> None:
    stream = EventStream(keeps=True)
    first = stream.attach()
    stream.post(b"one")
    second = stream.attach()

    assert first.is_dismissed
    assert first.is_done
    assert first.next_event is None
    first.leave()
    assert stream.is_read
    assert taken(second) == [1]


async def test_a_writer_is_one_line_ahead_of_the_reader() -> None:
    stream = EventStream()
    reader = stream.attach()
    sent: list[int] = []

    async def write() -> None:
        for number in range(1, 4):
            await stream.send(b"%d" % number)
            sent.append(number)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(write)
        await trio.testing.wait_all_tasks_blocked()
        assert sent == [1]
        reader.take()
        await trio.testing.wait_all_tasks_blocked()
        assert sent == [1, 2]
        reader.leave()

    # Nobody reads, so nobody waits.
    assert sent == [1, 2, 3]


async def test_a_writer_that_nobody_reads_has_not_the_whole_loop() -> None:
    stream = EventStream(keeps=True)
    stream.attach().leave()
    sent = 0

    async def write_for_ever() -> None:
        nonlocal sent
        while True:
            await stream.send(b"x")
            sent += 1

    async with trio.open_nursery() as nursery:
        nursery.start_soon(write_for_ever)
        for _ in range(10):
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()

    assert 0 < sent < 20


async def test_who_comes_back_takes_what_a_writer_waited_with() -> None:
    stream = EventStream(keeps=True)
    stream.attach()
    async with trio.open_nursery() as nursery:
        for number in range(3):
            nursery.start_soon(stream.send, b"%d" % number)
        await trio.testing.wait_all_tasks_blocked()
        reader = stream.attach()

    assert taken(reader) == [1, 2, 3]


@given(schedule=st.random_module(), cancelled=st.lists(st.booleans(), min_size=1, max_size=8))
@settings(max_examples=30)
async def test_a_cancelled_line_is_withdrawn_or_on_its_way(
    schedule: object, cancelled: list[bool]
) -> None:
    stream = EventStream()
    reader = stream.attach()
    sent: set[bytes] = set()
    lines: set[bytes] = set()

    async def write(line: bytes, scope: trio.CancelScope) -> None:
        with scope:
            await stream.send(line)
            sent.add(line)

    scopes = [trio.CancelScope() for _ in cancelled]
    async with trio.open_nursery() as nursery:
        for number, scope in enumerate(scopes):
            nursery.start_soon(write, b"%d" % number, scope)
        await trio.testing.wait_all_tasks_blocked()
        for scope, is_cancelled in zip(scopes, cancelled, strict=True):
            if is_cancelled:
                scope.cancel()
        for _ in scopes:
            await trio.testing.wait_all_tasks_blocked()
            while reader.next_event is not None:
                lines.add(reader.take().line)

    assert lines == sent
    assert stream.posted_bytes == 0


async def test_a_reader_waits_for_a_line_or_the_end_or_its_dismissal() -> None:
    stream = EventStream()
    reader = stream.attach()
    woken: list[str] = []

    async def wait() -> None:
        await reader.wait()
        woken.append("line" if reader.next_event is not None else "end")

    changes: list[Callable[[], None]] = [lambda: stream.post(b"x"), stream.dismiss, stream.end]
    for change in changes:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            change()
        while reader.next_event is not None:
            reader.take()
        if reader.is_dismissed:
            reader = stream.attach(stream.last_number)
    await reader.wait()

    assert woken == ["line", "end", "end"]
    assert reader.is_done


@pytest.mark.parametrize(
    ("lines", "is_ended", "is_settled"),
    [(0, False, False), (0, True, True), (1, False, False), (1, True, True), (2, True, False)],
)
def test_all_there_is_to_say_is_one_line_at_most(
    lines: int, is_ended: bool, is_settled: bool
) -> None:
    stream = EventStream()
    reader = stream.attach()
    for _ in range(lines):
        stream.post(b"x")
    if is_ended:
        stream.end()

    assert reader.is_settled == is_settled
