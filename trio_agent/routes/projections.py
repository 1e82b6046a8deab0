"""Tools that are commands too: which, by what words, and what else answers to those.

    [commands] in plugin.toml             each tool that is chosen: `curator audit_library`
    mcp/curator/tools/x_cli.py            the tool `x`, by words and flags of its own

A module of its own replaces what the table would make of its tool, and needs no table.  A tool
in error stays a command, so that running it says what is wrong.

Deliberately not here: what such a command takes; its fields are known only when the tool's module
is imported.  Below: `record`.  Above: `discovery`; only a plugin that has such
commands imports this.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

import attrs

from trio_agent.routes.record import ProjectionRecord, RouteRecord
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trio_agent.routes.record import ServerRecord
    from trio_agent.routes.search import Search
    from trio_agent.routes.settings import CommandSettings

_CODE: Final = "TA4813"


@final
@attrs.frozen(kw_only=True)
class ToolCommandRecord:
    """A tool as a command.  It is no route: what runs is the tool.

    Attributes:
        tool: what runs.
        projection: the module that says how it looks; None for one that `[commands]` chose.
        words: what a person types, `("curator", "audit_library")`.
        aliases: other spellings of the last word, without those that are taken.
    """

    tool: RouteRecord
    projection: ProjectionRecord | None = None
    words: tuple[str, ...]
    aliases: tuple[str, ...] = ()

    __repr__ = shown

    @property
    def id(self) -> str:
        """`cli:curator/audit_library`, as commands have it; the identity of what runs is the tool's."""
        return f"cli:{'/'.join(self.words)}"

    @property
    def name(self) -> str:
        """The words, joined by a blank."""
        return " ".join(self.words)

    @property
    def path(self) -> str:
        """Of the module that declares the command: the projection's, or else the tool's."""
        return self._declared.path

    @property
    def line(self) -> int:
        """Of the function there."""
        return self._declared.line

    @property
    def description(self) -> str | None:
        """The projection's, or else the tool's."""
        return (self.projection and self.projection.description) or self.tool.description

    @property
    def title(self) -> str | None:
        """The projection's, or else the tool's."""
        return (self.projection and self.projection.title) or self.tool.title

    @property
    def exit_code(self) -> Literal["result"] | None:
        """`result` when the value's `exitCode` becomes the exit code of the process."""
        return None if self.projection is None else self.projection.exit_code

    @property
    def needs_confirmation(self) -> bool:
        """Whether it runs with `--yes` only.

        That is what the projection says, or else so unless the tool is declared read-only.
        """
        said = None if self.projection is None else self.projection.confirm
        return self.tool.read_only is not True if said is None else said

    @property
    def _declared(self) -> ProjectionRecord | RouteRecord:
        return self.projection or self.tool


CommandRecord: TypeAlias = RouteRecord | ToolCommandRecord
"""Whatever words can lead to."""


def find_tool_commands(
    settings: CommandSettings | None, servers: Iterable[ServerRecord]
) -> Iterator[ToolCommandRecord]:
    """Every tool that is a command, server by server.

    Args:
        settings: `[commands]`; None without it.
        servers: of the plugin; those that are made of routes have tools.
    """
    for server in servers:
        projections = {one.tool: one for one in server.projections}
        for tool in server.tools:
            projection = projections.get(tool.name)
            if projection is not None:
                command = projection.command
                words = (server.name, tool.name) if command is None else command.split(" ")
                yield ToolCommandRecord(
                    tool=tool,
                    projection=projection,
                    words=tuple(words),
                    aliases=projection.aliases,
                )
            elif settings is not None and settings.chooses(f"{server.name}:{tool.name}"):
                yield ToolCommandRecord(tool=tool, words=(server.name, tool.name))


def check_words(
    search: Search, commands: Sequence[RouteRecord], tool_commands: Sequence[ToolCommandRecord]
) -> None:
    """Complain about every command that a tool's command stands in the way of, and the reverse.

    Nobody wins: what words do must not depend on which of two files was written later.
    """
    for record, other in collisions([*commands, *tool_commands]):
        message = f"the command `{record.name}` {_told(record, other)}: call one of them otherwise"
        if isinstance(record, ToolCommandRecord) and record.projection is None:
            search.complain_of_manifest(_CODE, ("commands",), message, record.id)
        else:
            search.complain(_CODE, record.path, message, line=record.line)


def _told(record: CommandRecord, other: CommandRecord) -> str:
    what = f"of {record.tool.id} " if isinstance(record, ToolCommandRecord) else ""
    source = other.path
    if isinstance(other, ToolCommandRecord) and other.projection is None:
        source = f"[commands], which makes one of {other.tool.id}"
    if record.words == other.words:
        return f"{what}is also declared by {source}"
    if len(record.words) < len(other.words):
        return f"{what}is also a group, because of `{other.name}` by {source}"
    return f"{what}lies below `{other.name}`, a command by {source}"


def collisions(
    records: Sequence[CommandRecord],
) -> Iterator[tuple[CommandRecord, CommandRecord]]:
    """Each command whose words another one uses, too, and the first such other.

    Words are used when they are equal, or when those of one begin those of the other: a group
    that is a command.  Two commands of `cli/` are left to the walk over that folder.
    """
    by_words: defaultdict[tuple[str, ...], list[CommandRecord]] = defaultdict(list)
    below: defaultdict[tuple[str, ...], list[CommandRecord]] = defaultdict(list)
    for record in records:
        by_words[record.words].append(record)
        for depth in range(1, len(record.words)):
            below[record.words[:depth]].append(record)
    for record in records:
        above = (record.words[:depth] for depth in range(1, len(record.words)))
        others = [
            *by_words[record.words],
            *below[record.words],
            *(other for words in above for other in by_words.get(words, ())),
        ]
        rival = next((other for other in others if _is_rival(record, other)), None)
        if rival is not None:
            yield record, rival


def _is_rival(record: CommandRecord, other: CommandRecord) -> bool:
    are_routes = isinstance(record, RouteRecord) and isinstance(other, RouteRecord)
    return record is not other and not are_routes
