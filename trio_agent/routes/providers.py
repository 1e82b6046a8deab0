"""Providers: the decorator `@provider`, and the providers of a plugin by their keys.

A `ProviderRoute` keeps the function; that its file is its key, the decorator does not know.
Asking for a key imports the one module that has it, and no other.  How and when factories run is
decided in `context.providers`.

Above: `application`.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, TypeVar, cast, final

import attrs

from trio_agent.routes.declaring import checked_handler
from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown

if TYPE_CHECKING:
    import types
    from collections.abc import Callable, Collection, Sequence

    from trio_agent.context.providers import ProviderContext, ProviderFactory
    from trio_agent.routes.record import ProviderRecord

    ValueT = TypeVar("ValueT")


@final
@attrs.frozen(eq=False)
class ProviderRoute:
    """A provider.  Made by `provider`.

    Attributes:
        handler: the author's function, to be called directly in its tests.
        name: its qualified name, for errors.
    """

    handler: ProviderFactory
    name: str

    __repr__ = shown


def provider(function: Callable[[ProviderContext], object]) -> ProviderRoute:
    """Make a function a provider; the name of its file below `providers/` is its key.

    A bare decorator, without parentheses.  An `async def` is awaited; a `def` runs in a worker
    thread, and what it returns is awaited if it can be.

    Args:
        function: takes a `ProviderContext` and gives the value, any object.

    Raises:
        PluginError: it is no function, a generator, or takes something else.
    """
    handler = checked_handler(function, "provider")
    _check_parameters(handler)
    return ProviderRoute(cast("ProviderFactory", handler), handler.__qualname__)


def _check_parameters(function: types.FunctionType) -> None:
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        raise PluginError(
            f"{function.__qualname__} is a provider: expected one parameter, the context, received"
            f" {inspect.signature(function, eval_str=False)}"
        ) from None


@final
@attrs.frozen(eq=False)
class PluginProviders:
    """The providers of a plugin: a `context.providers.ProviderSource`.

    Attributes:
        records: all there are.
        load_route: imports the module of one.
    """

    records: Sequence[ProviderRecord]
    load_route: Callable[[ProviderRecord], ProviderRoute]

    __repr__ = shown

    @property
    def keys(self) -> Collection[str]:
        """By their names."""
        return [record.key for record in self.records]

    def load(self, key: str) -> ProviderFactory:
        """See `ProviderSource.load`.

        Raises:
            PluginError: the provider, or its module, has an error.
        """
        record = next(record for record in self.records if record.key == key)
        return self.load_route(record).handler
