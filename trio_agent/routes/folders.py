"""Folders of a plugin as far as anybody looks into them: which entries count, and what a name may be.

Apart from `walk`, which says all of this to people: the lists of `glance` are printed in less
time than it takes to make a class, so this imports neither attrs nor typing.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def list_entries(folder: str | os.PathLike[str]) -> list[tuple[str, bool]]:
    """The public entries of a folder, by name, and whether each is a folder itself.

    Raises:
        OSError: the folder cannot be listed.
    """
    with os.scandir(folder) as entries:
        return sorted(
            (entry.name, entry.is_dir(follow_symlinks=False))
            for entry in entries
            if not entry.name.startswith(("_", "."))
            and (entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False))
        )


def is_segment(part: str) -> bool:
    """Whether *part* can be a part of a route's name: an identifier of letters and inner `_`."""
    return part.isascii() and part.isidentifier() and not (part[0] == "_" or part[-1] == "_")


def named_modules(folder: str) -> Iterator[str]:
    """The stem of every module below *folder* whose whole name can be a route's.

    Raises:
        OSError: a folder cannot be listed.
    """
    for name, is_folder in list_entries(folder):
        if is_folder and is_segment(name):
            yield from named_modules(f"{folder}/{name}")
        elif not is_folder and name.endswith(".py") and is_segment(name[:-3]):
            yield name[:-3]
