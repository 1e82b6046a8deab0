"""What the tests of every store share: tasks to keep, and a machine that keeps them at random."""

from __future__ import annotations

from typing import Any, Protocol

import attrs
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from trio_agent.surfaces.mcp.tasks.quota import TaskQuota, TasksFullError
from trio_agent.surfaces.mcp.tasks.record import Change, TaskOutcome, TaskRecord
from trio_agent.surfaces.mcp.tasks.registry import TaskPage

OWNERS = ("session:1", "process:2", "anyone")
QUOTA = TaskQuota(max_tasks=7, max_tasks_per_owner=4)
GOOD = TaskOutcome({"content": [{"type": "text", "text": "läuft"}], "_meta": {"b": 1, "a": [2.5]}})
BAD = TaskOutcome({"content": [], "isError": True})
WRONG = TaskOutcome({"code": -32603, "message": "boom"}, is_error=True)


class Keeping(Protocol):
    """What a registry and the heart of a store have in common."""

    def create(self, record: TaskRecord, now: float) -> TaskRecord: ...
    def find(self, id_: str, now: float) -> TaskRecord | None: ...
    def change(self, id_: str, change: Change, now: float) -> TaskRecord | None: ...
    def discard(self, id_: str) -> None: ...
    def page(self, owner: str, after: int, size: int, now: float) -> TaskPage: ...
    def orphan(self, owner: str) -> None: ...


def task(id_: str, owner: str = OWNERS[0], now: float = 0.0, ttl_ms: int = 10_000) -> TaskRecord:
    return TaskRecord(
        id=id_,
        owner=owner,
        tool="hash",
        created_at=now,
        updated_at=now,
        ttl_ms=ttl_ms,
        poll_ms=1000,
    )


def end(outcome: TaskOutcome = GOOD, *, now: float, message: str | None = None) -> Change:
    return lambda record: record.ended(outcome.status, outcome, message, now)


def cancel(*, now: float) -> Change:
    return lambda record: record.ended("cancelled", BAD, "cancelled", now)


CHANGES: dict[str, Any] = {
    "report": lambda now: lambda one: one.reported({"progress": now}, f"at {now}", now),
    "ask": lambda now: lambda one: one.asked(f"q{len(one.questions)}", {"method": "m"}, now),
    "withdraw": lambda now: lambda one: one.withdrawn("q0", now),
    "answer": lambda now: lambda one: one.answered({"q0": {"a": 1}, "x": {}}, now),
    "complete": lambda now: end(GOOD, now=now),
    "fail": lambda now: end(BAD, now=now, message="no"),
    "break": lambda now: end(WRONG, now=now),
    "cancel": lambda now: cancel(now=now),
}


class KeepingMachine(RuleBasedStateMachine):
    """Creates, changes, orphans and forgets tasks of several owners while time passes.

    `others` are kept next to the first one and have to agree with it at every step.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = 1_000.0
        self.seen: dict[str, TaskRecord] = {}
        self.kept: list[Keeping] = self.open()
        self.count = 0

    def open(self) -> list[Keeping]:
        raise NotImplementedError

    def every(self, ask: Any) -> Any:
        """The one answer of all that are compared."""
        answers = []
        for one in self.kept:
            try:
                answers.append(ask(one))
            except TasksFullError as error:
                answers.append(str(error))
        assert all(answer == answers[0] for answer in answers), answers
        return answers[0]

    def look(self, id_: str) -> TaskRecord | None:
        found: TaskRecord | None = self.every(lambda kept: kept.find(id_, self.now))
        return found

    @rule(owner=st.sampled_from(OWNERS), ttl_ms=st.sampled_from((0, 1000, 5000)))
    def create(self, owner: str, ttl_ms: int) -> None:
        self.count += 1
        record = task(f"t{self.count}", owner, self.now, ttl_ms)
        before = {id_: one for id_ in self.seen if (one := self.look(id_)) is not None}
        made = self.every(lambda kept: kept.create(record, self.now))
        if isinstance(made, str):
            own = [one for one in before.values() if one.owner == owner]
            assert all(not one.is_over for one in own) or len(before) >= QUOTA.max_tasks
            assert {id_ for id_ in before if self.look(id_)} == set(before)
            return
        self.seen[made.id] = made
        gone = [one for id_, one in before.items() if self.look(id_) is None]
        assert all(one.is_over and (one.owner == owner or one.is_orphan) for one in gone)
        assert len(gone) <= 1

    @precondition(lambda self: self.seen)
    @rule(data=st.data(), name=st.sampled_from(sorted(CHANGES)))
    def change(self, data: st.DataObject, name: str) -> None:
        id_ = data.draw(st.sampled_from(sorted(self.seen)))
        change = CHANGES[name](self.now)
        after = self.every(lambda kept: kept.change(id_, change, self.now))
        before = self.seen[id_]
        if after is None:
            assert before.is_over
        elif before.is_over:
            assert after == attrs.evolve(before, is_orphan=after.is_orphan)
        else:
            assert after.updated_at >= before.updated_at
            self.seen[id_] = after

    @rule(seconds=st.sampled_from((0.5, 1.0, 5.0)))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @precondition(lambda self: self.seen)
    @rule(data=st.data())
    def discard(self, data: st.DataObject) -> None:
        id_ = data.draw(st.sampled_from(sorted(self.seen)))
        self.every(lambda kept: kept.discard(id_))
        del self.seen[id_]

    @rule(owner=st.sampled_from(OWNERS))
    def orphan(self, owner: str) -> None:
        self.every(lambda kept: kept.orphan(owner))

    @rule(owner=st.sampled_from(OWNERS), size=st.integers(1, 3))
    def list(self, owner: str, size: int) -> None:
        listed: list[TaskRecord] = []
        after: int | None = 0
        while after is not None:
            page: TaskPage = self.every(
                lambda kept, after=after: kept.page(owner, after, size, self.now)
            )
            listed += page.records
            after = page.next
            assert len(page.records) <= size
        found = [one for id_ in self.seen if (one := self.look(id_)) and one.owner == owner]
        assert listed == sorted(found, key=lambda one: one.number)

    @invariant()
    def what_works_is_there_and_what_is_over_is_kept_for_its_time(self) -> None:
        there = [one for id_ in self.seen if (one := self.look(id_)) is not None]
        assert len(there) <= QUOTA.max_tasks
        for owner in OWNERS:
            assert sum(one.owner == owner for one in there) <= QUOTA.max_tasks_per_owner
        ids = {one.id for one in there}
        for id_, known in self.seen.items():
            assert known.is_over or id_ in ids
            expires_at = known.expires_at
            assert expires_at is None or expires_at > self.now or id_ not in ids
        for one in there:
            assert (one.status == "input_required") == bool(one.questions)
            assert one.is_over == (one.ended_at is not None) == (one.outcome is not None)
