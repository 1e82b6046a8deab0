"""Rendering in a test: one tree, or one route, through the real pipeline: level `route-unit`.

    rendered = await render(Summary(found), axes=Axes(host=...))
    expect_document(rendered.document).has_status("success")

Nothing here reads a clock, an environment or a terminal: what a component can see is what the
test gave, and the rest is `not-provided`.  Under a fake clock a render takes no real time.  Each
call has a runtime of its own, so renders never meet.

No surface takes part: success here says nothing about what a host or a terminal shows.  Needs no
pytest.  Below: `trio_agent.invocation`.  Beside it: `expectations`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Final,
    Protocol,
    TypeAlias,
    TypeVar,
    cast,
    final,
    runtime_checkable,
)

import attrs

from trio_agent.errors import InvocationError
from trio_agent.invocation import Runtime
from trio_agent.limits import LimitOverrides
from trio_agent.shown import shown
from trio_agent.testing.plugin_route import PluginRoute
from trio_agent.testing.proof import ROUTE_UNIT, Provenance, note_proof, proving
from trio_agent.testing.tree import TEST_IDENTITY, SingleTree
from trio_agent.vocabulary.event import CompleteEvent, ProgressEvent
from trio_agent.vocabulary.invocation import Invocation
from trio_agent.vocabulary.json import Json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trio_agent.context.host import HostChannel
    from trio_agent.context.observed import Axes
    from trio_agent.pipeline.program import Application
    from trio_agent.vocabulary.document import AgentDocument
    from trio_agent.vocabulary.element import Element, Node
    from trio_agent.vocabulary.event import RenderEvent
    from trio_agent.vocabulary.identity import Identity
    from trio_agent.vocabulary.result import ResultNode

InputT = TypeVar("InputT")
InputT_contra = TypeVar("InputT_contra", contravariant=True)

_NO_INPUT: Final[Mapping[str, object]] = MappingProxyType({})

Subject: TypeAlias = "Node | SingleTree | PluginRoute"
"""What a test renders: a node, such as the call of a component, a tree with more to say, or a
route of a plugin."""


class Route(Protocol[InputT_contra]):
    """What `render_route` renders: a decorated function.

    `check_value`, `limits` and `structure` are used when the route has them.
    """

    def element(self, input_value: InputT_contra, /) -> Element:
        """The element that runs the handler with this input."""
        ...


@runtime_checkable
class _Structuring(Protocol):
    def structure(self, data: object) -> object: ...


@final
@attrs.frozen(kw_only=True)
class Rendered:
    """What a render came to.

    Attributes:
        events: all of them, `complete` last.
        invocation: that was run.
        provenance: what it proves.
    """

    events: tuple[RenderEvent, ...]
    invocation: Invocation
    provenance: Provenance = ROUTE_UNIT

    __repr__ = shown

    @property
    def document(self) -> AgentDocument:
        """The final document."""
        return cast("CompleteEvent", self.events[-1]).document

    @property
    def root(self) -> ResultNode:
        """The root of the final document: of what was rendered it is always a result."""
        return cast("ResultNode", self.document.root)

    @property
    def value(self) -> object:
        """The document's value as plain Python; None when there is none, or when it is null."""
        value = self.document.value
        return None if value is None else value.value

    @property
    def progress(self) -> tuple[ProgressEvent, ...]:
        """The reports that were seen, in order."""
        return tuple(event for event in self.events if isinstance(event, ProgressEvent))


@final
@attrs.frozen(kw_only=True)
class FailedRender:
    """What came of a render that failed.

    Attributes:
        events: up to the failure; the terminal one is `error.event`.
        error: what the caller got.
        invocation: that was run.
        provenance: what it proves.
    """

    events: tuple[RenderEvent, ...]
    error: InvocationError
    invocation: Invocation
    provenance: Provenance = ROUTE_UNIT

    __repr__ = shown

    @property
    def cause(self) -> BaseException | None:
        """What made it fail: the exception itself, or the group of them."""
        return self.error.__cause__


def make_invocation(props: object = None) -> Invocation:
    """The invocation of a test that does not care: same id, same time, every time.

    Args:
        props: data that came with it, as JSON.
    """
    return Invocation(
        kind="script",
        target="test",
        props=Json.of(props, "props"),
        id="test",
        started_at="2000-01-01T00:00:00.000Z",
    )


async def render(  # noqa: PLR0913  # keywords, each of which a test may leave out
    subject: Subject,
    *,
    props: object = None,
    axes: Axes | None = None,
    host: HostChannel | None = None,
    limits: LimitOverrides | None = None,
    invocation: Invocation | None = None,
    identity: Identity | None = None,
    providers: Mapping[str, object] | None = None,
) -> Rendered:
    """Render and wait for the end.

    Args:
        subject: a node, a `SingleTree`, or a `plugin_route`.
        props: data of the invocation, when *invocation* is not given; a route has its own.
        axes: what is known about the caller.
        host: whom components can ask, such as a `ScriptedHost`.
        limits: they win over the subject's own.
        invocation: by default that of `make_invocation`, or of the route.
        identity: of the build, if the subject is a node or a tree.
        providers: finished values by key.

    Raises:
        InvocationError: the render failed; `render_failure` expects that.
        PluginError: the route of a plugin cannot be loaded.
        SchemaError: its input does not fit.
    """
    collected = _Collected()
    invocation = _to_invocation(subject, props) if invocation is None else invocation
    provenance = _provenance_of(subject)
    with proving(provenance):
        await Runtime(_to_application(subject, identity), providers=providers).invoke(
            invocation, collected, _take, axes=axes, host=host, limits=limits
        )
    return Rendered(events=tuple(collected.events), invocation=invocation, provenance=provenance)


