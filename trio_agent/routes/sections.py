"""The sections of `plugin.toml`: what each may say, read into the values of `settings`.

Only the file itself is judged here.  Whether a server that it names has routes, and whether a
pattern matches a tool, is decided where the folders are known: `servers`, `commands_section`.

Below: `tables`, `settings`.  Above: `manifest`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, cast, get_args

from trio_agent.routes.facts import LONGEST_PREFIX, is_json_object
from trio_agent.routes.record import ServerMode, StructuredRule
from trio_agent.routes.settings import (
    ClientPolicy,
    CommandSettings,
    ConsentWord,
    ErrorSurface,
    Exposure,
    MediaRule,
    ServerSettings,
    Target,
    WebApp,
    WebSettings,
)
from trio_agent.routes.tables import Table, spell

if TYPE_CHECKING:
    from collections.abc import Mapping

SERVER_KEYS: Final = (
    "mode",
    "entry",
    "command",
    "args",
    "cwd",
    "url",
    "headers",
    "env",
    "targets",
)
COMMAND_KEYS: Final = ("include", "exclude")
CLIENT_KEYS: Final = ("structured", "image", "audio", "resource")
WEB_KEYS: Final = ("apps", "open")
WEB_APP_KEYS: Final = ("app", "tool", "input", "allow")

_MODES: Final = cast("tuple[ServerMode, ...]", get_args(ServerMode))
_STRUCTURED: Final = cast("tuple[StructuredRule, ...]", get_args(StructuredRule))
_MEDIA: Final = cast("tuple[MediaRule, ...]", get_args(MediaRule))
_TARGETS: Final = cast("tuple[Target, ...]", get_args(Target))
_EXPOSURES: Final = cast("tuple[Exposure, ...]", get_args(Exposure))
_SURFACES: Final = cast("tuple[ErrorSurface, ...]", get_args(ErrorSurface))
_CONSENTS: Final = cast("tuple[ConsentWord, ...]", get_args(ConsentWord))
_OPENINGS: Final[tuple[Literal["browser", "never"], ...]] = ("browser", "never")

_SERVER_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_URL: Final = re.compile(r"https?://[^\s]+")
_PATTERN: Final = re.compile(r"[A-Za-z0-9_*-]+:[A-Za-z0-9_*-]+|\*")


def read_targets(table: Table) -> tuple[Target, ...] | None:
    """`targets`: hosts by name; None without the key."""
    if not table.has("targets"):
        return None
    found = table.texts("targets", "a list of hosts", code="TA4825")
    known: list[Target] = []
    for index, name in enumerate(found or ()):
        if name in _TARGETS and name not in known:
            known.append(name)
        else:
            fault = "named twice" if name in known else f"no host; there are {', '.join(_TARGETS)}"
            path = (*table.path, "targets", index)
            table.book.complain("TA4824", path, f"{name!r:.80} is {fault}")
    if table.members["targets"] == []:
        table.refuse("targets", "a list of at least one host", "TA4825")
    return tuple(known)


def read_servers(root: Table) -> dict[str, ServerSettings]:
    """`[servers.NAME]`, by name."""
    return {
        name: _read_server(name, table)
        for name, table in root.tables("servers")
        if _is_server_name(name, table)
    }


def _is_server_name(name: str, table: Table) -> bool:
    is_right = _SERVER_NAME.fullmatch(name) is not None
    if not is_right:
        message = f"a server is called by 1 to 64 letters, digits, _ and -, received {name!r:.80}"
        table.book.complain("TA4803", table.path, message, of_key=True)
    return is_right


def _read_server(name: str, table: Table) -> ServerSettings:
    table.refuse_others(SERVER_KEYS)
    url = table.text("url")
    if url is not None and _URL.fullmatch(url) is None:
        table.refuse("url", "an address that begins with http:// or https://")
    return ServerSettings(
        name=name,
        mode=table.one_of("mode", _MODES, "TA4804"),
        entry=table.text("entry"),
        command=table.text("command"),
        args=table.texts("args") or (),
        cwd=table.text("cwd"),
        url=url,
        headers=table.named_texts("headers"),
        env=table.named_texts("env"),
        targets=read_targets(table),
    )


def read_clients(root: Table) -> tuple[ClientPolicy, ...]:
    """`[clients.PREFIX]`, in the order of the file."""
    policies: dict[str, ClientPolicy] = {}
    for prefix, table in root.tables("clients"):
        folded = prefix.casefold()
        if not 0 < len(prefix.strip()) <= len(prefix) <= LONGEST_PREFIX:
            message = f"a prefix has 1 to {LONGEST_PREFIX} characters, received {prefix!r:.80}"
            table.book.complain("TA4805", table.path, message, of_key=True)
        elif folded in policies:
            message = f"{spell(table.path)} is there already, in other letters"
            table.book.complain("TA4805", table.path, message, of_key=True)
        else:
            policies[folded] = _read_client(folded, table)
    return tuple(policies.values())


def _read_client(prefix: str, table: Table) -> ClientPolicy:
    table.refuse_others(CLIENT_KEYS)
    return ClientPolicy(
        prefix=prefix,
        structured=table.one_of("structured", _STRUCTURED),
        image=table.one_of("image", _MEDIA),
        audio=table.one_of("audio", _MEDIA),
        resource=table.one_of("resource", _MEDIA),
    )


def read_expose(root: Table) -> dict[ErrorSurface, Exposure]:
    """`[errors] expose`: one word for every surface, or a table with a word for some."""
    errors = root.table("errors")
    if errors is None:
        return {}
    errors.refuse_others(("expose",))
    if not isinstance(errors.members.get("expose"), dict):
        word: Exposure | None = errors.one_of("expose", _EXPOSURES)
        return {} if word is None else {"stdio": word, "http": word, "cli": word}
    table = cast("Table", errors.table("expose"))
    table.refuse_others(_SURFACES)
    words: dict[ErrorSurface, Exposure] = {}
    for surface in _SURFACES:
        said: Exposure | None = table.one_of(surface, _EXPOSURES)
        if said is not None:
            words[surface] = said
    return words


def read_commands(root: Table) -> CommandSettings | None:
    """`[commands]`; None without it."""
    table = root.table("commands")
    if table is None:
        return None
    table.refuse_others(COMMAND_KEYS)
    expected = "a list of patterns like 'server:tool' or 'server:*'"
    include = table.texts("include", expected, _is_pattern)
    if table.members.get("include") == []:
        table.refuse("include", "a list of at least one pattern", "TA4822")
    return CommandSettings(
        include=include, exclude=table.texts("exclude", expected, _is_pattern) or ()
    )


def _is_pattern(text: str) -> bool:
    return _PATTERN.fullmatch(text) is not None


def read_web(root: Table) -> WebSettings | None:
    """`[web]`; None without it."""
    table = root.table("web")
    if table is None:
        return None
    table.refuse_others(WEB_KEYS)
    apps = table.members.get("apps")
    if not isinstance(apps, list) or not apps:
        message = "[web] has apps, a list of at least one 'server/app'"
        table.book.complain("TA4341", (*table.path, "apps"), message)
        apps = []
    found = (
        _read_web_app(table, index, item) for index, item in enumerate(cast("list[object]", apps))
    )
    opening: Literal["browser", "never"] | None = table.one_of("open", _OPENINGS, "TA4341")
    return WebSettings(apps=tuple(filter(None, found)), open=opening or "never")


def _read_web_app(table: Table, index: int, item: object) -> WebApp | None:
    path = (*table.path, "apps", index)
    members = {"app": item} if isinstance(item, str) else item
    if not isinstance(members, dict):
        table.book.complain(
            "TA4341", path, f"an app is 'server/app' or a table, received {item!r:.80}"
        )
        return None
    inner = Table(table.book, path, cast("Mapping[str, object]", members))
    inner.refuse_others(WEB_APP_KEYS)
    app = inner.text("app")
    if app is None or app.count("/") != 1:
        table.book.complain("TA4341", path, f"an app is called 'server/app', received {app!r:.80}")
        return None
    given = inner.members.get("input", {})
    if not is_json_object(given):
        inner.refuse("input", "an object of JSON", "TA4341")
        given = {}
    allow = inner.texts("allow", f"a list of {', '.join(_CONSENTS)}", _is_consent, "TA4341")
    return WebApp(
        app=app,
        tool=inner.text("tool"),
        input=cast("Mapping[str, object]", given),
        allow=cast("tuple[ConsentWord, ...]", allow or ()),
    )


def _is_consent(word: str) -> bool:
    return word in _CONSENTS
