"""Real plugins in temporary folders, and an interpreter that has forgotten them afterwards."""

import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from trio_agent.routes.plugin import Plugin


class Workshop:
    """Writes plugins below a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, files: Mapping[str, str] | None = None) -> Plugin:
        """A plugin of these files, by relative path; indented text is fine."""
        root = self.folder / name
        root.mkdir(parents=True, exist_ok=True)
        for path, text in (files or {}).items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(textwrap.dedent(text), encoding="utf-8")
        return Plugin(name=root.name, root=root, origin="folder")


def _origin(module: ModuleType) -> str:
    return module.__file__ or "".join(module.__path__) if hasattr(module, "__file__") else ""


@pytest.fixture
def workshop(tmp_path: Path) -> Iterator[Workshop]:
    path, finders, modules = [*sys.path], [*sys.meta_path], {*sys.modules}
    yield Workshop(tmp_path)
    untouched = sys.path == path
    sys.path[:] = path
    sys.meta_path[:] = finders
    # All origins first: the path of a package without __init__ is computed from its parent.
    origins = {name: _origin(sys.modules[name]) for name in {*sys.modules} - modules}
    for name, origin in origins.items():
        if origin.startswith(str(tmp_path)):
            del sys.modules[name]
    for entry in [*sys.path_importer_cache]:
        if entry.startswith(str(tmp_path)):
            del sys.path_importer_cache[entry]
    assert untouched, "a plugin was put on sys.path"
