"""One task while it works: an actor, a temporary child of the server's supervisor.

Its crash is its result.  `record` is what it is this moment; the store is told when it begins, when
it ends, and now and then between the two by `upkeep`.  Whatever happens, the store is told of the
end: cleanups have a moment for that which nobody can cancel.

A question that the task asks waits until somebody comes to ask about the task: in the handshake era
it goes out inside `tasks/result`, in the modern one the client reads it in `tasks/get` and answers
with `tasks/update`.

In the modern era a tool may want to ask before there is a task (`task_asks="call"`).  Then the
request waits for a moment: if the first thing that happens is a question, that is its answer.

Below: `record`, `store`, `detached`.  Above: `office`.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast, final

import trio

from actors import Reply
from trio_agent.surfaces.mcp.containment import PASSING, log, to_rpc_error, without_pressing
from trio_agent.surfaces.mcp.rpc import CONNECTION_CLOSED, INTERNAL_ERROR, JsonObject, RpcError
from trio_agent.surfaces.mcp.tasks.detached import DetachedExchange
from trio_agent.surfaces.mcp.tasks.record import TaskOutcome
from trio_agent.surfaces.mcp.tasks.store import TaskStoreError
from trio_agent.surfaces.mcp.tasks.wire import DEFAULT_TTL_MS, handshake_task, related

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from trio_agent.surfaces.mcp.exchange import Exchange
    from trio_agent.surfaces.mcp.results.progress import ProgressReport
    from trio_agent.surfaces.mcp.tasks.record import Objects, TaskRecord
    from trio_agent.surfaces.mcp.tasks.store import TaskStore

Work: TypeAlias = "Callable[[Exchange, TaskLink], Awaitable[JsonObject]]"
"""Answers the call, as if there were no task."""

RECORD_S: Final = 0.2
"""For the store to be told of the end; a server that ends has 0.3 s for all its cleanups."""

FIRST_S: Final = 0.5
"""How long a request waits for a question that comes before the task."""

LONGEST_MESSAGE: Final = 2000
"""Characters of what a failed task says in its status; the result has all of it."""

STOPPED: Final = "The task was cancelled"
"""What a cancelled task says, and the text of its result."""


class TaskLink(Protocol):
    """What a call that runs as a task has to do with it."""

    def note(self, report: ProgressReport) -> None:
        """Take a report, whether or not the client asked for any; never waits."""
        ...

    def asks_live(self) -> bool:
        """Whether a question is put while the call runs; otherwise it ends the call.

        To be asked when there is a question.
        """
        ...


class Home(Protocol):
    """What a task needs of the server that it works for."""

    @property
    def store(self) -> TaskStore:
        """Where tasks are kept."""
        ...

    def now(self) -> float:
        """Seconds since 1970."""
        ...

    def leave(self, run: TaskRun) -> None:
        """Take notice that *run* has ended."""
        ...


@final
class TaskRun:
    """One task while it works.

    Args:
        record: as the store has it.
        work: answers the call.
        exchange: the request that asked for it.
        home: see there.
        asks_first: whether a question may come before the task.

    Attributes:
        record: what the task is now.
        interim: what the request is answered with instead of a task.
        is_dirty: whether the store has not been told of everything.
    """

    def __init__(
        self,
        record: TaskRecord,
        work: Work,
        exchange: Exchange,
        home: Home,
        *,
        asks_first: bool = False,
    ) -> None:
        self.record: TaskRecord = record
        self.interim: JsonObject | None = None
        self.is_dirty: bool = False
        self._work: Final = work
        self._exchange: Final = DetachedExchange(exchange, record.id, self._ask)
        self._home: Final = home
        self._scope: Final = trio.CancelScope()
        self._is_task = not asks_first
        self._first: Final = Reply[None]()
        self._has_asked_first = False
        self._keys: Final = itertools.count(1)
        self._waiting: Final[dict[str, Reply[JsonObject | RpcError]]] = {}
        self._passing_on: Final[dict[str, trio.CancelScope]] = {}
        self._bell = trio.Event()

    @property
    def is_task(self) -> bool:
        """Whether it is one already; see `wait_first`."""
        return self._is_task

    @property
    def session_id(self) -> str | None:
        """The session that it was asked for in."""
        return self._exchange.session_id

    async def run(self) -> None:
        """Work, and tell the store how it ended."""
        outcome: TaskOutcome | None = None
        try:
            with self._scope:
                # What is started while everything ends must not run up to its first wait.
                await trio.lowlevel.checkpoint_if_cancelled()  # noqa: TID251  # costs no turn of the loop
                outcome = await self._come_to_something()
        finally:
            with trio.move_on_after(RECORD_S, shield=True):
                await self._settle(outcome)
            self._home.leave(self)

    def note(self, report: ProgressReport) -> None:
        """See `TaskLink.note`."""
        progress: JsonObject = {"progress": report.progress}
        if report.total is not None:
            progress["total"] = report.total
        if report.message is not None:
            progress["message"] = report.message
        self.adopt(self.record.reported(progress, report.message, self._home.now()))

    def asks_live(self) -> bool:
        """See `TaskLink.asks_live`."""
        if not self._is_task:
            self._has_asked_first = True
        return self._is_task

    async def wait_first(self) -> JsonObject | None:
        """Wait for a question that comes before the task; what the request is answered with then.

        None when there is a task from now on.
        """
        with trio.move_on_after(FIRST_S):
            await self._first.take()
        if self._has_asked_first:
            await self._first.take()
        if self.interim is None:
            self._is_task = True
        return self.interim

    def cancel(self, reason: str) -> None:
        """Stop it; never waits."""
        self._scope.cancel(reason)

    def adopt(self, record: TaskRecord) -> None:
        """Be what *record* says, and tell whoever waits for that."""
        before, self.record = self.record, record
        self.is_dirty |= record is not before
        if record.status != before.status:
            audience = self._exchange.audience
            if audience is not None:
                audience.tell("notifications/tasks/status", handshake_task(record))
        for key, scope in self._passing_on.items():
            if key not in record.questions:
                scope.cancel("nobody needs the answer any more")
        self._ring()

    def deliver(self, answers: Objects) -> None:
        """Give the task answers to its questions; others are passed over."""
        self.adopt(self.record.answered(answers, self._home.now()))
        for key, answer in answers.items():
            self._give(key, answer)

    async def serve(self, exchange: Exchange) -> TaskRecord:
        """Wait until the task is over, and ask the client of *exchange* what the task asks.

        Raises:
            RpcError: the client is gone.
        """
        while not self.record.is_over:
            keys = self.record.questions.keys() & self._waiting.keys() - self._passing_on.keys()
            if keys and not exchange.client.is_modern:
                await self._pass_on(min(keys), exchange)
            else:
                await self._bell.wait()
        return self.record

    async def _come_to_something(self) -> TaskOutcome:
        method, id_ = "tools/call", self.record.id
        try:
            return TaskOutcome(await self._work(self._exchange, self))
        except PASSING:
            raise
        except BaseExceptionGroup as group:
            failure: BaseException = without_pressing(group, method, id_)
        except BaseException as error:  # noqa: ASYNC103, BLE001  # one task never ends a server
            failure = error
        return TaskOutcome(to_rpc_error(failure, method, id_).to_wire(), is_error=True)

    async def _settle(self, outcome: TaskOutcome | None) -> None:
        """Tell the store how it ended; None is a cancellation."""
        store, now = self._home.store, self._home.now()
        if outcome is not None and outcome.value.get("resultType") == "input_required":
            self.interim = outcome.value
        try:
            if self.interim is not None or (outcome is None and not self._is_task):
                await store.discard(self.record.id)
            else:
                await self._record_end(outcome, now)
        except TaskStoreError as error:
            log.error("the end of task %s could not be recorded: %s", self.record.id, error)
        finally:
            self.adopt(ended(self.record, outcome, now))
            self._first.give(None)

    async def _record_end(self, outcome: TaskOutcome | None, now: float) -> None:
        live = self.record
        record = await self._home.store.change(
            live.id, lambda stored: ended(stored.synced(live), outcome, now), now
        )
        if record is not None:
            self.adopt(record)

    async def _ask(self, method: str, params: JsonObject) -> JsonObject:
        key = f"question-{next(self._keys)}"
        reply = self._waiting[key] = Reply[JsonObject | RpcError]()
        question: JsonObject = {"method": method, "params": params}
        self.adopt(self.record.asked(key, question, self._home.now()))
        patience_ms = max(self.record.ttl_ms, DEFAULT_TTL_MS)
        answer: JsonObject | RpcError = RpcError(
            INTERNAL_ERROR, f"nobody answered within {patience_ms / 1000:g} seconds"
        )
        try:
            with trio.move_on_after(patience_ms / 1000):
                answer = await reply.take()
        finally:
            del self._waiting[key]
            self.adopt(self.record.withdrawn(key, self._home.now()))
        if isinstance(answer, RpcError):
            raise answer
        return answer

    async def _pass_on(self, key: str, exchange: Exchange) -> None:
        question = self.record.questions[key]
        params = related(cast("JsonObject", question["params"]), self.record.id)
        answer: JsonObject | RpcError | None = None
        with trio.CancelScope() as scope:
            self._passing_on[key] = scope
            try:
                answer = await exchange.request(str(question["method"]), params)
            except RpcError as error:
                if error.code == CONNECTION_CLOSED:
                    # Whoever asks next may have the answer.
                    raise
                answer = error
            finally:
                del self._passing_on[key]
                self._ring()
        if isinstance(answer, RpcError):
            self._give(key, answer)
            self.adopt(self.record.withdrawn(key, self._home.now()))
        elif answer is not None:
            self.deliver({key: answer})

    def _give(self, key: str, answer: JsonObject | RpcError) -> None:
        reply = self._waiting.get(key)
        if reply is not None and not reply.is_given:
            reply.give(answer)

    def _ring(self) -> None:
        self._bell.set()
        self._bell = trio.Event()


def ended(record: TaskRecord, outcome: TaskOutcome | None, now: float) -> TaskRecord:
    """*record* when its call has been answered; None is a cancellation."""
    if outcome is None:
        return record.ended("cancelled", stopped(), STOPPED, now)
    return record.ended(outcome.status, outcome, _error_text(outcome), now)


def stopped() -> TaskOutcome:
    """What a task came to that was cancelled: a tool error."""
    return TaskOutcome({"content": [{"type": "text", "text": STOPPED}], "isError": True})


def _error_text(outcome: TaskOutcome) -> str | None:
    """What went wrong, in the words that the client gets; None when nothing did."""
    if outcome.is_error:
        return str(outcome.value["message"])
    if outcome.status != "failed":
        return None
    blocks = cast("list[JsonObject]", outcome.value.get("content") or [])
    texts = [str(block["text"]) for block in blocks if "text" in block]
    text = "\n".join(texts)
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"
