"""Tasks of a server, for tests: created, polled, fetched and cancelled by its one client.

    async with open_mcp_server("curator") as session:
        task = await session.tasks.create("hash_library", {"root": "music"})
        assert (await session.tasks.poll(task))["status"] == "working"
        result = await session.tasks.fetch(task)

What comes is what is on the wire, since the SDK's client knows no tasks.  A test of how long
something is kept has a fake clock: the server's is Trio's.

Below: the SDK's client.  Above: `mcp_session`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

import trio

from trio_agent.surfaces.mcp.tasks.record import FINAL
from trio_agent.surfaces.mcp.tasks.wire import EXTENSION
from trio_agent.testing.proof import Provenance, proving

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp import Client


@final
class McpTasks:
    """The tasks of one client; made by `McpSession`.

    Args:
        client: the SDK's.
        provenance: what it proves.
    """

    def __init__(self, client: Client, provenance: Provenance) -> None:
        self._client: Final = client
        self._provenance: Final = provenance
        self._is_modern: Final = client.protocol_version == "2026-07-28"

    async def create(
        self,
        name: str,
        arguments: Mapping[str, object] | None = None,
        *,
        ttl_ms: int | None = None,
    ) -> str:
        """Call a tool as a task; the id of the task.

        Args:
            name: of the tool.
            arguments: of the call.
            ttl_ms: how long it is to be kept; with 2026-07-28 the server says so itself.

        Raises:
            MCPError: the server answered with an error.
            ValueError: it answered with something else than a task.
        """
        params: dict[str, object] = {"name": name, "arguments": dict(arguments or {})}
        if not self._is_modern:
            params["task"] = {} if ttl_ms is None else {"ttl": ttl_ms}
        answer = await self._send("tools/call", params)
        task = answer if self._is_modern else answer.get("task")
        if not isinstance(task, dict) or "taskId" not in task:
            raise ValueError(f"{name} did not become a task, the answer is {answer!r:.200}")
        return str(cast("Mapping[str, object]", task)["taskId"])

    async def poll(self, task_id: str) -> Mapping[str, object]:
        """`tasks/get`: what the task is now.

        Raises:
            MCPError: there is no such task.
        """
        return await self._send("tasks/get", {"taskId": task_id})

    async def fetch(self, task_id: str) -> Mapping[str, object]:
        """Wait until the task is over; the result of the call, or with 2026-07-28 the whole task.

        Raises:
            MCPError: there is no such task; before 2026-07-28 also what its call failed with.
        """
        if not self._is_modern:
            return await self._send("tasks/result", {"taskId": task_id})
        while True:
            task = await self.poll(task_id)
            if task["status"] in FINAL:
                return task
            await trio.sleep(cast("int", task["pollIntervalMs"]) / 1000)

    async def cancel(self, task_id: str) -> Mapping[str, object]:
        """`tasks/cancel`: the task, which is cancelled; with 2026-07-28 nothing but an answer.

        Raises:
            MCPError: there is no such task, or it is over.
        """
        return await self._send("tasks/cancel", {"taskId": task_id})

    async def _send(self, method: str, params: dict[str, object]) -> Mapping[str, object]:
        # The SDK would read the answers as something else, so this goes below its types.
        # mcp 2.3 has no other way down there.
        session = self._client.session
        dispatcher = session._dispatcher  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        with proving(self._provenance):
            return await dispatcher.send_raw_request(method, self._stamped(params))

    def _stamped(self, params: dict[str, object]) -> dict[str, object]:
        if not self._is_modern:
            return params
        capabilities: dict[str, object] = {"elicitation": {}, "extensions": {EXTENSION: {}}}
        envelope = {
            "io.modelcontextprotocol/protocolVersion": self._client.protocol_version,
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }
        return {**params, "_meta": envelope}
