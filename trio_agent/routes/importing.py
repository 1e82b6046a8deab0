"""Importing a plugin's modules, as a package of its own, without touching `sys.path`.

A finder on `sys.meta_path` answers for exactly one package and what lies below it.  Rules:

* One name, one origin.  A name that another module or another plugin holds already is refused,
  and both origins are named.
* A name that the standard library, trio-agent or one of its dependencies has is refused even
  while nobody has imported it: whoever imports it later would get the plugin instead.
* Against any other installed package that is not imported yet the folder wins, so that the
  checkout of an installed plugin can be run.  Only that one name is taken.

What an author's module raises while it is imported becomes one `PluginError` with the file and
the line.  Above: `application`, which imports one module per route.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import ModuleType, TracebackType

    from trio_agent.routes.plugin import Plugin

_RESERVED: Final = frozenset(
    {"actors", "attr", "attrs", "cattr", "cattrs", "mcp", "rich", "trio", "trio_agent"}
)
_LONGEST_CAUSE: Final = 300
"""Characters shown of what a module raised; one line of a terminal or three, not a screen."""


@final
@attrs.frozen
class PackageFinder:
    """Answers for the package of one plugin, and for nothing else."""

    plugin: Plugin

    __repr__ = shown

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """The protocol of `sys.meta_path`."""
        if fullname == self.plugin.name:
            return self._package_spec()
        if fullname.startswith(f"{self.plugin.name}."):
            return PathFinder.find_spec(fullname, path, target)
        return None

    def _package_spec(self) -> ModuleSpec | None:
        folder = os.fspath(self.plugin.root)
        initial = self.plugin.root / "__init__.py"
        if initial.is_file():
            return importlib.util.spec_from_file_location(
                self.plugin.name, initial, submodule_search_locations=[folder]
            )
        spec = ModuleSpec(self.plugin.name, None, is_package=True)
        spec.submodule_search_locations = [folder]
        return spec


def import_module(plugin: Plugin, name: str) -> ModuleType:
    """Import one module of a plugin, and the packages above it.

    Args:
        plugin: made importable by the first call, until `unload`.
        name: `curator.cli.audit_library`.

    Raises:
        PluginError: the plugin's name is taken, or the module raised; the exception that it
            raised is `__cause__`.  Whatever is no `KeyboardInterrupt` counts as one: a module is
            not the process.
    """
    _claim(plugin)
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # boundary: the author's module runs
        raise PluginError(f"cannot import {name}: {_describe(error, plugin)}") from error  # noqa: ASYNC104  # no task runs in it


def unload(plugin: Plugin) -> None:
    """Forget a plugin: its finder, its modules, and what was remembered about its folders.

    Objects that somebody still holds live on; a later import makes new ones.
    """
    sys.meta_path[:] = [
        finder
        for finder in sys.meta_path
        if not (isinstance(finder, PackageFinder) and finder.plugin == plugin)
    ]
    if _is_from(sys.modules.get(plugin.name), plugin):
        for name in [*sys.modules]:
            if name == plugin.name or name.startswith(f"{plugin.name}."):
                del sys.modules[name]
    root = os.fspath(plugin.root)
    for path in [*sys.path_importer_cache]:
        if path == root or path.startswith(root + os.sep):
            del sys.path_importer_cache[path]


def _claim(plugin: Plugin) -> None:
    loaded = sys.modules.get(plugin.name)
    if loaded is not None and not _is_from(loaded, plugin):
        _refuse(plugin, _origin_of(loaded))
    if plugin.origin == "package":
        return
    if plugin.name in sys.stdlib_module_names or plugin.name in _RESERVED:
        kind = "trio-agent" if plugin.name in _RESERVED else "the standard library"
        _refuse(plugin, f"a package that {kind} needs")
    for finder in sys.meta_path:
        if isinstance(finder, PackageFinder) and finder.plugin.name == plugin.name:
            if not _same_folder(finder.plugin.root, plugin.root):
                _refuse(plugin, f"the plugin {finder.plugin.root}")
            return
    sys.meta_path.insert(0, PackageFinder(plugin))


def _refuse(plugin: Plugin, holder: str) -> None:
    raise PluginError(
        f"the plugin {plugin.root} cannot be imported as {plugin.name!r}: the name is taken by"
        f" {holder}"
    )


def _is_from(module: ModuleType | None, plugin: Plugin) -> bool:
    locations: Sequence[str] = list(getattr(module, "__path__", ()))
    return len(locations) == 1 and _same_folder(locations[0], plugin.root)


def _same_folder(left: str | Path, right: Path) -> bool:
    return os.path.realpath(left) == os.path.realpath(right)


def _origin_of(module: ModuleType) -> str:
    locations: Sequence[str] = list(getattr(module, "__path__", ()))
    file: str | None = getattr(module, "__file__", None)
    return ", ".join(locations) or file or f"the built-in module {module.__name__}"


def _describe(error: BaseException, plugin: Plugin) -> str:
    try:
        words = str(error.msg if isinstance(error, SyntaxError) else error)
    except (Exception, SystemExit):  # noqa: BLE001  # boundary: a foreign __str__
        words = ""
    text = " ".join(words.split())
    if len(text) > _LONGEST_CAUSE:
        text = f"{text[:_LONGEST_CAUSE]}..."
    sentence = f"{type(error).__qualname__}: {text}" if text else type(error).__qualname__
    place = _place_of(error, plugin)
    return f"{place}: {sentence}" if place else sentence


def _place_of(error: BaseException, plugin: Plugin) -> str | None:
    """The author's line: that of the syntax error, else the last one inside the plugin."""
    if isinstance(error, SyntaxError) and error.filename and not error.filename.startswith("<"):
        return f"{error.filename}:{error.lineno or 1}"
    inside = os.fspath(plugin.root) + os.sep
    place = None
    step: TracebackType | None = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file.startswith(inside):
            place = f"{file}:{step.tb_lineno}"
        step = step.tb_next
    return place
