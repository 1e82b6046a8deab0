"""Which layouts stand around a route, each imported once.

Apart from `layouts`, which makes them: most plugins have none.  Above: `application`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from trio_agent.routes.plugin import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trio_agent.routes.handler import Handled
    from trio_agent.routes.layouts import LayoutChain, LayoutRoute
    from trio_agent.routes.record import LayoutRecord, RouteRecord


@final
class Layouts:
    """The layouts of a plugin.

    Args:
        records: the plugin's own first, then those of its servers.
        load: imports one.
    """

    __slots__ = ("_load", "_loaded", "_records")

    def __init__(
        self, records: Sequence[LayoutRecord], load: Callable[[LayoutRecord], LayoutRoute]
    ) -> None:
        self._records: Final = records
        self._load: Final = load
        self._loaded: Final[dict[str, LayoutRoute | PluginError]] = {}

    def around(self, record: RouteRecord, route: Handled) -> LayoutChain | None:
        """The layouts of a route; data that a person asked for has none, as it is shown as it is.

        Raises:
            PluginError: one of them is broken.
        """
        if record.words and not route.answer.is_nodes:
            return None
        # A server that is not made of route modules has no routes, so none in its layout.
        records = [one for one in self._records if one.server in {None, record.server}]
        if not records:
            return None
        # lazy: most plugins have no layouts.
        from trio_agent.routes.layouts import LayoutChain, RouteInfo  # noqa: PLC0415

        return LayoutChain(tuple(map(self._once, records)), RouteInfo.of(record))

    def _once(self, record: LayoutRecord) -> LayoutRoute:
        """The layout: a module that raises is not run again for each route."""
        if record.path not in self._loaded:
            try:
                loaded: LayoutRoute | PluginError = self._load(record)
            except PluginError as error:
                loaded = error
            self._loaded[record.path] = loaded
        layout = self._loaded[record.path]
        if isinstance(layout, PluginError):
            raise PluginError(layout.message) from layout.__cause__
        return layout
