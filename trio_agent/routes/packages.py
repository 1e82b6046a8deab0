"""Where Python would find a package, without importing it or its parents.

Imports neither attrs nor typing; see `folders`.  Above: `plugin`, `glance`.
"""

from __future__ import annotations

import importlib.util
import keyword
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def is_package_name(name: str) -> bool:
    """Whether code can say `import name`; *name* has no dots."""
    return name.isidentifier() and not keyword.iskeyword(name)


def find_folders(parts: Sequence[str]) -> list[str]:
    """The folders of a package; none when there is no such package, several for a spread one.

    Args:
        parts: of its dotted name.
    """
    locations = _locations_of(parts[0])
    for part in parts[1:]:
        locations = _locations_below(locations, part)
    return [location for location in locations if os.path.isdir(location)]


def _locations_of(name: str) -> Sequence[str]:
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:
        # A module that was put there by hand, such as `__main__`: not a package on disk.
        return ()
    return () if spec is None else list(spec.submodule_search_locations or ())


def _locations_below(locations: Sequence[str], name: str) -> Sequence[str]:
    """What the import system would find, without importing the parent as it would."""
    portions: list[str] = []
    for location in locations:
        folder = os.path.join(location, name)
        if os.path.isfile(os.path.join(folder, "__init__.py")):
            return [folder]
        if os.path.isdir(folder):
            portions.append(folder)
    return portions
