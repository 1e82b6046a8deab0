"""What an invocation asks for: its kind and its target, as the record of a route.

    kind `cli`    what a person types, `db clean-up`; of a tool that is a command, too, the tool
    kind `script` the name of a script
    kind `tool`   the id of a route, `tool:curator/audit_library`, `resource:...` or `prompt:...`

Pure.  Below: `graph`.  Above: `application`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from trio_agent.errors import RequestError
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.record import RouteRecord

if TYPE_CHECKING:
    from trio_agent.routes.graph import RouteGraph
    from trio_agent.routes.projections import ToolCommandRecord
    from trio_agent.routes.record import AnyRecord, RouteKind
    from trio_agent.vocabulary.invocation import Invocation

_KINDS: Final[frozenset[RouteKind]] = frozenset({"tool", "resource", "prompt"})
_MOST_NAMED: Final = 12
"""Routes that an error lists; help lists the others."""


def find_target(graph: RouteGraph, invocation: Invocation) -> RouteRecord:
    """The route that is to run.

    Raises:
        RequestError: `invalid-invocation`, another kind or an unknown target.
        PluginError: the words are those of a tool, and something stands in their way.
    """
    if invocation.kind == "cli":
        return _find_command(graph, invocation.target)
    if invocation.kind == "script":
        return _find_script(graph, invocation.target)
    if invocation.kind == "tool":
        return _find_route(graph, invocation.target)
    raise RequestError(
        "invalid-invocation",
        f"{graph.plugin.name} has commands, scripts, tools, resources and prompts, received"
        f" an invocation of the kind {invocation.kind}",
    )


def refuse_broken(graph: RouteGraph, record: AnyRecord | ToolCommandRecord) -> None:
    """Say what keeps a record from running, if anything does.

    Raises:
        PluginError: one line with the place.
    """
    for found in graph.errors_of(record):
        raise PluginError(f"{graph.plugin.root}{os.sep}{found}")


def _find_command(graph: RouteGraph, target: str) -> RouteRecord:
    found = graph.find_command(target)
    if found is None:
        names = [one.name for one in graph.commands]
        names += [one.name for one in graph.tool_commands]
        raise _nothing_like(graph, target, "command", names)
    if isinstance(found, RouteRecord):
        return found
    refuse_broken(graph, found)
    return found.tool


def _find_script(graph: RouteGraph, target: str) -> RouteRecord:
    found = graph.find_script(target)
    if found is None:
        raise _nothing_like(graph, target, "script", [one.name for one in graph.scripts])
    return found


def _find_route(graph: RouteGraph, target: str) -> RouteRecord:
    found = graph.find_route(target)
    if found is None or found.kind not in _KINDS:
        ids = [record.id for record in graph.routes if record.kind in _KINDS]
        raise _nothing_like(graph, target, "route", ids)
    return found


def _nothing_like(graph: RouteGraph, target: str, what: str, names: list[str]) -> RequestError:
    more = [] if len(names) <= _MOST_NAMED else [f"and {len(names) - _MOST_NAMED} more"]
    known = ", ".join(names[:_MOST_NAMED] + more) or "none"
    return RequestError(
        "invalid-invocation", f"{graph.plugin.name} has no {what} {target!r:.120}; it has {known}"
    )
