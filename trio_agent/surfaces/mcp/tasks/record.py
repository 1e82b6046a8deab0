"""One task, as a value: what it is, and what it can become.

    working ⇄ input_required
       └────────┴──► completed | failed | cancelled

A task that is over stays as it is: every change of it gives the same record back.  That is the one
rule that all stores and all processes share, so it stands here and nowhere else.  A change is a
function from a record to a record, and a store applies it in one step.

`failed` is a result with `isError`, or an error of JSON-RPC.  What each era of the protocol calls
that is `wire`'s.

Sans-I/O: times come in, in seconds since 1970.  Above: `registry`, `store`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from trio_agent.surfaces.mcp.rpc import JsonObject

TaskStatus: TypeAlias = Literal["working", "input_required", "completed", "failed", "cancelled"]

FINAL: Final[frozenset[TaskStatus]] = frozenset({"completed", "failed", "cancelled"})
"""What a task stays for good."""

Objects: TypeAlias = Mapping[str, "JsonObject"]
"""JSON objects by name."""


@final
@attrs.frozen
class TaskOutcome:
    """What a call that ran as a task was answered with: a result, or an error of JSON-RPC.

    Attributes:
        value: the `result` of the answer, or its `error`.
        is_error: which of the two.
    """

    value: JsonObject
    is_error: bool = False

    __repr__ = shown

    @property
    def status(self) -> TaskStatus:
        """What the task is with it."""
        return "failed" if self.is_error or self.value.get("isError") is True else "completed"


@final
@attrs.frozen(kw_only=True)
class TaskRecord:
    """A task.

    Attributes:
        id: 128 random bits; who has it may, in some places, have the task.
        owner: whose it is; see `ownership`.
        tool: by name.
        created_at: when it was asked for.
        updated_at: when something about it changed last.
        ttl_ms: how long it is kept when it is over.
        poll_ms: how often its client should ask.
        status: see the module.
        message: one line for people: the last progress, or why it failed.
        progress: the last one, as MCP writes it without the token.
        questions: requests to the client that nobody has answered yet, by their keys.
        answers: results of those that were answered, until it is over.
        outcome: what it came to; None while it works.
        ended_at: when it was over; None while it works.
        is_orphan: whether the session or process that it belonged to is gone.
        number: later ones have higher numbers; given by the store.
    """

    id: str
    owner: str
    tool: str
    created_at: float
    updated_at: float
    ttl_ms: int
    poll_ms: int
    status: TaskStatus = "working"
    message: str | None = None
    progress: JsonObject | None = None
    questions: Objects = attrs.field(factory=dict["str", "JsonObject"])
    answers: Objects = attrs.field(factory=dict["str", "JsonObject"])
    outcome: TaskOutcome | None = None
    ended_at: float | None = None
    is_orphan: bool = False
    number: int = 0

    __repr__ = shown

    @property
    def is_over(self) -> bool:
        """Whether it stays as it is."""
        return self.status in FINAL

    @property
    def expires_at(self) -> float | None:
        """When it is forgotten; never while it works."""
        return None if self.ended_at is None else self.ended_at + self.ttl_ms / 1000

    def reported(self, progress: JsonObject, message: str | None, now: float) -> TaskRecord:
        """After a report; one without a message leaves the last one."""
        if self.is_over:
            return self
        return attrs.evolve(
            self,
            progress=progress,
            message=self.message if message is None else message,
            updated_at=self._later(now),
        )

    def asked(self, key: str, question: JsonObject, now: float) -> TaskRecord:
        """With one more question to its client."""
        return self._waiting_for({**self.questions, key: question}, now)

    def withdrawn(self, key: str, now: float) -> TaskRecord:
        """Without a question that nobody needs an answer to any more."""
        if key not in self.questions:
            return self
        return self._waiting_for(_without(self.questions, {key}), now)

    def answered(self, answers: Objects, now: float) -> TaskRecord:
        """With those of *answers* that answer a question; others say nothing."""
        known = {key: answer for key, answer in answers.items() if key in self.questions}
        if not known or self.is_over:
            return self
        left = self._waiting_for(_without(self.questions, known), now)
        return attrs.evolve(left, answers={**self.answers, **known})

    def ended(
        self, status: TaskStatus, outcome: TaskOutcome, message: str | None, now: float
    ) -> TaskRecord:
        """Over.  Without a message it keeps the last one."""
        if self.is_over:
            return self
        now = self._later(now)
        return attrs.evolve(
            self,
            status=status,
            outcome=outcome,
            message=self.message if message is None else message,
            questions={},
            answers={},
            updated_at=now,
            ended_at=now,
        )

    def orphaned(self) -> TaskRecord:
        """When its session or process is gone."""
        return attrs.evolve(self, is_orphan=True)

    def synced(self, live: TaskRecord) -> TaskRecord:
        """What is stored, brought up to the record that the one who works on it has.

        Answers may have come in elsewhere meanwhile, and so may the end of it.
        """
        if self.is_over:
            return self
        answers = {**self.answers, **live.answers}
        questions = _without(live.questions, answers)
        return attrs.evolve(
            live,
            status=live.status if live.is_over else _status(questions),
            questions=questions,
            answers=answers,
            is_orphan=self.is_orphan,
            updated_at=self._later(live.updated_at),
        )

    def _waiting_for(self, questions: Objects, now: float) -> TaskRecord:
        if self.is_over:
            return self
        return attrs.evolve(
            self, status=_status(questions), questions=questions, updated_at=self._later(now)
        )

    def _later(self, now: float) -> float:
        # The clock of the world may be set back; what a client sees of a task does not go back.
        return max(self.updated_at, now)


Change: TypeAlias = Callable[[TaskRecord], TaskRecord]
"""What a store does to a record in one step; without side effects, in any thread."""


def _status(questions: Objects) -> TaskStatus:
    return "input_required" if questions else "working"


def _without(objects: Objects, keys: set[str] | Objects) -> dict[str, JsonObject]:
    return {key: value for key, value in objects.items() if key not in keys}
