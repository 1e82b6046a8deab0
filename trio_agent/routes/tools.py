"""Tools: the decorator `@tool`, and what it makes of a function.

A `ToolRoute` keeps the function, what a listing says of it, and in which forms its value goes
out.  It deliberately does not know its own name: the path of the module is the identity.  How a
handler takes its input, runs and answers is the same for every route: `handler`.

Above: `application`, and the MCP surface, which lists and calls.  The arguments are those that
`static` reads; they change together.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, ParamSpec, cast, final

import attrs

from trio_agent.limits import LimitOverrides
from trio_agent.protocol.schema.words import wire_kinds
from trio_agent.routes.declaring import (
    check_facts,
    checked_handler,
    checked_limits,
    detached,
    detached_all,
)
from trio_agent.routes.decorated import first_paragraph
from trio_agent.routes.handler import Handled
from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trio_agent.routes.record import ScalarRule, StructuredRule, TaskAsks, TaskSupport
    from trio_agent.vocabulary.element import ComponentFunction

P = ParamSpec("P")

WRAPPED: Final = "result"
"""The member that holds a value that is no object, under `scalar="wrap"`."""


@final
@attrs.frozen(kw_only=True, eq=False)
class ToolRoute(Handled):
    """A tool.  Made by `tool`.

    Attributes:
        handler: the author's function, to be called directly in its tests.
        name: its qualified name, for errors.
        description: of the decorator, else the first paragraph of the function's docstring.
        title: for people; a listing makes one of the tool's name when there is none.
        icons: JSON objects with `src`, for the listing.
        annotations: hints for the host, such as `readOnlyHint`, the shortcuts included.
        meta: `_meta` of the listing.
        exclude_clients: beginnings of the names of clients that do not see the tool.
        task_support: whether a call may, or has to, run as a task.
        task_asks: who carries the first questions of such a call.
        structured: whether a value that is an object also goes out as structured content.
        scalar: what becomes of a value that is none: it stays text, is wrapped in an object with
            the one member `result`, or fails the call.
        form_schema: the literal that `input_schema=` gave, for forms; validation has the types.
        limits: the route's own, over the runtime's.
        result: the type that `result=` names.
        thread: whether a `def` runs in a worker thread.
    """

    handler: ComponentFunction
    name: str
    description: str | None = None
    title: str | None = None
    icons: tuple[Mapping[str, object], ...] = ()
    annotations: Mapping[str, object] = attrs.field(factory=dict[str, object])
    meta: Mapping[str, object] | None = None
    exclude_clients: tuple[str, ...] = ()
    task_support: TaskSupport = "forbidden"
    task_asks: TaskAsks = "task"
    structured: StructuredRule = "always"
    scalar: ScalarRule = "text"
    form_schema: Mapping[str, object] | None = None
    limits: LimitOverrides = attrs.field(factory=LimitOverrides)
    result: object | None = None
    thread: bool = True

    __repr__ = shown

    @cached_property
    def input_schema(self) -> dict[str, object]:
        """JSON Schema of the arguments as a listing publishes it; made of the real types.

        Raises:
            DeclarationError: a parameter has a type without a schema.
        """
        # lazy: a call needs no schema.
        from trio_agent.protocol.schema.json_schema import input_schema  # noqa: PLC0415

        return input_schema(self.signature.input_type)

    @cached_property
    def output_schema(self) -> dict[str, object] | None:
        """JSON Schema of the structured content; None when there is none to promise.

        Raises:
            DeclarationError: the declared type has no schema.
        """
        declared = self.answer.declared
        if self.structured == "never" or declared is None or declared is type(None):
            return None
        # lazy: as above.
        from trio_agent.protocol.schema.json_schema import (  # noqa: PLC0415
            output_schema,
            schema_of,
        )

        if self.wraps:
            return _wrapped(schema_of(declared, mode="output", dialect="published"))
        return output_schema(declared)

    @cached_property
    def wraps(self) -> bool:
        """Whether every value goes out as the member `result` of an object.

        So it is under `scalar="wrap"` unless the declared type is an object; also for values that
        happen to be objects, where it is a union: one tool, one shape.
        """
        declared = self.answer.declared
        if self.scalar != "wrap" or declared is None:
            return False
        return bool(wire_kinds(declared) - {"object"})


def tool(  # noqa: PLR0913  # one argument per thing a tool can say
    *,
    description: str | None = None,
    title: str | None = None,
    icons: Sequence[Mapping[str, object]] = (),
    annotations: Mapping[str, object] | None = None,
    meta: Mapping[str, object] | None = None,
    exclude_clients: Sequence[str] = (),
    render: LimitOverrides | None = None,
    task_support: TaskSupport = "forbidden",
    task_asks: TaskAsks = "task",
    result: object | None = None,
    input_schema: Mapping[str, object] | None = None,
    structured: StructuredRule = "always",
    scalar: ScalarRule = "text",
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
    thread: bool = True,
) -> Callable[[Callable[P, object]], ToolRoute]:
    """Make a function a tool of the server below whose `tools/` folder its module lies.

    All arguments but *result* are literals, since they are read without importing the module.

    Args:
        description: what a model reads; by default the first paragraph of the docstring.
        title: what a person reads; by default the tool's name in words.
        icons: JSON objects, each with `src`.
        annotations: JSON object of hints for the host (MCP's tool annotations).
        meta: JSON object, the `_meta` of the listing.
        exclude_clients: beginnings of client names, 128 characters at most, compared without
            regard to case; such a client neither sees the tool nor can call it.
        render: limits of this tool, `{"max_elapsed_s": 300}`; at most a day.
        task_support: whether a call may (`"optional"`) or has to (`"required"`) run as a task.
        task_asks: with `"call"`, what such a call asks before anything else is asked before there
            is a task, of clients of 2026-07-28; by default the task asks.
        result: the type of the value, for a handler that returns nodes.
        input_schema: JSON Schema for forms and flags that are made without importing the
            module; listings and validation use the parameters' types.
        structured: `"never"` keeps the value out of the structured content, for hosts that
            would show a model nothing else.
        scalar: what becomes of a value that is no object: `"text"`, `"wrap"` or `"reject"`.
        read_only: the tool changes nothing (`readOnlyHint`).
        destructive: it may destroy something (`destructiveHint`).
        idempotent: calling it again with the same arguments changes nothing (`idempotentHint`).
        open_world: it deals with something outside, such as the web (`openWorldHint`).
        thread: False runs a `def` on the Trio thread; it must not block then.

    Returns:
        A decorator; the name in the module becomes a `ToolRoute`.  A handler that returns a
        node is rendered; any other return annotation means data, which is shown as it is.

    Raises:
        PluginError: an argument is not what it takes; a shortcut says something else than
            *annotations*; the decorated thing is no function, or is a generator.
        ContractError: `invalid-limits`, *render* is unknown or out of range.
    """
    hints = {
        "readOnlyHint": read_only,
        "destructiveHint": destructive,
        "idempotentHint": idempotent,
        "openWorldHint": open_world,
    }
    check_facts(
        "tool",
        {
            "description": description,
            "title": title,
            "icons": icons,
            "annotations": annotations,
            "meta": meta,
            "exclude_clients": exclude_clients,
            "render": render,
            "task_support": task_support,
            "task_asks": task_asks,
            "input_schema": input_schema,
            "structured": structured,
            "scalar": scalar,
            **{shortcut: hints[name] for name, shortcut in _SHORTCUTS.items()},
            "thread": thread,
        },
    )
    icon_objects = detached_all(icons, "icons")
    joined = _joined(detached(annotations, "annotations") or {}, hints)
    meta_object = detached(meta, "meta")
    schema = detached(input_schema, "input_schema")
    limits = checked_limits(render)

    def decorate(function: Callable[P, object]) -> ToolRoute:
        handler = checked_handler(function, "tool")
        return ToolRoute(
            handler=cast("ComponentFunction", handler),
            name=handler.__qualname__,
            description=description or first_paragraph(function.__doc__),
            title=title,
            icons=icon_objects,
            annotations=joined,
            meta=meta_object,
            exclude_clients=tuple(exclude_clients),
            task_support=task_support,
            task_asks=task_asks,
            structured=structured,
            scalar=scalar,
            form_schema=schema,
            limits=limits,
            result=result,
            thread=thread,
        )

    return decorate


_SHORTCUTS: Final = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}


def _joined(
    annotations: Mapping[str, object], hints: Mapping[str, bool | None]
) -> Mapping[str, object]:
    joined = dict(annotations)
    for name, hint in hints.items():
        if hint is None:
            continue
        if joined.get(name, hint) is not hint:
            raise PluginError(
                f"@tool: {_SHORTCUTS[name]}={hint} contradicts annotations, which say {name!r}:"
                f" {joined[name]!r:.80}"
            )
        joined[name] = hint
    return joined


def _wrapped(schema: Mapping[str, object]) -> dict[str, object]:
    """The schema of an object whose one member is of *schema*; what is shared stays at the top."""
    inner = dict(schema)
    wrapped: dict[str, object] = {
        name: inner.pop(name) for name in ("$schema", "$defs") if name in inner
    }
    return wrapped | {"type": "object", "properties": {WRAPPED: inner}, "required": [WRAPPED]}
