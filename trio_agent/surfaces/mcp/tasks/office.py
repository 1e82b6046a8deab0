"""The requests about tasks, in both eras: the part of the service that has to do with them.

    tools/call      `create`      when the tool may, and the client wants it
    tasks/get       tasks/cancel
    tasks/result    tasks/list    2025-11-25
    tasks/update                  2026-07-28

It knows which tasks work in this process, and asks the store about all others.  There is an office
only where a tool opted in: a server without one has never heard of tasks.

Below: `run`, `store`, `wire`, `ownership`, `upkeep`.  Above: `service`; and the sessions of HTTP,
which say when they end.
"""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING, Final, final

import trio

from trio_agent.surfaces.mcp.containment import log
from trio_agent.surfaces.mcp.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    SERVER_BUSY,
    JsonObject,
    RpcError,
)
from trio_agent.surfaces.mcp.tasks import wire
from trio_agent.surfaces.mcp.tasks.ownership import may_see, owner_of, session_owner
from trio_agent.surfaces.mcp.tasks.quota import TasksFullError
from trio_agent.surfaces.mcp.tasks.record import TaskRecord
from trio_agent.surfaces.mcp.tasks.run import STOPPED, TaskRun, stopped
from trio_agent.surfaces.mcp.tasks.settings import TaskSettings
from trio_agent.surfaces.mcp.tasks.store import TaskStoreError
from trio_agent.surfaces.mcp.tasks.upkeep import Upkeep

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping

    from trio_agent.routes.record import RouteRecord
    from trio_agent.surfaces.mcp.exchange import Client, Exchange
    from trio_agent.surfaces.mcp.tasks.run import Home, Work
    from trio_agent.surfaces.mcp.tasks.store import TaskStore
    from trio_agent.surfaces.mcp.tasks.wire import TaskTerms

    Handler = Callable[[JsonObject, Exchange], Awaitable[JsonObject]]

PAGE_SIZE: Final = 64

_ID_BYTES: Final = 16


def terms_of(record: RouteRecord, params: JsonObject, client: Client) -> TaskTerms | None:
    """On what terms a call runs as a task; None when it is an ordinary call.

    Raises:
        RpcError: the tool and the client do not go together, or the wish is misshapen.
    """
    support = record.task_support or "forbidden"
    if client.is_modern:
        if support == "forbidden":
            return None
        if wire.declares_extension(client):
            return wire.TaskTerms()
        if support == "required":
            raise wire.lacks_extension()
        return None
    has_tasks = client.version_spoken == wire.TASKS_VERSION
    terms = wire.read_terms(params) if has_tasks else None
    if terms is None and support == "required":
        raise RpcError(
            METHOD_NOT_FOUND,
            f"{record.name} runs as a task only: call it with `task`, in {wire.TASKS_VERSION}",
        )
    if terms is not None and support == "forbidden":
        raise RpcError(METHOD_NOT_FOUND, f"{record.name} does not run as a task: call it without")
    return terms


