"""The identity of a plugin's files: which build an invocation talks to.

Every regular file of the package counts, whatever it is called, because any of them may change
what is rendered; a symbolic link counts with where it points.  Left out are `__pycache__`,
hidden folders, and what is neither file nor link.  Nothing counts that depends on the machine:
not where the checkout lies, not when or by whom a file was written.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Final

from trio_agent.routes.plugin import PluginError
from trio_agent.version import __version__
from trio_agent.vocabulary.identity import Identity, artifact_epoch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio_agent.routes.plugin import Plugin

_CHUNK_BYTES: Final = 1 << 18
"""Read at a time; what `hashlib.file_digest` uses too."""


def read_identity(plugin: Plugin) -> Identity:
    """Hash the files of *plugin*; blocks for as long as that takes.

    Raises:
        PluginError: a folder or a file of the plugin cannot be read.
    """
    root = os.fspath(plugin.root)
    try:
        digests = {
            os.path.relpath(path, root).replace(os.sep, "/"): _digest(path) for path in _files(root)
        }
    except OSError as error:
        raise PluginError(f"the plugin {root} cannot be read: {error}") from error
    return Identity(artifact_epoch(digests, version=__version__))


def _files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink() or entry.is_file():
                yield entry.path
            elif entry.is_dir() and not entry.name.startswith(".") and entry.name != "__pycache__":
                yield from _files(entry.path)


def _digest(path: str) -> str:
    if os.path.islink(path):
        # No file's content has this digest by accident, as text follows what cannot be a path.
        return hashlib.sha256(b"\0link\0" + os.fsencode(os.readlink(path))).hexdigest()
    with open(path, "rb", buffering=0) as file:
        digest = hashlib.sha256()
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
        return digest.hexdigest()