async def render_events(  # noqa: PLR0913  # keywords, each of which a test may leave out
    subject: Subject,
    *,
    props: object = None,
    axes: Axes | None = None,
    host: HostChannel | None = None,
    limits: LimitOverrides | None = None,
    invocation: Invocation | None = None,
    identity: Identity | None = None,
    providers: Mapping[str, object] | None = None,
) -> tuple[RenderEvent, ...]:
    """Render; the events only.  Arguments and errors are those of `render`."""
    rendered = await render(
        subject,
        props=props,
        axes=axes,
        host=host,
        limits=limits,
        invocation=invocation,
        identity=identity,
        providers=providers,
    )
    return rendered.events


async def render_failure(  # noqa: PLR0913  # keywords, each of which a test may leave out
    subject: Subject,
    *,
    props: object = None,
    axes: Axes | None = None,
    host: HostChannel | None = None,
    limits: LimitOverrides | None = None,
    invocation: Invocation | None = None,
    identity: Identity | None = None,
    providers: Mapping[str, object] | None = None,
) -> FailedRender:
    """Render what has to fail.  Arguments are those of `render`.

    Raises:
        AssertionError: it did not fail; shows what came instead.
        PluginError, SchemaError: see `render`.
    """
    collected = _Collected()
    invocation = _to_invocation(subject, props) if invocation is None else invocation
    provenance = _provenance_of(subject)
    with proving(provenance):
        try:
            await Runtime(_to_application(subject, identity), providers=providers).invoke(
                invocation, collected, _take, axes=axes, host=host, limits=limits
            )
        except InvocationError as error:
            note_proof(error, provenance)
            return FailedRender(
                events=tuple(collected.events),
                error=error,
                invocation=invocation,
                provenance=provenance,
            )
        raise AssertionError(
            f"the render was to fail, and completed with {collected.events[-1].wire_text()}"
        )


async def render_route(  # noqa: PLR0913  # keywords, each of which a test may leave out
    route: Route[InputT],
    value: InputT | Mapping[str, object] = _NO_INPUT,
    *,
    axes: Axes | None = None,
    host: HostChannel | None = None,
    limits: LimitOverrides | None = None,
    invocation: Invocation | None = None,
    identity: Identity | None = None,
    providers: Mapping[str, object] | None = None,
) -> Rendered:
    """Render a route with one input, its declared result type and its limits included.

    Args:
        route: what a decorator such as `@command` made of a function.
        value: an instance of the input class, or a mapping, which is read as JSON input is.
        axes: see `render`, as the others.
        host: whom components can ask.
        limits: they win over the route's own.
        invocation: by default that of `make_invocation`.
        identity: of the build.
        providers: finished values by key; what the plugin has in its files is not known here.

    Raises:
        InvocationError: the render failed.
        SchemaError: the mapping does not fit the input class.
    """
    tree = SingleTree(
        route.element(_to_input(route, value)),
        identity=TEST_IDENTITY if identity is None else identity,
        check_value=cast("Callable[[Json], None] | None", getattr(route, "check_value", None)),
        limits=cast("LimitOverrides", getattr(route, "limits", LimitOverrides())),
    )
    return await render(
        tree, axes=axes, host=host, limits=limits, invocation=invocation, providers=providers
    )


def _to_input(route: Route[InputT], value: InputT | Mapping[str, object]) -> InputT:
    if isinstance(value, Mapping) and isinstance(route, _Structuring):
        return cast("InputT", route.structure(dict(cast("Mapping[str, object]", value))))
    return cast("InputT", value)


@final
class _Collected:
    """A projection that keeps every event."""

    __slots__ = ("events",)

    def __init__(self) -> None:
        self.events: list[RenderEvent] = []

    def feed(self, event: RenderEvent) -> Sequence[None]:
        self.events.append(event)
        return ()

    def finish(self) -> None:
        """Nothing is left to say."""


async def _take(output: None) -> None:
    """Take nothing: a projection that only collects has no outputs."""


def _to_application(subject: Subject, identity: Identity | None) -> Application:
    if isinstance(subject, PluginRoute):
        return subject
    if not isinstance(subject, SingleTree):
        return SingleTree(subject, identity=TEST_IDENTITY if identity is None else identity)
    return subject if identity is None else attrs.evolve(subject, identity=identity)


def _to_invocation(subject: Subject, props: object) -> Invocation:
    return subject.invocation if isinstance(subject, PluginRoute) else make_invocation(props)


def _provenance_of(subject: Subject) -> Provenance:
    return subject.provenance if isinstance(subject, PluginRoute) else ROUTE_UNIT
