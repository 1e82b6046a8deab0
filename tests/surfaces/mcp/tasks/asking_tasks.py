"""Clients of the plugin `mill`, without a transport: one handshake, one modern."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

import attrs

from actors import Supervisor, open_supervisor
from tests.surfaces.mcp.asking import PLUGINS, Asker
from trio_agent.routes.application import open_application
from trio_agent.routes.importing import unload
from trio_agent.surfaces.mcp.exchange import Client, Exchange
from trio_agent.surfaces.mcp.rpc import JsonObject
from trio_agent.surfaces.mcp.service import McpService
from trio_agent.surfaces.mcp.tasks.settings import TaskSettings
from trio_agent.surfaces.mcp.tasks.wire import EXTENSION

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

CAPABILITIES: JsonObject = {"elicitation": {}}
HANDSHAKE = Client(version_spoken="2025-11-25", name="host", capabilities=CAPABILITIES)
MODERN = Client(
    version_spoken="2026-07-28",
    name="host",
    capabilities={**CAPABILITIES, "extensions": {EXTENSION: {}}},
)


class Ear:
    """A connection that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []

    def tell(self, method: str, params: JsonObject) -> None:
        self.told.append((method, params))

    @property
    def statuses(self) -> list[str]:
        """Of the notifications about tasks."""
        return [
            one["status"] for method, one in self.told if method == "notifications/tasks/status"
        ]


@attrs.define(eq=False)
class Mill:
    """A service, and one client of it."""

    service: McpService
    asker: Asker

    async def ask(self, method: str, **params: object) -> Any:
        return await self.service.handle(method, params, cast("Exchange", self.asker))

    async def call(self, name: str, task: JsonObject | None = None, **arguments: object) -> Any:
        params: JsonObject = {"name": name, "arguments": arguments}
        return await self.ask("tools/call", **params, **({} if task is None else {"task": task}))

    async def begin(self, name: str, task: JsonObject | None = None, **arguments: object) -> str:
        """Create a task; its id."""
        created = await self.call(name, {} if task is None else task, **arguments)
        return str(created.get("task", created)["taskId"])

    async def get(self, id_: str) -> Any:
        return await self.ask("tasks/get", taskId=id_)

    async def result(self, id_: str) -> Any:
        return await self.ask("tasks/result", taskId=id_)

    async def cancel(self, id_: str) -> Any:
        return await self.ask("tasks/cancel", taskId=id_)

    def seen_by(self, **changes: Any) -> Mill:
        """The same service, and another client."""
        return Mill(self.service, attrs.evolve(self.asker, sent=[], **changes))

    @property
    def supervisor(self) -> Supervisor:
        assert self.asker.supervisor is not None
        return self.asker.supervisor


def open_mill(settings: TaskSettings | None = None) -> Iterator[McpService]:
    """The service: `yield from` it in a fixture."""
    application = open_application(PLUGINS / "mill")
    yield McpService(application, application.graph.find_server(None), tasks=settings)
    unload(application.plugin)


@asynccontextmanager
async def milling(service: McpService, **asker: Any) -> AsyncGenerator[Mill, None]:
    """A client for a block; what works then is cancelled at the end."""
    async with open_supervisor() as supervisor:
        options: dict[str, Any] = {"client": HANDSHAKE, "audience": Ear(), **asker}
        yield Mill(service, Asker(supervisor=supervisor, **options))
        supervisor.stop()
