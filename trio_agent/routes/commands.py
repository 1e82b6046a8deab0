"""Commands: the decorator `@command`, and what it makes of a function.

A `CommandRoute` keeps the function and what the decorator said.  It deliberately does not know
its own name: the path of the module is the identity.  How a handler takes its input, runs and
answers is the same for every route: `handler`.

Above: `application`.  The arguments are those that `static` reads; they change together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, ParamSpec, cast, final

import attrs

from trio_agent.limits import LimitOverrides
from trio_agent.routes.declaring import check_facts, checked_handler, checked_limits
from trio_agent.routes.decorated import first_paragraph
from trio_agent.routes.handler import Handled
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trio_agent.vocabulary.element import ComponentFunction

P = ParamSpec("P")


@final
@attrs.frozen(kw_only=True, eq=False)
class CommandRoute(Handled):
    """A command.  Made by `command`.

    Attributes:
        handler: the author's function, to be called directly in its tests.
        name: its qualified name, for errors.
        description: of the decorator, else the first paragraph of the function's docstring.
        title: for menus.
        aliases: other spellings of the last word.
        exit_code: `result` when the value's `exitCode` becomes the exit code of the process.
        limits: the route's own, over the runtime's.
        result: the type that `result=` names.
        thread: whether a `def` runs in a worker thread.
    """

    handler: ComponentFunction
    name: str
    description: str | None = None
    title: str | None = None
    aliases: tuple[str, ...] = ()
    exit_code: Literal["result"] | None = None
    limits: LimitOverrides = attrs.field(factory=LimitOverrides)
    result: object | None = None
    thread: bool = True

    __repr__ = shown


def command(  # noqa: PLR0913  # one argument per thing a command can say
    *,
    description: str | None = None,
    title: str | None = None,
    aliases: Sequence[str] = (),
    exit_code: Literal["result"] | None = None,
    render: LimitOverrides | None = None,
    result: object | None = None,
    thread: bool = True,
) -> Callable[[Callable[P, object]], CommandRoute]:
    """Make a function a command; the path of its module below `cli/` is what a person types.

    All arguments but *result* are literals, since they are read without importing the module.

    Args:
        description: one sentence for help; by default the first paragraph of the docstring.
        title: for menus.
        aliases: other spellings of the last word.
        exit_code: `"result"` when the value is an object whose `exitCode` is the exit code.
        render: limits of this command, `{"max_elapsed_s": 300}`; at most a day.
        result: the type of the value, for a handler that returns nodes.
        thread: False runs a `def` on the Trio thread; it must not block then.

    Returns:
        A decorator; the name in the module becomes a `CommandRoute`.  A handler that returns a
        node is rendered; any other return annotation means data, which is shown as it is.

    Raises:
        PluginError: an argument is not what it takes; the decorated thing is no function, or is
            a generator.
        ContractError: `invalid-limits`, *render* is unknown or out of range.
    """
    check_facts(
        "command",
        {
            "description": description,
            "title": title,
            "aliases": aliases,
            "exit_code": exit_code,
            "render": render,
            "thread": thread,
        },
    )
    limits = checked_limits(render)

    def decorate(function: Callable[P, object]) -> CommandRoute:
        handler = checked_handler(function, "command")
        return CommandRoute(
            handler=cast("ComponentFunction", handler),
            name=handler.__qualname__,
            description=description or first_paragraph(function.__doc__),
            title=title,
            aliases=tuple(aliases),
            exit_code=exit_code,
            limits=limits,
            result=result,
            thread=thread,
        )

    return decorate
