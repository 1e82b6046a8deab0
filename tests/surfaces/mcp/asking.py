"""A client of the service without a transport: it asks, and keeps what it is sent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, final

import attrs

from trio_agent.routes.application import open_application
from trio_agent.routes.importing import unload
from trio_agent.surfaces.mcp.exchange import Client
from trio_agent.surfaces.mcp.rpc import RpcError
from trio_agent.surfaces.mcp.service import McpService

if TYPE_CHECKING:
    from collections.abc import Iterator

    from actors import Actor, Supervisor
    from trio_agent.surfaces.mcp.exchange import Audience, Transport
    from trio_agent.surfaces.mcp.rpc import JsonObject, RequestId

PLUGINS = Path(__file__).parent / "plugins"


def open_service(name: str) -> Iterator[McpService]:
    """A plugin of this folder, unloaded at the end: `yield from` it in a fixture."""
    application = open_application(PLUGINS / name)
    yield McpService(application, application.graph.find_server(None))
    unload(application.plugin)


@final
@attrs.define(kw_only=True, eq=False)
class Asker:
    """One request of one client."""

    client: Client = attrs.field(factory=lambda: Client(version_spoken="2025-11-25", name="host"))
    meta: JsonObject = attrs.field(factory=dict["str", "object"])
    transport: Transport = "stdio"
    id: RequestId = 1
    session_id: str | None = None
    actor_id: str | None = None
    audience: Audience | None = None
    log_level: str | None = "debug"
    supervisor: Supervisor | None = None
    sent: list[tuple[str, JsonObject]] = attrs.field(factory=list["tuple[str, JsonObject]"])
    queues: dict[str, list[JsonObject | RpcError]] = attrs.field(
        factory=dict["str", "list[JsonObject | RpcError]"]
    )

    async def notify(self, method: str, params: JsonObject) -> None:
        """Keep it."""
        self.sent.append((method, params))

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        """Answer with what was prepared."""
        self.sent.append((method, params))
        answer = self.queues[method].pop(0)
        if isinstance(answer, RpcError):
            raise answer
        return answer

    def start(self, actor: Actor) -> None:
        """Let it live where the test says."""
        assert self.supervisor is not None
        self.supervisor.start(actor)

    def set_log_level(self, level: str) -> None:
        """Remember it."""
        self.log_level = level

    async def end_stream(self) -> None:
        """Keep that it was asked for."""
        self.sent.append(("end of stream", {}))
