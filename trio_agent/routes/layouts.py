"""Layouts: the decorator `@layout`, and what stands around the routes of a plugin.

    root layout  ►  the server's layout  ►  what the route's handler returned

A layout is a component that gets `children`: an element that stands for everything inside it.  It
renders when the handler has returned, so a handler that raises fails the whole render and is
shown in no frame; boundaries inside `children` stream as they do without a layout.  If what it
encloses is one result, that dissolves into the result around it, value and metadata included
(`vocabulary.element.EnclosedElement`).

Deliberately not here: which layouts a route has; that is `application`.  A layout is no route.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Final, ParamSpec, cast, final

import attrs

from trio_agent.context.ambient import agent
from trio_agent.limits import LimitOverrides
from trio_agent.routes.declaring import check_facts, checked_handler, checked_limits
from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown
from trio_agent.vocabulary.element import Definition, Element, EnclosedElement

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType

    from trio_agent.routes.record import RouteKind, RouteRecord
    from trio_agent.vocabulary.element import ComponentFunction, Node

P = ParamSpec("P")

_PARAMETERS: Final = ("children", "route", "context")


@final
@attrs.frozen(kw_only=True)
class RouteInfo:
    """Which route a layout stands around: its identity, known without running anything.

    Attributes:
        id: `tool:curator/audit_library`.
        kind: `tool`, `resource`, `prompt`, `cli` or `script`.
        name: what it is called where it is used, `audit_library` or `db clean-up`.
        server: whose route it is; None for a command or script.
    """

    id: str
    kind: RouteKind
    name: str
    server: str | None = None

    __repr__ = shown

    @classmethod
    def of(cls, record: RouteRecord) -> RouteInfo:
        """That of a route which discovery found."""
        return cls(id=record.id, kind=record.kind, name=record.name, server=record.server)


@final
@attrs.frozen(kw_only=True, eq=False)
class LayoutRoute:
    """A layout.  Made by `layout`.

    Attributes:
        handler: the author's function, to be called directly in its tests.
        name: its qualified name, for errors.
        limits: of every route inside it; a route's own win.
        parameters: which of `children`, `route` and `context` the function takes.
    """

    handler: ComponentFunction
    name: str
    limits: LimitOverrides = attrs.field(factory=LimitOverrides)
    parameters: frozenset[str]

    __repr__ = shown

    def element(self, children: Node, route: RouteInfo) -> Element:
        """The element that renders it around *children*; to be made inside an invocation."""
        known: dict[str, object] = {"children": children, "route": route}
        if "context" in self.parameters:
            known["context"] = agent()
        arguments = {name: known[name] for name in known if name in self.parameters}
        is_async = inspect.iscoroutinefunction(self.handler)
        return Element(Definition(self.handler, self.name, is_async), (), arguments)


@final
@attrs.frozen(eq=False)
class LayoutChain:
    """The layouts of one route, the outermost first.

    Attributes:
        layouts: at least one.
        route: what they stand around.
    """

    layouts: tuple[LayoutRoute, ...]
    route: RouteInfo

    __repr__ = shown

    def limits_of(self, route: LimitOverrides) -> LimitOverrides:
        """The limits of a route inside these layouts: its own win, then the innermost layout's."""
        limits = LimitOverrides()
        for one in (*(one.limits for one in self.layouts), route):
            limits.update(one)
        return limits

    def wrap(self, node: Node, name: str) -> Node:
        """What is rendered instead of *node*.

        Args:
            node: what a handler returned.
            name: of the handler, for errors.
        """
        for one in reversed(self.layouts):
            node = one.element(EnclosedElement(node, name), self.route)
            name = one.name
        return node


def layout(*, render: LimitOverrides | None = None) -> Callable[[Callable[P, object]], LayoutRoute]:
    """Make a function a layout: of all routes in `layout.py`, of a server in its own folder.

    The function is a component, `async def` or `def`, and takes by name `children`, which it has
    to, `route`, a `RouteInfo`, and `context`, the request handle.  It returns a node with
    *children* somewhere in it, mostly `Agent.Result(..., children, ...)`.

    Args:
        render: limits of every route inside the layout, `{"max_elapsed_s": 300}`; those of the
            route itself win, and then those of the innermost layout.

    Returns:
        A decorator; the name in the module becomes a `LayoutRoute`.

    Raises:
        PluginError: the decorated thing is no function, or takes something else.
        ContractError: `invalid-limits`, *render* is unknown or out of range.
    """
    check_facts("layout", {"render": render})
    limits = checked_limits(render)

    def decorate(function: Callable[P, object]) -> LayoutRoute:
        handler = checked_handler(function, "layout")
        return LayoutRoute(
            handler=cast("ComponentFunction", handler),
            name=handler.__qualname__,
            limits=limits,
            parameters=_parameters_of(handler),
        )

    return decorate


def _parameters_of(function: FunctionType) -> frozenset[str]:
    parameters = inspect.signature(function).parameters
    wrong = [parameter.name for parameter in parameters.values() if not _is_known(parameter)]
    if wrong or "children" not in parameters:
        received = ", ".join(parameters) or "nothing"
        raise PluginError(
            f"layout {function.__qualname__} takes by name children and, if it wants them, route"
            f" and context; received {received}"
        )
    return frozenset(parameters)


def _is_known(parameter: inspect.Parameter) -> bool:
    by_name = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    return parameter.kind in by_name and parameter.name in _PARAMETERS
