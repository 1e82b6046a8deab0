"""What a result of the harness proves, and what it does not: its level of proof.

    route-unit             a route, rendered in this process, without a surface
    simulated              recorded events, projected for a client that does not exist
    mcp-in-memory          a real client and a real server, joined in memory
    cli-dispatch           the command line, in this process
    script-dispatch        a script, as it is run
    workbench-surface      what the workbench would show
    dev-epoch              a build of the development server
    packed-stdio           the packed plugin, as a server process
    packed-deleted-source  the same, with the source gone
    host-install           as a host has installed it
    browser-app            an app, in a browser

Success at one level says nothing about any other.  Every result has its `Provenance`; an error
that passes through the harness gets it as a note, and `HarnessError` has it in its message.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final, get_args

import attrs

from trio_agent.errors import TrioAgentError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Generator

ProofLevel: TypeAlias = Literal[
    "route-unit",
    "simulated",
    "mcp-in-memory",
    "cli-dispatch",
    "script-dispatch",
    "workbench-surface",
    "dev-epoch",
    "packed-stdio",
    "packed-deleted-source",
    "host-install",
    "browser-app",
]
"""How near to the real thing something was seen; the names are those of `trio_agent.testing.proof`."""

PROOF_LEVELS: Final[tuple[ProofLevel, ...]] = get_args(ProofLevel)

HarnessErrorCode: TypeAlias = Literal["manifest-unavailable", "route-not-found", "server-not-found"]
"""The plugin cannot be read, or has no such route or server, or more than one server."""


@final
@attrs.frozen(kw_only=True)
class Provenance:
    """Where a result comes from.

    Attributes:
        level: what it proves.
        plugin: its name; None where there was none.
        server: its name.
        route: the id of the only one that took part.
        version: of the protocol that was spoken.
    """

    level: ProofLevel
    plugin: str | None = None
    server: str | None = None
    route: str | None = None
    version: str | None = None

    __repr__ = shown

    def __str__(self) -> str:
        """One line: `mcp-in-memory, curator/library over 2025-11-25`."""
        named = [name for name in (self.plugin, self.server) if name is not None]
        places = [part for part in ("/".join(named), self.route) if part]
        over = "" if self.version is None else f" over {self.version}"
        return ", ".join([self.level, *places]) + over


ROUTE_UNIT: Final = Provenance(level="route-unit")
"""A render that no plugin took part in."""


@final
class HarnessError(TrioAgentError):
    """The harness cannot do what a test asks for; nothing was proven.

    Attributes:
        provenance: the level that was asked for.
    """

    def __init__(self, code: HarnessErrorCode, message: str, provenance: Provenance) -> None:
        super().__init__(code, f"{message} (proof level: {provenance})")
        self.provenance: Final = provenance


def note_proof(error: BaseException, provenance: Provenance) -> None:
    """Add the level to what a test shows of an error; once."""
    note = f"proof level: {provenance}"
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


@contextmanager
def proving(provenance: Provenance) -> Generator[None, None, None]:
    """Note the level on every `Exception` that leaves the block."""
    try:
        yield
    except Exception as error:
        note_proof(error, provenance)
        raise
