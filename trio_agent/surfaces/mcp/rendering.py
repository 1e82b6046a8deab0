"""How a request becomes an invocation, and an invocation an answer.

    tools/call       ToolProjection       a failure is a result with `isError`
    resources/read   ResourceProjection   a failure is a JSON-RPC error
    prompts/get      PromptProjection     a failure is a JSON-RPC error

One request is one invocation is one document is one answer.  Progress goes out on the way, as
far as the client asked for it and can take it: a report that cannot be sent is dropped, and the
answer is never held up by more than `progress.RESULT_GRACE_S`.

Cancelling the request cancels the invocation; nothing is sent afterwards.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias, final

import trio

from actors import open_supervisor
from trio_agent.context.input_required import InputRequiredError
from trio_agent.context.transport import TransportFacts
from trio_agent.errors import ContractError, InvocationError, TrioAgentError
from trio_agent.surfaces.mcp.hosting import open_channel
from trio_agent.surfaces.mcp.reporting import ProgressWriter
from trio_agent.surfaces.mcp.results.failure import (
    ArgumentsError,
    log_failure,
    new_error_id,
    request_failure,
    tool_failure,
)
from trio_agent.surfaces.mcp.results.masking import BoundaryWatch
from trio_agent.surfaces.mcp.results.progress import progress_token
from trio_agent.surfaces.mcp.results.projection import (
    PromptProjection,
    ResourceProjection,
    ToolProjection,
)
from trio_agent.surfaces.mcp.rounds import Rounds
from trio_agent.surfaces.mcp.rpc import MISSING_CLIENT_CAPABILITY, RpcError
from trio_agent.vocabulary.invocation import Invocation
from trio_agent.vocabulary.json import Json

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping

    from trio_agent.context.roots import Roots
    from trio_agent.invocation import Runtime
    from trio_agent.protocol.projection import Projection
    from trio_agent.routes.application import PluginApplication
    from trio_agent.routes.prompts import PromptRoute
    from trio_agent.routes.record import RouteRecord
    from trio_agent.routes.resources import ResourceRoute
    from trio_agent.routes.settings import Exposure
    from trio_agent.routes.tools import ToolRoute
    from trio_agent.surfaces.mcp.catalog import Catalog, Entry
    from trio_agent.surfaces.mcp.exchange import Exchange
    from trio_agent.surfaces.mcp.hosting import McpChannel
    from trio_agent.surfaces.mcp.results.progress import ProgressReport
    from trio_agent.surfaces.mcp.rpc import JsonObject
    from trio_agent.surfaces.mcp.subscriptions import ChangeHub
    from trio_agent.surfaces.mcp.tasks.run import TaskLink

    McpProjection: TypeAlias = Projection[ProgressReport, JsonObject]
    _Sink: TypeAlias = Callable[[ProgressReport], Awaitable[None]]


@final
class RouteRendering:
    """Renders the routes of one plugin for MCP.

    Args:
        application: the plugin.
        catalog: knows what a client gets of a tool.
        changes: where news about lists and resources go.
        runtime: of the plugin.
        roots: of the plugin, for the axis; None where nobody decided them.
    """

    def __init__(
        self,
        application: PluginApplication,
        catalog: Catalog,
        changes: ChangeHub,
        runtime: Runtime,
        *,
        roots: Roots | None = None,
    ) -> None:
        self._application: Final = application
        self._roots: Final = roots
        self._cwd: Final = working_directory()
        self._catalog: Final = catalog
        self._changes: Final = changes
        self._runtime: Final = runtime

    @cached_property
    def _rounds(self) -> Rounds:
        # Only a modern client's call needs it, and the epoch costs a look at every file.
        return Rounds(self._application.identity.artifact_epoch)

    async def call_tool(
        self,
        entry: Entry[ToolRoute],
        arguments: JsonObject,
        params: JsonObject,
        exchange: Exchange,
        task: TaskLink | None = None,
    ) -> JsonObject:
        """Answer `tools/call` with a `CallToolResult`, or, in the modern era, with questions.

        Args:
            entry: the tool.
            arguments: what it is called with.
            params: of the request.
            exchange: the request.
            task: what the call has to do with the task that it runs as; None for an ordinary one.

        Raises:
            RpcError: the state of another round is not valid, or the client cannot be asked.
        """
        policy = self._catalog.policy(entry.route, exchange.client)
        reports = task is not None or progress_token(exchange.meta) is not None
        projection = ToolProjection(policy, reports=reports)
        try:
            result = await self._render(entry.record, arguments, projection, params, exchange, task)
            if policy.structured:
                _check_promise(entry.route, result)
        except TrioAgentError as error:
            return self.failed_tool(entry.record, error, exchange)
        return result

    def failed_tool(
        self, record: RouteRecord, error: TrioAgentError, exchange: Exchange
    ) -> JsonObject:
        """The result of a tool that failed, or could not be loaded; the log has the rest."""
        error_id = new_error_id()
        log_failure(error, error_id, record.id)
        return tool_failure(error, self._expose(exchange), error_id)

    async def read_resource(
        self,
        entry: Entry[ResourceRoute],
        uri: str,
        variables: Mapping[str, str],
        params: JsonObject,
        exchange: Exchange,
    ) -> JsonObject:
        """Answer `resources/read`, or, in the modern era, with questions.

        Raises:
            RpcError: it failed.
        """
        projection = ResourceProjection(
            uri, entry.route.mime_type, reports=progress_token(exchange.meta) is not None
        )
        try:
            return await self._render(entry.record, variables, projection, params, exchange)
        except TrioAgentError as error:
            raise self.failed_request(entry.record, error, exchange) from error

    async def get_prompt(
        self,
        entry: Entry[PromptRoute],
        arguments: JsonObject,
        params: JsonObject,
        exchange: Exchange,
    ) -> JsonObject:
        """Answer `prompts/get`, or, in the modern era, with questions.

        Raises:
            RpcError: it failed.
        """
        route = entry.route
        projection = PromptProjection(
            route.description,
            has_messages=route.has_messages,
            policy=self._catalog.media_policy(exchange.client),
            reports=progress_token(exchange.meta) is not None,
        )
        try:
            return await self._render(entry.record, arguments, projection, params, exchange)
        except TrioAgentError as error:
            raise self.failed_request(entry.record, error, exchange) from error

    def failed_request(
        self, record: RouteRecord, error: TrioAgentError, exchange: Exchange
    ) -> RpcError:
        """The error of a resource or prompt that failed, or could not be loaded."""
        error_id = new_error_id()
        log_failure(error, error_id, record.id)
        return request_failure(error, self._expose(exchange), error_id)

    async def _render(
        self,
        record: RouteRecord,
        data: Mapping[str, object],
        projection: McpProjection,
        params: JsonObject,
        exchange: Exchange,
        task: TaskLink | None = None,
    ) -> JsonObject:
        props = _props(data)
        client = exchange.client
        answers = self._rounds.answers(params, record.id, props) if client.is_modern else {}
        asks_live = None if task is None else task.asks_live
        channel = open_channel(exchange, self._changes, answers, asks_live)
        invocation = Invocation(
            kind="tool", target=record.id, props=props, operation_id=record.id, surface="mcp"
        )
        watch = BoundaryWatch(projection, self._expose(exchange), record.id)
        try:
            return await self._invoke(invocation, watch, channel, exchange, task)
        except InputRequiredError as error:
            return self._rounds.interim(error, answers, record.id, props)
        except InvocationError as error:
            if client.is_modern and error.code == "unsupported-surface" and channel.refused:
                raise _lacking(channel.refused) from error
            raise

    async def _invoke(
        self,
        invocation: Invocation,
        projection: McpProjection,
        channel: McpChannel,
        exchange: Exchange,
        task: TaskLink | None,
    ) -> JsonObject:
        token = progress_token(exchange.meta)
        axes = self._facts(exchange).to_axes
        sink = _drop if task is None else _noting(task, _drop)
        if token is None:
            return await self._runtime.invoke(invocation, projection, sink, axes=axes, host=channel)
        writer = ProgressWriter(exchange, token)
        sink = writer.offer if task is None else _noting(task, writer.offer)
        ended: JsonObject | TrioAgentError
        async with open_supervisor() as supervisor:
            with writer:
                supervisor.start(writer)
                try:
                    ended = await self._runtime.invoke(
                        invocation, projection, sink, axes=axes, host=channel
                    )
                except TrioAgentError as error:
                    # A failure is an answer as well, and follows progress as closely; and out of
                    # the supervisor it would come in a group.
                    ended = error
                await writer.end()
        await trio.sleep_until(writer.result_not_before)
        if isinstance(ended, TrioAgentError):
            raise ended
        return ended

    def _facts(self, exchange: Exchange) -> TransportFacts:
        return TransportFacts(
            host_name=exchange.client.name,
            session_id=exchange.session_id,
            actor_id=exchange.actor_id,
            may_authenticate=exchange.transport == "http",
            cwd=self._cwd,
            roots=self._roots,
        )

    def _expose(self, exchange: Exchange) -> Exposure:
        return self._application.manifest.exposure(
            "http" if exchange.transport == "http" else "stdio"
        )


def _props(data: Mapping[str, object]) -> Json:
    """What a client sent, as input.

    Raises:
        ArgumentsError: it is no JSON that an invocation may have, such as an integer too large.
    """
    try:
        return Json.of(data, "input")
    except ContractError as error:
        raise ArgumentsError(error.message) from error


def _check_promise(tool: ToolRoute, result: JsonObject) -> None:
    """Hold a success against the listing: official clients refuse it without the value.

    Raises:
        ContractError: there is an `outputSchema`, and no structured content.
    """
    is_success = "content" in result and "isError" not in result
    # Data always has its value, and a schema is not made for a call that does not need it.
    if not is_success or "structuredContent" in result or not tool.answer.is_nodes:
        return
    if tool.output_schema is not None:
        raise ContractError(
            "invalid-document",
            f"{tool.name} declares result=, so clients expect a value of that type: a result that"
            " is no error has to have one, Agent.Result(..., value=...)",
        )


def working_directory() -> str | None:
    """Of this process; None when it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return None


def _lacking(capabilities: Collection[str]) -> RpcError:
    names = sorted(capabilities)
    required: JsonObject = {name: {} for name in names}
    return RpcError(
        MISSING_CLIENT_CAPABILITY,
        f"this needs a client with the capability {', '.join(names)}",
        {"requiredCapabilities": required},
    )


def _noting(task: TaskLink, sink: _Sink) -> _Sink:
    """*sink*, and the task hears of each report before it."""

    async def note(report: ProgressReport) -> None:
        task.note(report)
        await sink(report)

    return note


async def _drop(_: ProgressReport) -> None:
    """Nobody asked for progress."""
