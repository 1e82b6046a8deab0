"""The events of an invocation as what an MCP request sends: progress, and one result.

Only `complete` makes the result; every event before it makes progress and nothing else, since MCP
has no partial results.  What a document becomes is `documents`'s; which report is worth a
notification is `progress`'s, and when it is written, `reporting`'s.

Projections, as `protocol.projection` means them: they decide and do no I/O.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, final

from trio_agent.errors import StreamError
from trio_agent.surfaces.mcp.results.documents import prompt_result, resource_result, tool_result
from trio_agent.surfaces.mcp.results.fallbacks import FallbackSearch
from trio_agent.surfaces.mcp.results.policy import NATIVE
from trio_agent.surfaces.mcp.results.progress import ProgressReport, ProgressRule
from trio_agent.vocabulary.event import CompleteEvent, ProgressEvent, ReplaceEvent, ShellEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trio_agent.surfaces.mcp.results.policy import ToolPolicy
    from trio_agent.surfaces.mcp.rpc import JsonObject
    from trio_agent.vocabulary.document import AgentDocument
    from trio_agent.vocabulary.event import RenderEvent


@final
class _Feed:
    """What the three projections share: progress until `complete`, and the result after it."""

    __slots__ = ("_fallbacks", "_finish", "_result", "_rule")

    def __init__(self, finish: Callable[[AgentDocument], JsonObject], *, reports: bool) -> None:
        self._finish: Final = finish
        self._rule: Final = ProgressRule() if reports else None
        self._fallbacks: Final = FallbackSearch()
        self._result: JsonObject | None = None

    def feed(self, event: RenderEvent) -> Sequence[ProgressReport]:
        if isinstance(event, CompleteEvent):
            self._result = self._finish(event.document)
            return ()
        return () if self._rule is None else _progress(event, self._rule, self._fallbacks)

    def finish(self) -> JsonObject:
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


@final
class ToolProjection:
    """The projection of `tools/call`.

    Args:
        policy: what this client gets.
        reports: whether somebody wants progress; if not, `feed` never returns any.
    """

    __slots__ = ("_feed",)

    def __init__(self, policy: ToolPolicy, *, reports: bool) -> None:
        self._feed: Final = _Feed(partial(tool_result, policy=policy), reports=reports)

    def feed(self, event: RenderEvent) -> Sequence[ProgressReport]:
        """Take the next event; the notifications it makes, each with a higher number.

        Raises:
            ProjectionError: see `tool_result`.
            ContractError: see `tool_result`.
        """
        return self._feed.feed(event)

    def finish(self) -> JsonObject:
        """The result.

        Raises:
            StreamError: `stream-incomplete`, there was no `complete`.
        """
        return self._feed.finish()


@final
class ResourceProjection:
    """The projection of `resources/read`.

    Args:
        uri: that was asked for.
        mime_type: that the resource declares.
        reports: whether somebody wants progress.
    """

    __slots__ = ("_feed",)

    def __init__(self, uri: str, mime_type: str | None = None, *, reports: bool = False) -> None:
        finish = partial(resource_result, uri=uri, mime_type=mime_type)
        self._feed: Final = _Feed(finish, reports=reports)

    def feed(self, event: RenderEvent) -> Sequence[ProgressReport]:
        """Take the next event; the notifications it makes, each with a higher number.

        Raises:
            ProjectionError: see `resource_result`.
        """
        return self._feed.feed(event)

    def finish(self) -> JsonObject:
        """The result.

        Raises:
            StreamError: `stream-incomplete`, there was no `complete`.
        """
        return self._feed.finish()


@final
class PromptProjection:
    """The projection of `prompts/get`.

    Args:
        description: of the prompt.
        has_messages: see `prompt_result`.
        policy: what this client gets.
        reports: whether somebody wants progress.
    """

    __slots__ = ("_feed",)

    def __init__(
        self,
        description: str | None,
        *,
        has_messages: bool,
        policy: ToolPolicy = NATIVE,
        reports: bool = False,
    ) -> None:
        finish = partial(
            prompt_result, description=description, policy=policy, has_messages=has_messages
        )
        self._feed: Final = _Feed(finish, reports=reports)

    def feed(self, event: RenderEvent) -> Sequence[ProgressReport]:
        """Take the next event; the notifications it makes, each with a higher number.

        Raises:
            ProjectionError: see `prompt_result`.
            ContractError: see `prompt_result`.
        """
        return self._feed.feed(event)

    def finish(self) -> JsonObject:
        """The result.

        Raises:
            StreamError: `stream-incomplete`, there was no `complete`.
        """
        return self._feed.finish()
