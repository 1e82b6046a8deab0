"""A plugin: a name and the folder that its modules lie in.

A plugin is named by a folder or by the dotted name of an importable package, and is found
without running any of its code, or any of its parents'.  A folder that exists is a folder, also
where a package has that name.  The last part of a folder's path is the name of the package, so
it has to be one.

This module reads no file and changes nothing in the interpreter.  Below: `errors`.  Above:
`manifest` reads the plugin's settings, `discovery` its routes, `importing` makes it importable.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal, TypeAlias, final

import attrs

from trio_agent.errors import TrioAgentError
from trio_agent.routes.packages import find_folders, is_package_name
from trio_agent.shown import shown

Origin: TypeAlias = Literal["folder", "package"]

MANIFEST_NAME: Final = "plugin.toml"
"""The file with a plugin's settings, in its folder."""


@final
class PluginError(TrioAgentError):
    """A plugin cannot be found, read, or imported.

    The message is one line and names the place: a folder, or a file with its line.  When code of
    the author raised, that exception is `__cause__`.
    """

    def __init__(self, message: str) -> None:
        super().__init__("invalid-plugin", " ".join(message.splitlines()))


@final
@attrs.frozen(kw_only=True)
class Plugin:
    """Where a plugin is.  Make one with `find_plugin`.

    Attributes:
        name: of its package, `curator` or `acme.curator`; every module name begins with it.
        root: the folder of the package, absolute; symbolic links are left as they were given.
        origin: `folder` when the interpreter would not find the package by itself.
    """

    name: str
    root: Path
    origin: Origin

    __repr__ = shown


def find_plugin(reference: str | Path) -> Plugin:
    """Find a plugin; import nothing.

    Args:
        reference: a folder, or the dotted name of an importable package.  A string that contains
            a path separator or begins with a dot is a folder, and so is one that names an
            existing folder.

    Raises:
        PluginError: there is no such folder or package, or its name cannot be a package's.
    """
    text = os.fspath(reference)
    if os.path.isdir(text):
        return _folder(text)
    is_path = isinstance(reference, Path) or _is_path(text)
    if os.path.exists(text) if is_path else os.path.isfile(text):
        raise PluginError(f"there is no plugin {text!r}: expected a folder, received a file")
    if is_path:
        raise PluginError(f"there is no plugin {text!r}: the folder does not exist")
    return find_package(text)


def _is_path(text: str) -> bool:
    separators = tuple(filter(None, (os.sep, os.altsep)))
    return text.startswith(".") or any(separator in text for separator in separators)


def _folder(text: str) -> Plugin:
    root = _absolute(text)
    if not is_package_name(root.name):
        raise PluginError(
            f"the plugin {root} is imported under the name of its folder, and {root.name!r} is no"
            " Python identifier: rename the folder"
        )
    return Plugin(name=root.name, root=root, origin="folder")


def find_package(name: str) -> Plugin:
    """Find a plugin by the dotted name of its package, whatever folders are around; import nothing.

    Raises:
        PluginError: there is no such package, or several folders have a part of it.
    """
    parts = name.split(".")
    if not all(is_package_name(part) for part in parts):
        raise PluginError(
            f"there is no plugin {name!r}: a plugin is a folder or the dotted name of a package"
        )
    folders = find_folders(parts)
    if not folders:
        raise PluginError(
            f"there is no plugin {name!r}: neither a folder nor a package on the path of"
            " this interpreter"
        )
    if len(folders) > 1:
        raise PluginError(f"the plugin {name!r} is spread over {', '.join(folders)}; name one")
    return Plugin(name=name, root=_absolute(folders[0]), origin="package")


def _absolute(path: str) -> Path:
    try:
        return Path(os.path.abspath(path))
    except OSError as error:
        raise PluginError(
            f"there is no plugin {path!r}: the current directory has been removed"
        ) from error
