"""A plugin's settings: the file `plugin.toml` beside its code.

    name = "curator"              # what people call it; its package unless given
    version = "1.4.0"
    description = "Audits a library."

    [errors]
    expose = "message"            # or "code": what of an author's exception is shown

The tables `targets`, `servers`, `commands`, `clients` and `web` are read by other surfaces and
accepted here as they are; any other key is refused with its line.  The file is optional.  It is
read only when it is there, so a plugin without one does not pay for the parser.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast, final, get_args

import attrs

from trio_agent.routes.plugin import PluginError
from trio_agent.routes.settings import (
    EVERY_CLIENT,
    ClientPolicy,
    CommandSettings,
    ErrorSurface,
    Exposure,
    ServerSettings,
    Target,
    WebSettings,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from trio_agent.routes.plugin import Plugin

MANIFEST_NAME: Final = "plugin.toml"

_TEXTS: Final = ("name", "version", "description")
_LATER: Final = ("targets", "servers", "commands", "clients", "web")
_KNOWN: Final = (*_TEXTS, "errors", *_LATER)


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
    expose: Mapping[ErrorSurface, Exposure] = attrs.field(factory=dict[ErrorSurface, Exposure])
    targets: tuple[Target, ...] | None = None
    servers: Mapping[str, ServerSettings] = attrs.field(factory=dict[str, ServerSettings])
    clients: tuple[ClientPolicy, ...] = ()
    commands: CommandSettings | None = None
    web: WebSettings | None = None

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
            wrong type; names the file and the line.
    """
    path = plugin.root / MANIFEST_NAME
    try:
        text = path.read_bytes().decode()
    except FileNotFoundError:
        return Manifest(name=plugin.name)
    except (OSError, UnicodeDecodeError) as error:
        raise PluginError(f"{path}: cannot be read: {error}") from error
    return _interpret(_parse(text, path), _Place(path, text), plugin.name)


def _parse(text: str, path: Path) -> Mapping[str, object]:
    # lazy: the parser and its patterns take milliseconds, and most plugins have no such file.
    import tomllib  # noqa: PLC0415

    try:
        return cast("Mapping[str, object]", tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise PluginError(f"{path}: is not TOML: {error}") from error


@final
@attrs.frozen
class _Place:
    """Where a key stands; the parser forgets positions, so this looks for them in the text."""

    path: Path
    text: str

    def of(self, key: str, table: str = "") -> str:
        """`file:line` of a key, or of the table it is in when it is written in an odd way."""
        spelled = rf"(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')"
        start = 0
        if table and (header := re.search(rf"^\s*\[?\[?\s*{table}\b", self.text, re.MULTILINE)):
            start = header.start()
        found = re.compile(rf"(?:^|[\[{{,.])\s*{spelled}\s*[=.\]]", re.MULTILINE).search(
            self.text, start
        )
        end = start if found is None else found.end()
        return f"{self.path}:{self.text.count(chr(10), 0, end) + 1}"


def _interpret(members: Mapping[str, object], place: _Place, name: str) -> Manifest:
    for key, value in members.items():
        if key not in _KNOWN:
            raise PluginError(
                f"{place.of(key)}: {key!r} is not a key of {MANIFEST_NAME}; there are"
                f" {', '.join(_KNOWN)}"
            )
        if key in _TEXTS and not (isinstance(value, str) and value.strip()):
            raise PluginError(
                f"{place.of(key)}: {key} is a string that is not blank, received {value!r}"
            )
    texts = cast("dict[str, str]", {key: members[key] for key in _TEXTS if key in members})
    expose = _exposure(members.get("errors"), place)
    surfaces: dict[ErrorSurface, Exposure] = {}
    if expose is not None:
        surfaces = {"stdio": expose, "http": expose, "cli": expose}
    return Manifest(
        name=texts.get("name", name),
        version=texts.get("version"),
        description=texts.get("description"),
        expose=surfaces,
    )


def _exposure(errors: object, place: _Place) -> Exposure | None:
    if errors is None:
        return None
    if not isinstance(errors, dict):
        raise PluginError(f"{place.of('errors')}: errors is a table, received {errors!r}")
    members = cast("dict[str, object]", errors)
    for key in members:
        if key != "expose":
            raise PluginError(
                f"{place.of(key, 'errors')}: {key!r} is not a key of [errors]; there is expose"
            )
    expose = members.get("expose")
    if expose is None or expose in get_args(Exposure):
        return cast("Exposure | None", expose)
    raise PluginError(
        f"{place.of('expose', 'errors')}: expose is 'message' or 'code', received {expose!r}"
    )
