"""A finished document as the result of an MCP request, and what is sent before it.

    tools/call        {"content": [...], "structuredContent"?, "isError"?, "_meta"?}
    resources/read    {"contents": [...], "_meta"?}
    prompts/get       {"messages": [...], "description"?, "_meta"?}

Only `complete` makes the result; every event before it makes progress and nothing else, since
MCP has no partial results.  `_meta` is the metadata of the root result, which has to be an object;
metadata of nested results is not told.

Projections, as `protocol.projection` means them: they decide and do no I/O.  A result is plain
dicts, because that is what both transports take; a JSON leaf goes out as the text it already has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never, cast, final

from trio_agent.errors import ContractError, StreamError, abridge
from trio_agent.surfaces.mcp.content import ProjectionError, blocks_of
from trio_agent.surfaces.mcp.fallbacks import FallbackSearch
from trio_agent.surfaces.mcp.progress import ProgressReport, ProgressRule
from trio_agent.vocabulary.event import CompleteEvent, ProgressEvent, ReplaceEvent, ShellEvent
from trio_agent.vocabulary.result import ResultNode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.surfaces.mcp.policy import ToolPolicy
    from trio_agent.surfaces.mcp.rpc import JsonObject
    from trio_agent.vocabulary.document import AgentDocument
    from trio_agent.vocabulary.event import RenderEvent
    from trio_agent.vocabulary.json import Json


def tool_result(document: AgentDocument, policy: ToolPolicy) -> JsonObject:
    """A document as the result of `tools/call`.

    Raises:
        ProjectionError: `unsupported-rich-content` or `invalid-result-metadata`.
        ContractError: `invalid-document`, the value is no object and the tool rejects that.
    """
    result: JsonObject = {"content": blocks_of(document.root, policy)}
    if document.value is not None:
        structured = _structured(document.value, policy)
        if structured is not None:
            result["structuredContent"] = structured
    if document.status != "success":
        result["isError"] = True
    return _with_meta(result, document)


def _structured(value: Json, policy: ToolPolicy) -> JsonObject | None:
    """The value as `structuredContent`, where it becomes that."""
    if value.text.startswith("{"):
        return cast("JsonObject", value.value) if policy.structured else None
    match policy.scalar:
        case "text":
            return None
        case "wrap":
            return {"result": value.value} if policy.structured else None
        case "reject":
            raise ContractError(
                "invalid-document",
                f"the value of a tool with scalar='reject' is an object, received"
                f" {abridge(value.value)}",
            )
        case _:
            assert_never(policy.scalar)


def _with_meta(result: JsonObject, document: AgentDocument) -> JsonObject:
    root = document.root
    metadata = root.metadata if isinstance(root, ResultNode) else None
    if metadata is None:
        return result
    if not metadata.text.startswith("{"):
        raise ProjectionError(
            "invalid-result-metadata",
            f"the metadata of the root result is an object, received {abridge(metadata.value)}",
        )
    result["_meta"] = metadata.value
    return result


@final
class ToolProjection:
    """The projection of `tools/call`.

    Args:
        policy: what this client gets.
        reports: whether somebody wants progress; if not, `feed` never returns any.
    """

    __slots__ = ("_fallbacks", "_policy", "_result", "_rule")

    def __init__(self, policy: ToolPolicy, *, reports: bool) -> None:
        self._policy: Final = policy
        self._rule: Final = ProgressRule() if reports else None
        self._fallbacks: Final = FallbackSearch()
        self._result: JsonObject | None = None

    def feed(self, event: RenderEvent) -> Sequence[ProgressReport]:
        """Take the next event; the notifications it makes, each with a higher number.

        Raises:
            ProjectionError: see `tool_result`.
            ContractError: see `tool_result`.
        """
        if isinstance(event, CompleteEvent):
            self._result = tool_result(event.document, self._policy)
            return ()
        return () if self._rule is None else _progress(event, self._rule, self._fallbacks)

    def finish(self) -> JsonObject:
        """The result.

        Raises:
            StreamError: `stream-incomplete`, there was no `complete`.
        """
        if self._result is None:
            raise StreamError("stream-incomplete", "the events ended without `complete`")
        return self._result


def _progress(
    event: RenderEvent, rule: ProgressRule, fallbacks: FallbackSearch
) -> list[ProgressReport]:
    if isinstance(event, ProgressEvent):
        reports = [rule.report(event)]
    elif isinstance(event, (ShellEvent, ReplaceEvent)):
        reports = [rule.show(node) for node in fallbacks.fresh(event.document.root)]
    else:
        reports = []
    return [report for report in reports if report is not None]
