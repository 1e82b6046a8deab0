"""The shelf: which directories a server may look into, and what a path that it is given means.

Without a root everything may be looked at, and paths have to be absolute.  With one, paths may be
relative to it, and what leads out of it is refused.  That keeps a model from wandering; it is no
sandbox, since what is checked may change before it is read.

Above: whoever serves.  Below: printable, values, the operating system.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Self, final

import attrs

from curator.library.printable import from_printable
from curator.library.values import LibraryError

ROOT_VARIABLE: Final = "CURATOR_ROOT"
"""Of the environment: the directory that a server is confined to."""


@final
@attrs.frozen
class Shelf:
    """Turns what a client calls a path into the real one.

    Every method may look at the disk, so it belongs in a thread.

    Attributes:
        root: the only directory to look into, resolved; None for all.
    """

    root: Path | None = None

    @classmethod
    def open(cls, environ: Mapping[str, str]) -> Self:
        """The shelf that the environment names; blank is as good as nothing."""
        named = environ.get(ROOT_VARIABLE, "").strip()
        return cls(Path(os.path.realpath(os.path.expanduser(named))) if named else None)

    def directory(self, path: Path | None) -> Path:
        """The directory that *path* means; None is the root.

        Raises:
            LibraryError: there is no root that it could be relative to, or it leads out of it.
        """
        if path is None:
            return self.library()
        return self._inside(Path(os.path.realpath(self._absolute(path))))

    def library(self) -> Path:
        """The root.

        Raises:
            LibraryError: there is none.
        """
        if self.root is None:
            raise LibraryError(
                "no-library",
                f"expected a directory, or {ROOT_VARIABLE} in the environment of the server",
            )
        return self.root

    def file(self, shown: str) -> Path:
        r"""The file that a path means as a receipt shows it, `caf\xe9.txt` included.

        A link is not followed, but the directories above it are.

        Raises:
            LibraryError: as `directory`.
        """
        path = self._absolute(Path(from_printable(shown)))
        return self._inside(Path(os.path.realpath(path.parent)) / path.name)

    def _absolute(self, path: Path) -> Path:
        path = Path(os.path.expanduser(path))
        if "\0" in str(path):
            raise LibraryError("file-not-found", f"expected a path, got {str(path)!r}")
        if path.is_absolute():
            return path
        if self.root is None:
            raise LibraryError(
                "no-library",
                f"expected an absolute path, got {str(path)!r};"
                f" with {ROOT_VARIABLE} in its environment the server takes relative ones",
            )
        return self.root / path

    def _inside(self, path: Path) -> Path:
        if ".." in path.parts or (self.root is not None and not path.is_relative_to(self.root)):
            raise LibraryError(
                "outside-library", f"expected a path in the library, got {str(path)!r}"
            )
        return path
