"""The version of the distribution that a plugin came with: what `plugin.toml` need not repeat.

A package has that of the distribution whose files include its own, or, when it is installed for
editing, whose project it lies in.  A folder has none, whatever is installed under its name, which
`manifest` knows.  Nothing is imported of either.  Above: `manifest`.
"""

from __future__ import annotations

import json
import os
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio_agent.routes.plugin import Plugin


def find_version(plugin: Plugin) -> str | None:
    """The version of the distribution of a plugin that is a package; None when none is known.

    Reads what installers have written; takes as long as there are distributions when the
    plugin's is called otherwise than its package.
    """
    found = next((one for one in _candidates(plugin.name) if _holds(one, plugin)), None)
    if found is None or "Version" not in found.metadata:
        return None
    return found.metadata["Version"]


def _candidates(package: str) -> Iterator[metadata.Distribution]:
    """The distributions of this environment, the likely one first."""
    yield from metadata.distributions(name=package.replace(".", "-"))
    yield from metadata.distributions()


def _holds(distribution: metadata.Distribution, plugin: Plugin) -> bool:
    inside = plugin.name.replace(".", "/") + "/"
    if f"\n{inside}" in "\n" + (distribution.read_text("RECORD") or ""):
        return True
    project = _edited(distribution.read_text("direct_url.json") or "{}")
    places = {plugin.root, Path(os.path.realpath(plugin.root))}
    return project is not None and any(place.as_uri().startswith(project) for place in places)


def _edited(direct_url: str) -> str | None:
    """The URL of a project that is installed for editing, with a slash at its end; see PEP 610."""
    try:
        origin: object = json.loads(direct_url)
    except ValueError:
        return None
    told = cast("dict[str, object]", origin) if isinstance(origin, dict) else {}
    info = told.get("dir_info")
    if not isinstance(info, dict) or cast("dict[str, object]", info).get("editable") is not True:
        return None
    return str(told.get("url")).rstrip("/") + "/"
