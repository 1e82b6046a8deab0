"""Walking over a plugin's folders: which files count, and what their names may be.

Regular files only and no symbolic links, in the order of their names; what begins with `_` or
`.` is private.  A name is a Python identifier of ASCII letters, digits and inner `_`, because
the file is imported under it.  Nothing here knows what a route is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from trio_agent.routes.diagnostic import Diagnostic
from trio_agent.routes.folders import is_segment, list_entries
from trio_agent.routes.plugin import PluginError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEGMENT: Final = re.compile(r"[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?")


def is_own_folder(path: Path) -> bool:
    """Whether *path* is a folder, and no link to one.

    Raises:
        PluginError: it cannot be said.
    """
    try:
        return path.is_dir() and not path.is_symlink()
    except OSError as error:
        raise PluginError(f"{path}: cannot be listed: {error}") from error


def is_own_file(path: Path) -> bool:
    """Whether *path* is a regular file, and no link to one.

    Raises:
        PluginError: it cannot be said.
    """
    try:
        return path.is_file() and not path.is_symlink()
    except OSError as error:
        raise PluginError(f"{path}: cannot be read: {error}") from error


def list_folder(folder: Path) -> list[tuple[str, bool]]:
    """The public entries of a folder, by name, and whether each is a folder itself.

    Raises:
        PluginError: the folder cannot be listed.
    """
    try:
        return list_entries(folder)
    except OSError as error:
        raise PluginError(f"{folder}: cannot be listed: {error}") from error


def walk_modules(folder: Path, suffixes: str | tuple[str, ...] = ".py") -> Iterator[Path]:
    """Every public module below *folder*, in the order of their names.

    Args:
        folder: where to begin.
        suffixes: what its files end with.

    Raises:
        PluginError: a folder cannot be listed.
    """
    for name, is_folder in list_folder(folder):
        if is_folder:
            yield from walk_modules(folder / name, suffixes)
        elif name.endswith(suffixes):
            yield folder / name


def read_file(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        PluginError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise PluginError(f"{path}: cannot be read: {error}") from error


def holds_modules(folder: Path) -> bool:
    """Whether a package would stand in the way of the module of the same name."""
    return (
        folder.is_dir()
        and not folder.is_symlink()
        and ((folder / "__init__.py").exists() or any(walk_modules(folder)))
    )


def misnamed(file: str, part: str) -> Diagnostic:
    """That *part* of the path *file* cannot be a part of a route's name."""
    fix = re.sub(r"\W+", "_", part, flags=re.ASCII).strip("_")
    advice = f"rename it to {fix}" if is_segment(fix) else "rename it"
    return Diagnostic(
        code="TA4803",
        file=file,
        message=f"{part!r} cannot be a part of a route's name, which is a Python identifier of"
        f" ASCII letters, digits and inner _: {advice}, or begin it with _ to keep it private",
    )
