"""What was thrown inside of boundaries: logged, and hidden from clients where messages are hidden.

A boundary that fails is an error node in the document, with the text of the exception.  That text
was written for whoever runs the server, as that of an exception that fails the whole call is
(`failure`), so the same switch decides who sees it.

    thrown inside of a boundary     message shown           message hidden
    an AgentError                   `[code] message`        `[code] message`
    any other exception             `[boundary] message`    `[boundary]` and the id

The log has the id and the text in every case.  What an author returns as `Agent.Error` was not
thrown and stays as it is.

Above: `rendering`.  Below: any projection of this surface, which it stands before.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, Generic, TypeVar, final, get_args

import attrs

from trio_agent.errors import ERROR_CODES, RequestErrorCode
from trio_agent.surfaces.mcp.results.failure import hidden_text, new_error_id
from trio_agent.vocabulary.event import CompleteEvent, ErrorEvent
from trio_agent.vocabulary.leaf import ErrorNode
from trio_agent.vocabulary.result import ResultNode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.protocol.projection import Projection
    from trio_agent.routes.settings import Exposure
    from trio_agent.vocabulary.document import AgentDocument
    from trio_agent.vocabulary.event import RenderEvent
    from trio_agent.vocabulary.result import DocumentNode

OutputT = TypeVar("OutputT")
ResultT = TypeVar("ResultT")

_OURS: Final = ERROR_CODES | {*get_args(RequestErrorCode), "invalid-plugin", "process-failed"}
"""Codes that no author chose: those of an `AgentError` are for the reader."""

_log: Final = logging.getLogger("trio_agent.mcp")


@final
class BoundaryWatch(Generic[OutputT, ResultT]):
    """A projection that hears of failed boundaries first.

    Args:
        projection: gets the events, the last one with what may be shown.
        expose: `message` or `code`.
        place: of the route, for the log.
    """

    __slots__ = ("_expose", "_hidden", "_place", "_projection")

    def __init__(
        self, projection: Projection[OutputT, ResultT], expose: Exposure, place: str
    ) -> None:
        self._projection: Final = projection
        self._expose: Final = expose
        self._place: Final = place
        self._hidden: Final[dict[ErrorNode, ErrorNode]] = {}

    def feed(self, event: RenderEvent) -> Sequence[OutputT]:
        """See `Projection`; raises what the other one raises."""
        if isinstance(event, ErrorEvent):
            self._note(ErrorNode(event.error.code, event.error.message), event.boundary_id)
        elif isinstance(event, CompleteEvent) and self._hidden:
            event = attrs.evolve(event, document=self._mask(event.document))
        return self._projection.feed(event)

    def finish(self) -> ResultT:
        """See `Projection`; raises what the other one raises."""
        return self._projection.finish()

    def _note(self, node: ErrorNode, boundary_id: str | None) -> None:
        error_id = new_error_id()
        _log.error(
            "%s failed in part at %s (error %s): [%s] %s",
            self._place,
            boundary_id,
            error_id,
            node.code,
            node.message,
        )
        if self._expose == "code" and node.code in _OURS:
            self._hidden.setdefault(node, ErrorNode(node.code, hidden_text(error_id)))

    def _mask(self, document: AgentDocument) -> AgentDocument:
        return attrs.evolve(document, root=self._masked(document.root))

    def _masked(self, node: DocumentNode) -> DocumentNode:
        if isinstance(node, ErrorNode):
            return self._hidden.get(node, node)
        if not isinstance(node, ResultNode) or not node.errors:
            return node
        return ResultNode.of(map(self._masked, node.children), node.metadata)
