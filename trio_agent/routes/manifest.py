"""A plugin's settings: the file `plugin.toml` beside its code.

    name = "curator"              # what people call it; its package unless given
    version = "1.4.0"
    description = "Audits a library."
    targets = ["claude", "codex"]

    [servers.curator.env]         # see `settings` for what each table means
    LIBRARY = "/srv/books"

    [errors]
    expose = "message"            # or "code": what of an author's exception is shown

The file is optional, and is read only when it is there, so a plugin without one does not pay for
the parser.  Every mistake is found, with its line and column; what a table may say is decided by
`sections`, what it means for folders and modules by `servers`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, cast, final

import attrs

from trio_agent.routes.plugin import MANIFEST_NAME, PluginError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.routes.diagnostic import Diagnostic
    from trio_agent.routes.places import Path
    from trio_agent.routes.plugin import Plugin
    from trio_agent.routes.settings import (
        ClientPolicy,
        CommandSettings,
        ErrorSurface,
        Exposure,
        ServerSettings,
        Target,
        WebSettings,
    )
    from trio_agent.routes.tables import Book, Table

KEYS: Final = (
    "name",
    "version",
    "description",
    "targets",
    "servers",
    "commands",
    "clients",
    "errors",
    "web",
)
"""Of the file, outside of any table."""


@final
@attrs.frozen(kw_only=True)
class Manifest:
    """What a plugin says about itself.

    Attributes:
        name: what people call it.
        version: as the author writes it; None when the file does not say.
        description: one sentence for help; None when the file does not say.
        expose: what of an exception is shown, surface by surface; see `exposure`.
        targets: the hosts it is made for; None for all.
        servers: by name.
        clients: by prefix.
        commands: which tools are commands too; None for none.
        web: the apps that are shown in a browser; None for none.
    """

    name: str
    version: str | None = None
    description: str | None = None
    expose: Mapping[ErrorSurface, Exposure] = attrs.field(factory=dict["ErrorSurface", "Exposure"])
    targets: tuple[Target, ...] | None = None
    servers: Mapping[str, ServerSettings] = attrs.field(factory=dict[str, "ServerSettings"])
    clients: tuple[ClientPolicy, ...] = ()
    commands: CommandSettings | None = None
    web: WebSettings | None = None

    __repr__ = shown

    def exposure(self, surface: ErrorSurface) -> Exposure:
        """What of an author's exception a surface shows.

        By default its message on stdio and the command line, whose reader sees the log, and its
        code over HTTP.
        """
        return self.expose.get(surface, "code" if surface == "http" else "message")

    def client_policy(self, client_name: str | None) -> ClientPolicy:
        """What a client of that name is given.

        Every prefix that the name begins with counts, in any case of letters; where two say
        something, the longer one does.

        Args:
            client_name: as the client tells it; None when it does not.

        Returns:
            A policy that leaves nothing open but `structured`.
        """
        # lazy: only who talks to a client asks.
        from trio_agent.routes.settings import EVERY_CLIENT  # noqa: PLC0415

        name = (client_name or "").casefold()
        policy = EVERY_CLIENT
        for found in sorted(self.clients, key=lambda one: len(one.prefix)):
            if name.startswith(found.prefix.casefold()):
                policy = found.over(policy)
        return policy


def read_manifest(plugin: Plugin) -> Manifest:
    """Read `plugin.toml`, strictly; without the file, the defaults.

    Raises:
        PluginError: the file cannot be read, is not TOML, has an unknown key or a value of the
            wrong type; names the file, the line and the column of the first mistake.
    """
    manifest, complaints = examine_manifest(plugin)
    for complaint in complaints:
        raise PluginError(f"{plugin.root}{os.sep}{complaint}")
    return manifest


def examine_manifest(plugin: Plugin) -> tuple[Manifest, tuple[Diagnostic, ...]]:
    """What can be used of `plugin.toml`, and everything that is wrong with it, by line.

    Raises:
        PluginError: the file cannot be read.
    """
    text = _read(plugin)
    if text is None:
        return Manifest(name=plugin.name), ()
    # lazy: most plugins have no such file.
    from trio_agent.routes.tables import Book, Table  # noqa: PLC0415

    book = Book(text)
    manifest = _interpret(Table(book, (), _parse(book)), plugin.name)
    return manifest, tuple(sorted(book.complaints, key=lambda one: (one.line, one.column)))


def version_of(plugin: Plugin, manifest: Manifest) -> str | None:
    """What `plugin.toml` says, or else that of the distribution that an installed package is of."""
    if manifest.version is not None or plugin.origin == "folder":
        return manifest.version
    # lazy: it takes as long as help does; and only an installed package has one.
    from trio_agent.routes.distribution import find_version  # noqa: PLC0415

    return find_version(plugin)


def find_place(plugin: Plugin, path: Path, *, of_key: bool = False) -> tuple[int, int]:
    """Line and column of a value in `plugin.toml`, or of its key.

    Raises:
        PluginError: the file cannot be read.
    """
    # lazy: see `examine_manifest`.
    from trio_agent.routes.tables import Book  # noqa: PLC0415

    return Book(_read(plugin) or "").place(path, of_key=of_key)


def _read(plugin: Plugin) -> str | None:
    path = plugin.root / MANIFEST_NAME
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise PluginError(f"{path}: cannot be read: {error}") from error


def _parse(book: Book) -> Mapping[str, object]:
    # lazy: the parser and its patterns take milliseconds, and most plugins have no such file.
    import tomllib  # noqa: PLC0415

    try:
        return cast("Mapping[str, object]", tomllib.loads(book.text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        book.complain_of_syntax(str(error))
        return {}


def _interpret(root: Table, name: str) -> Manifest:
    # lazy: most plugins have no such file.
    from trio_agent.routes import sections  # noqa: PLC0415

    root.refuse_others(KEYS)
    return Manifest(
        name=root.text("name") or name,
        version=root.text("version"),
        description=root.text("description"),
        expose=sections.read_expose(root),
        targets=sections.read_targets(root),
        servers=sections.read_servers(root),
        clients=sections.read_clients(root),
        commands=sections.read_commands(root),
        web=sections.read_web(root),
    )
