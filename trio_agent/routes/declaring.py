"""What a decorator was given, judged when the module is imported.

`static` judges the same arguments before, in the text of the module, with the same words
(`facts`); here they are judged once more, because a module may be imported without having been
found, in a test, or may say something else when it runs.

Pure.  Above: the decorators (`commands`, `tools`, `resources`, `prompts`, `layouts`).
"""

from __future__ import annotations

import inspect
import types
from typing import TYPE_CHECKING, cast

from trio_agent.errors import ContractError, abridge
from trio_agent.limits import DAY_S, LimitOverrides, Limits
from trio_agent.routes.facts import FACTS
from trio_agent.routes.plugin import PluginError
from trio_agent.vocabulary.json import Json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trio_agent.routes.facts import DecoratorName


def check_facts(decorator: DecoratorName, given: Mapping[str, object]) -> None:
    """Refuse an argument that is not what its decorator takes.

    Args:
        decorator: its name.
        given: literals by name.

    Raises:
        PluginError: names the argument, what it takes, and what was given.
    """
    for name, value in given.items():
        fact = FACTS[decorator][name]
        if not fact.fits(value):
            raise PluginError(f"@{decorator}: {name} is {fact.expected}, received {abridge(value)}")


def checked_limits(render: LimitOverrides | None) -> LimitOverrides:
    """The limits that `render=` names, detached.

    Raises:
        ContractError: `invalid-limits`, one is unknown or out of range; a day is the ceiling.
    """
    overrides = LimitOverrides() if render is None else render
    if Limits().overridden(overrides).max_elapsed_s > DAY_S:
        raise ContractError(
            "invalid-limits",
            f"max_elapsed_s of a route is at most {DAY_S:.0f}, received"
            f" {overrides.get('max_elapsed_s')!r}",
        )
    return LimitOverrides(**overrides)


def checked_handler(function: object, decorator: DecoratorName) -> types.FunctionType:
    """The function that a decorator was put on.

    Raises:
        PluginError: it is no function, or a generator.
    """
    if not isinstance(function, types.FunctionType):
        raise PluginError(f"@{decorator} takes a def or an async def, received {function!r:.120}")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise PluginError(
            f"{function.__qualname__} yields, and a handler returns: return a list, or show parts"
            " early with Suspense"
        )
    return function


def detached(given: Mapping[str, object] | None, name: str) -> dict[str, object] | None:
    """A JSON object out of reach of whoever gave it; None stays None.

    Raises:
        PluginError: something in it is not JSON; the path is named.
    """
    try:
        return None if given is None else cast("dict[str, object]", Json.of(given, name).value)
    except ContractError as error:
        raise PluginError(error.message) from None


def detached_all(given: Iterable[Mapping[str, object]], name: str) -> tuple[dict[str, object], ...]:
    """JSON objects out of reach of whoever gave them.

    Raises:
        PluginError: see `detached`.
    """
    objects = (detached(one, f"{name}[{index}]") for index, one in enumerate(given))
    return tuple(one for one in objects if one is not None)
