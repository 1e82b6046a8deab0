"""Expectations: what a test says about a document or about events.

    expect_document(rendered).has_status("success").contains_markdown("3 files")
    expect_events(rendered).completes_once().contains_sequence(["shell", "complete"])

Every method returns the expectation again, so they can be chained, and fails with a plain
`AssertionError` that shows what was there, and what it would have proven if a `Rendered` was
given.  No pytest is needed.  The two hold what they were given and change nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Never, Self, final

import attrs

from trio_agent.errors import abridge
from trio_agent.shown import shown
from trio_agent.testing.rendering import FailedRender, Rendered
from trio_agent.vocabulary.event import CompleteEvent, ErrorEvent, ProgressEvent
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import ErrorNode, MarkdownNode, TextNode
from trio_agent.vocabulary.result import ResultNode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trio_agent.testing.proof import Provenance
    from trio_agent.vocabulary.document import AgentDocument, Status
    from trio_agent.vocabulary.event import RenderEvent
    from trio_agent.vocabulary.result import DocumentNode

_SHOWN: Final = 40
"""Nodes or events that a failure shows at most; more hide the first ones in a terminal."""


def expect_document(subject: AgentDocument | Rendered) -> DocumentExpectation:
    """Begin to say what a document is like: this one, or the final one of a render."""
    if isinstance(subject, Rendered):
        return DocumentExpectation(subject.document, subject.provenance)
    return DocumentExpectation(subject)


def expect_events(
    subject: Sequence[RenderEvent] | Rendered | FailedRender,
) -> EventsExpectation:
    """Begin to say what the events of one invocation are like: these, or those of a render."""
    if isinstance(subject, Rendered | FailedRender):
        return EventsExpectation(subject.events, subject.provenance)
    return EventsExpectation(tuple(subject))


@final
@attrs.frozen
class DocumentExpectation:
    """What is expected of `document`, which is from `provenance`.  Made by `expect_document`."""

    document: AgentDocument
    provenance: Provenance | None = None

    __repr__ = shown

    def has_status(self, status: Status) -> Self:
        """The status is this one."""
        if self.document.status != status:
            self._fail(f"the status {status!r}, received {self.document.status!r}")
        return self

    def has_kinds(self, *kinds: str) -> Self:
        """The nodes below the root are of these kinds, in document order, all of them."""
        found = tuple(node.kind for node in _nodes_below(self.document.root))
        if found != kinds:
            self._fail(f"the kinds {_listed(kinds)}, received {_listed(found)}")
        return self

    def contains_markdown(self, text: str) -> Self:
        """One `markdown` node contains this text."""
        if not any(
            isinstance(node, MarkdownNode) and text in node.text
            for node in _nodes_below(self.document.root)
        ):
            self._fail(f"a markdown node with {text!r}")
        return self

    def contains_text(self, text: str) -> Self:
        """One `text` node contains this text."""
        if not any(
            isinstance(node, TextNode) and text in node.text
            for node in _nodes_below(self.document.root)
        ):
            self._fail(f"a text node with {text!r}")
        return self

    def has_value(self, value: object) -> Self:
        """The value is this one: JSON, or an attrs instance, compared as JSON."""
        if self.document.value != Json.of(value, "value"):
            self._fail(f"the value {abridge(value)}")
        return self

    def has_no_value(self) -> Self:
        """There is no value; null would be one."""
        if self.document.value is not None:
            self._fail("no value")
        return self

    def has_error(self, code: str, message: str | None = None) -> Self:
        """One `error` node has this code, and, if given, exactly this message."""
        if not any(
            isinstance(node, ErrorNode) and node.code == code and message in {None, node.message}
            for node in _nodes_below(self.document.root)
        ):
            what = "" if message is None else f" and the message {message!r}"
            self._fail(f"an error node with the code {code!r}{what}")
        return self

    def _fail(self, expected: str) -> Never:
        document = self.document
        value = "no value" if document.value is None else f"value {document.value.text:.200}"
        lines = [f"  {_describe_node(node)}" for node in _nodes_below(document.root)]
        raise AssertionError(
            f"expected {expected}; the document{_level(self.provenance)} is:\n"
            + _shown([f"  status {document.status}, {value}", *lines])
        )


@final
@attrs.frozen
class EventsExpectation:
    """What is expected of `events`, which are from `provenance`.  Made by `expect_events`."""

    events: tuple[RenderEvent, ...]
    provenance: Provenance | None = None

    __repr__ = shown

    def has_monotonic_sequence(self) -> Self:
        """They are numbered 0, 1, 2 ... without gaps."""
        found = [event.sequence for event in self.events]
        if found != list(range(len(found))):
            self._fail(f"the sequences 0 to {len(found) - 1}")
        return self

    def completes_once(self) -> Self:
        """There is one `complete`, and it is the last."""
        found = [isinstance(event, CompleteEvent) for event in self.events]
        if found.count(True) != 1 or not found[-1]:
            self._fail("one complete, as the last event")
        return self

    def has_no_errors(self) -> Self:
        """There is no `error` event."""
        if any(isinstance(event, ErrorEvent) for event in self.events):
            self._fail("no error event")
        return self

    def has_error(self, code: str, message: str | None = None) -> Self:
        """One `error` event has this code, and, if given, exactly this message."""
        if not any(
            isinstance(event, ErrorEvent)
            and event.error.code == code
            and message in {None, event.error.message}
            for event in self.events
        ):
            what = "" if message is None else f" and the message {message!r}"
            self._fail(f"an error event with the code {code!r}{what}")
        return self

    def has_progress(
        self,
        completed: float | None = None,
        *,
        total: float | None = None,
        message: str | None = None,
        source: str | None = None,
    ) -> Self:
        """One `progress` event has these members; those that are None are not compared."""
        wanted = {"completed": completed, "total": total, "message": message, "source": source}
        wanted = {name: value for name, value in wanted.items() if value is not None}
        if not any(
            isinstance(event, ProgressEvent)
            and all(getattr(event, name) == value for name, value in wanted.items())
            for event in self.events
        ):
            self._fail(f"a progress event with {wanted or 'anything'}")
        return self

    def contains_sequence(self, types: Sequence[str]) -> Self:
        """These types come in this order; more `progress` and `replace` between them are fine."""
        left = list(types)
        for event in self.events:
            if left and event.type == left[0]:
                del left[0]
            elif event.type not in _TOLERATED:
                self._fail(f"the types {_listed(types)}, and no {event.type} beside them")
        if left:
            self._fail(f"the types {_listed(types)}; {_listed(left)} did not come")
        return self

    def exact_types(self, types: Sequence[str]) -> Self:
        """These types come in this order, and nothing else."""
        if [event.type for event in self.events] != list(types):
            self._fail(f"exactly the types {_listed(types)}")
        return self

    def _fail(self, expected: str) -> Never:
        lines = [f"  {event.wire_text():.160}" for event in self.events]
        raise AssertionError(
            f"expected {expected}; the events{_level(self.provenance)} are:\n{_shown(lines)}"
        )


_TOLERATED: Final = frozenset({"progress", "replace"})


def _nodes_below(root: DocumentNode) -> Iterator[DocumentNode]:
    """Every node in document order; a root that is a result is left out."""
    stack: list[DocumentNode] = [root]
    while stack:
        node = stack.pop()
        if node is not root or not isinstance(node, ResultNode):
            yield node
        if isinstance(node, ResultNode):
            stack += reversed(node.children)


def _describe_node(node: DocumentNode) -> str:
    return (
        f"result of {len(node.children)}"
        if isinstance(node, ResultNode)
        else (f"{node.kind} {node.wire_text():.160}")
    )


def _level(provenance: Provenance | None) -> str:
    return "" if provenance is None else f" ({provenance})"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _shown(lines: Sequence[str]) -> str:
    more = len(lines) - _SHOWN
    rest = [f"  ... and {more} more"] if more > 0 else []
    return "\n".join([*lines[:_SHOWN], *rest])
