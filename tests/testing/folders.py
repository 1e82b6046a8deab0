"""Plugins for tests of the harness: written into a folder, and forgotten afterwards."""

from __future__ import annotations

import textwrap
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from trio_agent.routes.application import open_application
from trio_agent.routes.importing import unload
from trio_agent.routes.plugin import find_plugin

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from trio_agent.routes.application import PluginApplication

PLUGINS = Path(__file__).parents[1] / "surfaces/mcp/plugins"
DEPOT = PLUGINS / "depot"
DESK = PLUGINS / "desk"


def write_plugin(root: Path, files: Mapping[str, str]) -> Path:
    """Write the files of a plugin."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return root


@contextmanager
def opened(root: Path) -> Generator[PluginApplication, None, None]:
    """A plugin that is importable for a block."""
    application = open_application(root)
    try:
        yield application
    finally:
        unload(application.plugin)


@contextmanager
def forgotten(root: Path) -> Generator[Path, None, None]:
    """A folder whose plugin is forgotten after a block, whoever opened it."""
    try:
        yield root
    finally:
        unload(find_plugin(root))
