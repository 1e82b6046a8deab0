"""A link behaves like a list, whatever is done to it in whatever order.

The machine writes a script and predicts, with a list, what each line of it leads to; the script is
then played in one Trio run. After each line everything comes to rest, so the schedule cannot matter.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import trio
import trio.testing
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from actors import ActorError, Latest, Link, Mark, open_supervisor

Line = tuple[str, int, int]


@dataclass
class Model:
    """What should happen: a list of parcels on the way, of which some belong to blocked senders."""

    capacity: int
    outcomes: dict[int, str] = field(default_factory=dict)
    parcels: list[tuple[int | None, str, bool]] = field(default_factory=list)
    reader: tuple[int, bool] | None = None
    slot: int | None = None
    outbox_open: bool = True
    inbox_open: bool = True
    finished: bool = False
    end_reached: bool = False

    def send(self, line: int, text: str, *, ends: bool) -> None:
        if self.finished:
            self.outcomes[line] = "LinkFinishedError"
            return
        self.finished = ends
        if not self.outbox_open:
            self.outcomes[line] = "EndClosedError"
        elif not self.inbox_open:
            self.outcomes[line] = "PeerGoneError"
        else:
            waits = self.reader is None and len(self.parcels) >= self.capacity
            self.parcels.append((line if waits else None, text, ends))
            if not waits:
                self.outcomes[line] = "done"
            if self.reader is not None:
                self.deliver(*self.reader)

    def receive(self, line: int, *, slot_too: bool) -> None:
        if slot_too and self.slot is not None:
            self.take_slot(line)
        elif not self.inbox_open:
            self.outcomes[line] = "EndClosedError"
        elif self.end_reached:
            self.outcomes[line] = "FINISHED"
        elif self.parcels:
            self.deliver(line, slot_too)
        elif not self.outbox_open:
            self.outcomes[line] = "LinkTruncatedError"
        else:
            self.reader = (line, slot_too)

    def deliver(self, reader: int, slot_too: bool) -> None:
        served, text, ends = self.parcels.pop(0)
        if served is not None:
            self.outcomes[served] = "done"
        self.reader = None
        self.end_reached = ends
        self.outcomes[reader] = text
        # A place in the buffer is free now, or, without one, the sender's turn has come.
        for index, (sender, words, last) in enumerate(self.parcels[: self.capacity]):
            if sender is not None:
                self.outcomes[sender] = "done"
                self.parcels[index] = (None, words, last)

    def put(self, line: int, value: int) -> None:
        self.outcomes[line] = "done"
        self.slot = value
        if self.reader is not None and self.reader[1]:
            self.take_slot(self.reader[0])
            self.reader = None

    def take_slot(self, line: int) -> None:
        self.outcomes[line] = f"slot {self.slot}"
        self.slot = None

    def close_outbox(self, line: int) -> None:
        self.outcomes[line] = "done"
        self.outbox_open = False
        self.drop_senders("EndClosedError")
        if self.reader is not None:
            self.outcomes[self.reader[0]] = "LinkTruncatedError"
            self.reader = None

    def close_inbox(self, line: int) -> None:
        self.outcomes[line] = "done"
        self.inbox_open = False
        self.drop_senders("PeerGoneError")
        self.parcels.clear()
        if self.reader is not None:
            self.outcomes[self.reader[0]] = "EndClosedError"
            self.reader = None

    def drop_senders(self, error: str) -> None:
        for sender in [sender for sender, _, _ in self.parcels if sender is not None]:
            self.outcomes[sender] = error
        self.parcels = [parcel for parcel in self.parcels if parcel[0] is None]

    def waiting(self) -> list[int]:
        senders = [sender for sender, _, _ in self.parcels if sender is not None]
        return senders + ([self.reader[0]] if self.reader is not None else [])

    def cancel(self, line: int, target: int) -> None:
        self.outcomes[line] = "done"
        self.outcomes[target] = "cancelled"
        self.parcels = [parcel for parcel in self.parcels if parcel[0] != target]
        if self.reader is not None and self.reader[0] == target:
            self.reader = None


class Play:
    """The real thing: every line is a task, so that it may block."""

    def __init__(self, capacity: int) -> None:
        self.link = Link[str](capacity=capacity)
        self.latest = Latest[int]()
        self.outcomes: dict[int, str] = {}
        self.scopes: dict[int, trio.CancelScope] = {}

    async def play(self, script: list[Line]) -> dict[int, str]:
        with self.link.outbox, self.link.inbox:
            async with open_supervisor() as supervisor:
                for number, line in enumerate(script):
                    supervisor.call(self.run_line, number, line)
                    await trio.testing.wait_all_tasks_blocked()
                for scope in self.scopes.values():
                    scope.cancel("the script is over")
        return self.outcomes

    async def run_line(self, number: int, line: Line) -> None:
        with trio.CancelScope() as self.scopes[number]:
            try:
                self.outcomes[number] = await self.do(*line)
            except ActorError as error:
                self.outcomes[number] = type(error).__name__
        if self.scopes[number].cancelled_caught:
            self.outcomes[number] = "cancelled"

    async def do(self, verb: str, number: int, target: int) -> str:
        outbox = self.link.outbox
        verbs: dict[str, Callable[[], Awaitable[str]]] = {
            "send": lambda: self.done(outbox.send(f"value {number}")),
            "finish": lambda: self.done(outbox.finish()),
            "finish with": lambda: self.done(outbox.finish(f"value {number}")),
            "receive": self.receive,
            "receive or": self.receive_or,
        }
        if verb in verbs:
            return await verbs[verb]()
        match verb:
            case "put":
                self.latest.put(number)
            case "close outbox":
                outbox.close()
            case "close inbox":
                self.link.inbox.close()
            case _:
                self.scopes[target].cancel()
        return "done"

    async def done(self, sending: Awaitable[None]) -> str:
        await sending
        return "done"

    async def receive(self) -> str:
        got = await self.link.inbox.receive()
        return got.name if isinstance(got, Mark) else got

    async def receive_or(self) -> str:
        match await self.link.inbox.receive_or(self.latest):
            case Mark.WOKEN:
                return f"slot {self.latest.take()}"
            case Mark.FINISHED:
                return "FINISHED"
            case value:
                return value


class LinkMachine(RuleBasedStateMachine):
    """Writes the script and keeps the model in step."""

    def __init__(self) -> None:
        super().__init__()
        self.open(0)

    @initialize(capacity=st.integers(0, 2))
    def open(self, capacity: int) -> None:
        self.capacity = capacity
        self.model = Model(capacity)
        self.script: list[Line] = []

    def write(self, verb: str, target: int = 0) -> int:
        number = len(self.script)
        self.script.append((verb, number, target))
        return number

    @rule()
    def send(self) -> None:
        line = self.write("send")
        self.model.send(line, f"value {line}", ends=False)

    @precondition(lambda self: len(self.script) > 8)
    @rule(with_value=st.booleans())
    def finish(self, with_value: bool) -> None:
        line = self.write("finish with" if with_value else "finish")
        self.model.send(line, f"value {line}" if with_value else "FINISHED", ends=True)

    @precondition(lambda self: self.model.reader is None)
    @rule(slot_too=st.booleans())
    def receive(self, slot_too: bool) -> None:
        self.model.receive(self.write("receive or" if slot_too else "receive"), slot_too=slot_too)

    @rule()
    def put(self) -> None:
        line = self.write("put")
        self.model.put(line, line)

    @precondition(lambda self: len(self.script) > 12)
    @rule(which=st.sampled_from(["outbox", "inbox"]))
    def close(self, which: str) -> None:
        line = self.write(f"close {which}")
        (self.model.close_outbox if which == "outbox" else self.model.close_inbox)(line)

    @precondition(lambda self: self.model.waiting())
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        self.cancel_line(data.draw(st.sampled_from(self.model.waiting())))

    def cancel_line(self, target: int) -> None:
        self.model.cancel(self.write("cancel", target), target)

    def teardown(self) -> None:
        for line in self.model.waiting():
            self.model.outcomes[line] = "cancelled"
        assert trio.run(Play(self.capacity).play, self.script) == self.model.outcomes


TestLink = LinkMachine.TestCase
TestLink.settings = settings(max_examples=4 * settings().max_examples, stateful_step_count=25)


def test_a_script_without_a_buffer() -> None:
    machine = LinkMachine()
    machine.open(0)
    machine.receive(slot_too=False)
    machine.put()
    machine.cancel_line(0)
    machine.receive(slot_too=True)
    machine.receive(slot_too=True)
    machine.send()
    for _ in range(3):
        machine.send()
    machine.receive(slot_too=False)
    machine.cancel_line(7)
    machine.finish(with_value=True)
    machine.send()
    for _ in range(3):
        machine.receive(slot_too=True)
    machine.close("outbox")
    machine.close("inbox")
    machine.receive(slot_too=False)
    machine.teardown()


def test_a_script_with_a_buffer() -> None:
    machine = LinkMachine()
    machine.open(1)
    for _ in range(4):
        machine.send()
    machine.receive(slot_too=False)
    machine.receive(slot_too=True)
    machine.close("outbox")
    machine.send()
    machine.receive(slot_too=False)
    machine.receive(slot_too=False)
    machine.teardown()


def test_scripts_in_which_someone_leaves_early() -> None:
    for end in ("outbox", "inbox"):
        for opening in ("send", "receive"):
            machine = LinkMachine()
            machine.open(0)
            if opening == "send":
                machine.send()
            else:
                machine.receive(slot_too=True)
            machine.close(end)
            machine.finish(with_value=False)
            machine.put()
            machine.receive(slot_too=True)
            machine.receive(slot_too=True)
            machine.teardown()


def test_a_script_that_nobody_ends() -> None:
    machine = LinkMachine()
    machine.open(0)
    machine.finish(with_value=False)
    machine.receive(slot_too=False)
    machine.receive(slot_too=True)
    machine.put()
    machine.receive(slot_too=True)
    machine.teardown()
    machine.open(0)
    machine.receive(slot_too=False)
    machine.teardown()
