"""Everything that can be said about a plugin without importing it.

What a surface needs to serve routes is the graph alone; this is for people who ask what is there
and what is wrong.  Below: `discovery`, `advice`, `manifest`.  Above: `inspect` of the command line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs

from trio_agent.routes.advice import advise
from trio_agent.routes.discovery import discover
from trio_agent.routes.manifest import examine_manifest
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trio_agent.routes.diagnostic import Diagnostic
    from trio_agent.routes.graph import RouteGraph
    from trio_agent.routes.manifest import Manifest
    from trio_agent.routes.plugin import Plugin


@final
@attrs.frozen(kw_only=True)
class Examination:
    """What a plugin declares, and what is to be said about it.

    Attributes:
        manifest: what can be used of `plugin.toml`.
        is_manifest_right: whether all of it can; the plugin cannot be run otherwise.
        graph: its routes, with the diagnostics of its folders.
        diagnostics: those, those of `plugin.toml`, and advice; by file and place.
    """

    manifest: Manifest
    is_manifest_right: bool
    graph: RouteGraph
    diagnostics: tuple[Diagnostic, ...]

    __repr__ = shown

    @property
    def errors(self) -> int:
        """How many of the diagnostics are errors."""
        return sum(found.severity == "error" for found in self.diagnostics)

    def with_more(self, diagnostics: Iterable[Diagnostic]) -> Examination:
        """The same with more diagnostics."""
        return attrs.evolve(self, diagnostics=_sorted((*self.diagnostics, *diagnostics)))


def examine(plugin: Plugin) -> Examination:
    """Read the files of *plugin*; import nothing.

    Raises:
        PluginError: a file or a folder cannot be read.
    """
    manifest, complaints = examine_manifest(plugin)
    graph = discover(plugin, manifest)
    return Examination(
        manifest=manifest,
        is_manifest_right=not complaints,
        graph=graph,
        diagnostics=_sorted((*complaints, *graph.diagnostics, *advise(graph))),
    )


def _sorted(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(sorted(diagnostics, key=lambda one: (one.file, one.line, one.column, one.code)))
