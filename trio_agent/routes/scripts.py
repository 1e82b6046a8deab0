"""Scripts: the decorator `@script`, and what it makes of a function.

    async def nightly(argv: Sequence[str], context: ScriptContext) -> Node

A script gets the words that were typed after its name, as they were typed: it has no options but
those that it reads itself.  `argv` is found by its name, the context by its type, and either may
be left out.  How a handler runs and answers is the same for every route: `handler`.

A `ScriptRoute` deliberately does not know its own name: the path of the module is the identity.
Not here: scripts without the decorator, which are programs of their own; see `script_files`.
Above: `application`.  The arguments are those that `static` reads; they change together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, ParamSpec, cast, final, get_args, get_origin

import attrs

from trio_agent.limits import LimitOverrides
from trio_agent.protocol.schema.declared import bare_type, declared_fields
from trio_agent.routes.declaring import check_facts, checked_handler, checked_limits
from trio_agent.routes.decorated import first_paragraph
from trio_agent.routes.handler import Handled
from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.vocabulary.element import ComponentFunction

P = ParamSpec("P")

ARGV: Final = "argv"
"""The parameter, and the member of the input, that holds the words."""

_LISTS: Final = (list, Sequence)


@final
@attrs.frozen(kw_only=True, eq=False)
class ScriptRoute(Handled):
    """A script.  Made by `script`.

    Attributes:
        handler: the author's function, to be called directly in its tests.
        name: its qualified name, for errors.
        description: of the decorator, else the first paragraph of the function's docstring.
        title: for menus.
        limits: the route's own, over the runtime's.
        result: the type that `result=` names.
        thread: whether a `def` runs in a worker thread.
    """

    handler: ComponentFunction
    name: str
    description: str | None = None
    title: str | None = None
    limits: LimitOverrides = attrs.field(factory=LimitOverrides)
    result: object | None = None
    thread: bool = True

    __repr__ = shown

    @property
    def takes_argv(self) -> bool:
        """Whether it wants to know the words.

        Raises:
            DeclarationError: its parameters cannot be an input.
        """
        return any(field.name == ARGV for field in declared_fields(self.signature.input_type))

    def input_of(self, argv: Sequence[str]) -> dict[str, object]:
        """The words as the input of an invocation.

        Args:
            argv: of a script that does not take them, none.
        """
        return {ARGV: [*argv]} if self.takes_argv else {}

    def check(self) -> None:
        """Find out now what is wrong with the function: see `Handled.check`.

        Raises:
            PluginError: also when it takes something else than words.
        """
        super().check()
        fields = declared_fields(self.signature.input_type)
        if self.signature.is_single_class or not all(
            field.name == ARGV and _is_words(field.type_) for field in fields
        ):
            received = self.signature.input_parameter or ", ".join(one.name for one in fields)
            raise PluginError(
                f"{self.name} takes argv: Sequence[str], the words after its name, and its context,"
                f" each if it wants to; received {received}"
            )

    def structure(self, data: object) -> attrs.AttrsInstance:
        """Read the input: see `Handled.structure`; no input at all is no words.

        Raises:
            SchemaError: it does not fit; it has every issue with its path, beginning `input`.
        """
        return super().structure(self.input_of(()) if data is None else data)


def script(
    *,
    description: str | None = None,
    title: str | None = None,
    render: LimitOverrides | None = None,
    result: object | None = None,
    thread: bool = True,
) -> Callable[[Callable[P, object]], ScriptRoute]:
    """Make a function a script; the stem of its module below `scripts/` is what a person types.

    All arguments but *result* are literals, since they are read without importing the module.

    Args:
        description: one sentence for lists; by default the first paragraph of the docstring.
        title: for menus.
        render: limits of this script, `{"max_elapsed_s": 300}`; at most a day.
        result: the type of the value, for a handler that returns nodes.
        thread: False runs a `def` on the Trio thread; it must not block then.

    Returns:
        A decorator; the name in the module becomes a `ScriptRoute`.  A handler that returns a
        node is rendered; any other return annotation means data, which is shown as it is.

    Raises:
        PluginError: an argument is not what it takes; the decorated thing is no function, or is
            a generator.
        ContractError: `invalid-limits`, *render* is unknown or out of range.
    """
    check_facts(
        "script",
        {"description": description, "title": title, "render": render, "thread": thread},
    )
    limits = checked_limits(render)

    def decorate(function: Callable[P, object]) -> ScriptRoute:
        handler = checked_handler(function, "script")
        return ScriptRoute(
            handler=cast("ComponentFunction", handler),
            name=handler.__qualname__,
            description=description or first_paragraph(function.__doc__),
            title=title,
            limits=limits,
            result=result,
            thread=thread,
        )

    return decorate


def _is_words(type_: object) -> bool:
    """Whether it is a list of strings."""
    bare = bare_type(type_).type_
    origin, arguments = get_origin(bare), get_args(bare)
    return (origin in _LISTS and arguments == (str,)) or (
        origin is tuple and arguments == (str, ...)
    )