@final
class TaskOffice:
    """The tasks of one server.

    Args:
        server: its name.
        settings: see there.
    """

    def __init__(self, server: str, settings: TaskSettings | None = None) -> None:
        settings = TaskSettings() if settings is None else settings
        self.store: TaskStore = settings.open_store(server, settings.quota)
        self._runs: Final[dict[str, TaskRun]] = {}
        self._upkeep: Final = Upkeep(self)
        self._sessions: Final[dict[str, Callable[[], object]]] = {}
        self._ended_sessions: Final[list[str]] = []
        self._epoch: float | None = None
        self.handlers: Final[Mapping[str, Handler]] = {
            "tasks/get": self._guarded(self._get),
            "tasks/cancel": self._guarded(self._cancel),
            "tasks/result": self._guarded(self._result),
            "tasks/list": self._guarded(self._list),
            "tasks/update": self._guarded(self._update),
        }

    @property
    def home(self) -> Home:
        """See `upkeep.Household.home`."""
        return self

    @property
    def runs(self) -> Collection[TaskRun]:
        """See `upkeep.Household.runs`."""
        return self._runs.values()

    def now(self) -> float:
        """See `run.Home.now`: Trio's clock, which tests can move, in the time of the world."""
        if self._epoch is None:
            self._epoch = time.time() - trio.current_time()
        return self._epoch + trio.current_time()

    def leave(self, run: TaskRun) -> None:
        """See `run.Home.leave`."""
        self._runs.pop(run.record.id, None)
        on_end = None if run.session_id is None else self._sessions.get(run.session_id)
        if on_end is not None:
            on_end()

    async def create(
        self, record: RouteRecord, terms: TaskTerms, work: Work, exchange: Exchange
    ) -> JsonObject:
        """Let a call run as a task; the task, or a question that comes before it.

        Args:
            record: the tool.
            terms: see `terms_of`.
            work: answers the call.
            exchange: the request.

        Raises:
            RpcError: there is no room.
        """
        asks_first = exchange.client.is_modern and record.task_asks == "call"
        task = await self._enter(record, terms, exchange)
        # No await between here and the start: a task in the store is one that works.
        run = self._runs[task.id] = TaskRun(task, work, exchange, self, asks_first=asks_first)
        exchange.start(run)
        if not self._upkeep.is_running:
            exchange.start(self._upkeep)
        if not exchange.client.is_modern:
            return wire.handshake_created(task)
        if asks_first:
            try:
                interim = await run.wait_first()
            finally:
                if not run.is_task:
                    run.cancel("nobody waits for it")
            if interim is not None:
                return interim
        return wire.modern_created(task)

    def begin_session(self, session_id: str, on_end: Callable[[], object]) -> None:
        """A session has begun: call *on_end* whenever something that worked for it has ended."""
        self._sessions[session_id] = on_end

    def works_for(self, session_id: str) -> bool:
        """Whether a task of a session works."""
        return any(run.session_id == session_id for run in self._runs.values())

    def end_session(self, session_id: str, actor_id: str | None) -> None:
        """A session has ended: cancel what works for it; never waits."""
        self._sessions.pop(session_id, None)
        for run in self._runs.values():
            if run.session_id == session_id:
                run.cancel("the session has ended")
        self._ended_sessions.append(session_owner(session_id, actor_id))

    async def _enter(self, record: RouteRecord, terms: TaskTerms, exchange: Exchange) -> TaskRecord:
        now = self.now()
        task = TaskRecord(
            id=secrets.token_hex(_ID_BYTES),
            owner=owner_of(exchange, self.store.worker),
            tool=record.name,
            created_at=now,
            updated_at=now,
            ttl_ms=terms.ttl_ms,
            poll_ms=terms.poll_ms,
        )
        try:
            while self._ended_sessions:
                await self.store.orphan(self._ended_sessions.pop())
            return await self.store.create(task, now)
        except TasksFullError as error:
            quota: JsonObject = {"code": "server-busy"}
            raise RpcError(SERVER_BUSY, f"server-busy: {error}", quota) from error
        except TaskStoreError as error:
            raise _unusable(error) from error

    def _guarded(self, handler: Handler) -> Handler:
        """*handler* for clients that may use it, whatever state the store is in."""

        async def guarded(params: JsonObject, exchange: Exchange) -> JsonObject:
            client = exchange.client
            if client.is_modern:
                if not wire.declares_extension(client):
                    raise wire.lacks_extension()
            elif client.version_spoken != wire.TASKS_VERSION:
                raise RpcError(METHOD_NOT_FOUND, "Method not found")
            try:
                return await handler(params, exchange)
            except TaskStoreError as error:
                raise _unusable(error) from error

        return guarded

    async def _find(self, params: JsonObject, exchange: Exchange) -> TaskRecord:
        id_ = wire.read_id(params)
        run = self._runs.get(id_)
        record = run.record if run is not None else await self.store.find(id_, self.now())
        if record is None or not may_see(record, exchange, self.store.worker):
            raise RpcError(INVALID_PARAMS, "Task not found")
        return record

    async def _get(self, params: JsonObject, exchange: Exchange) -> JsonObject:
        record = await self._find(params, exchange)
        is_modern = exchange.client.is_modern
        return wire.detailed_task(record) if is_modern else wire.handshake_task(record)

    async def _result(self, params: JsonObject, exchange: Exchange) -> JsonObject:
        record = await self._find(params, exchange)
        run = self._runs.get(record.id)
        if run is not None:
            record = await run.serve(exchange)
        while not record.is_over:
            # It works in another process.
            await trio.sleep(record.poll_ms / 1000)
            record = await self._find(params, exchange)
        outcome = record.outcome or stopped()
        if outcome.is_error:
            raise RpcError.from_wire(outcome.value)
        return wire.related(outcome.value, record.id)

    async def _cancel(self, params: JsonObject, exchange: Exchange) -> JsonObject:
        record = await self._find(params, exchange)
        is_modern = exchange.client.is_modern
        if not record.is_over:
            record = await self._stop(record)
        elif not is_modern:
            raise RpcError(INVALID_PARAMS, f"Cannot cancel task: it is {record.status} already")
        return {} if is_modern else wire.handshake_task(record)

    async def _stop(self, record: TaskRecord) -> TaskRecord:
        run, now = self._runs.get(record.id), self.now()
        live = record if run is None else run.record
        stored = await self.store.change(
            record.id,
            lambda one: one.synced(live).ended("cancelled", stopped(), STOPPED, now),
            now,
        )
        # It may have ended, and been forgotten, meanwhile.
        found = live if stored is None else stored
        if run is not None:
            run.adopt(found)
            run.cancel("cancelled by the client")
        return found

    async def _list(self, params: JsonObject, exchange: Exchange) -> JsonObject:
        owner = owner_of(exchange, self.store.worker)
        after = wire.read_cursor(params)
        page = await self.store.page(owner, after, PAGE_SIZE, self.now())
        records = [
            self._runs[one.id].record if one.id in self._runs else one for one in page.records
        ]
        result: JsonObject = {"tasks": [wire.handshake_task(record) for record in records]}
        if page.next is not None:
            result["nextCursor"] = wire.write_cursor(page.next)
        return result

    async def _update(self, params: JsonObject, exchange: Exchange) -> JsonObject:
        responses = wire.read_responses(params)
        record = await self._find(params, exchange)
        run, now = self._runs.get(record.id), self.now()
        if run is not None:
            run.deliver(responses)
        elif not record.is_over:
            await self.store.change(record.id, lambda one: one.answered(responses, now), now)
        return {}


def _unusable(error: TaskStoreError) -> RpcError:
    log.error("the task store cannot be used: %s", error)
    return RpcError(INTERNAL_ERROR, "the task store cannot be used; the log has the details")
