"""Who serves a server: route modules, a hand-written module, a program, or somebody else.

The folders and `plugin.toml` may say different things; then nothing is chosen, and what the
author has to say is told.  Pure.  Above: `servers`.

    generated   mcp/NAME/{tools,resources,prompts,apps}/     args, env, targets
    custom      mcp/NAME.py, or entry=                       entry, args, cwd, env, targets
    command     command=                                     command, args, cwd, env, targets
    remote      url=                                         url, headers, targets
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.routes.settings import ServerSettings
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trio_agent.routes.diagnostic import DiagnosticCode
    from trio_agent.routes.record import ServerMode

_NAMED_BY: Final[Mapping[str, ServerMode]] = {
    "entry": "custom",
    "command": "command",
    "url": "remote",
}
"""The key that says how a server is reached, and the mode that it means."""

_TAKES: Final[Mapping[ServerMode, frozenset[str]]] = {
    "generated": frozenset({"args", "env"}),
    "custom": frozenset({"entry", "args", "cwd", "env"}),
    "command": frozenset({"command", "args", "cwd", "env"}),
    "remote": frozenset({"url", "headers"}),
}
_CODES: Final[Mapping[str, DiagnosticCode]] = {"cwd": "TA4309", "headers": "TA4310"}


@final
@attrs.frozen
class ModeFault:
    """What is wrong with a server, and the key of its table that says so; None for the table."""

    code: DiagnosticCode
    key: str | None
    message: str

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class ServerSigns:
    """Everything that says who serves a server.

    Attributes:
        name: of the server.
        settings: its table.
        has_routes: whether there are route modules for it.
        has_module: whether there is a hand-written `mcp/NAME.py`.
    """

    name: str
    settings: ServerSettings | None = None
    has_routes: bool = False
    has_module: bool = False

    __repr__ = shown

    def decide(self) -> tuple[ServerMode, tuple[ModeFault, ...]]:
        """The mode, and what is wrong; without faults the mode is beyond doubt."""
        settings = self.settings or ServerSettings(name=self.name)
        mode = settings.mode
        if mode is None:
            mode, fault = self._guess(settings)
        else:
            fault = self._missing(settings, mode)
        if fault is not None:
            return mode, (fault,)
        return mode, tuple(_foreign_keys(settings, mode))

    def _guess(self, settings: ServerSettings) -> tuple[ServerMode, ModeFault | None]:
        told: dict[str, ServerMode] = {}
        if self.has_routes:
            told[f"the routes in mcp/{self.name}/"] = "generated"
        if self.has_module and settings.entry is None:
            told[f"mcp/{self.name}.py"] = "custom"
        for key, meant in _NAMED_BY.items():
            if getattr(settings, key) is not None:
                told[f"{key}="] = meant
        modes: list[ServerMode] = [*told.values()]
        if len(modes) == 1:
            return modes[0], None
        if not modes:
            return "generated", self._empty()
        choice = " or ".join(f"mode = {mode!r}" for mode in modes)
        return modes[0], ModeFault(
            "TA4800",
            None,
            f"the server {self.name} is declared by {' and by '.join(told)}: say which counts"
            f" with {choice} in [servers.{self.name}]",
        )

    def _missing(self, settings: ServerSettings, mode: ServerMode) -> ModeFault | None:
        there = {
            "generated": self.has_routes,
            "custom": self.has_module or settings.entry is not None,
            "command": settings.command is not None,
            "remote": settings.url is not None,
        }
        if there[mode]:
            return None
        needs = {
            "generated": f"modules like mcp/{self.name}/tools/x.py",
            "custom": f"entry=, or a module mcp/{self.name}.py",
            "command": "command=",
            "remote": "url=",
        }
        return ModeFault("TA4800", "mode", f"a server that is {mode} has {needs[mode]}")

    def _empty(self) -> ModeFault:
        return ModeFault(
            "TA4800",
            None,
            f"[servers.{self.name}] declares nothing: expected modules like"
            f" mcp/{self.name}/tools/x.py, or entry=, command= or url=",
        )


def _foreign_keys(settings: ServerSettings, mode: ServerMode) -> Iterator[ModeFault]:
    """The keys that say nothing about a server of this mode."""
    known = frozenset[str]().union(*_TAKES.values())
    for key in sorted(known - _TAKES[mode]):
        if getattr(settings, key):
            takes = ", ".join((*sorted(_TAKES[mode]), "targets"))
            yield ModeFault(
                _CODES.get(key, "TA4340"),
                key,
                f"a server that is {mode} has no {key}; it takes {takes}",
            )
