"""What discovery finds: routes, and what is wrong with them.

These are values.  A record is made by reading a module, never by importing it, so it can be
listed, completed and shown in help while the module is broken or slow.  The handler and its
types are known only to the module itself: `commands.CommandRoute`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, final

import attrs

if TYPE_CHECKING:
    from trio_agent.routes.plugin import Plugin

RouteKind: TypeAlias = Literal["cli"]
"""Which folder of the plugin a route lies in, and which surface serves it."""

DiagnosticCode: TypeAlias = Literal["TA4803", "TA4805", "TA4806", "TA4813", "TA4815"]
"""What can be wrong with a route.

    TA4803   a file or folder whose name cannot be a part of a route's name
    TA4805   an argument of the decorator that is unknown or of the wrong type
    TA4806   an argument of the decorator that is no literal
    TA4813   two commands, or a command and a group, that share a name
    TA4815   a module that cannot be read, declares no route or several, or says too little
"""

Severity: TypeAlias = Literal["error", "warning"]


@final
@attrs.frozen(kw_only=True)
class Diagnostic:
    """One thing that is wrong, where, and what to do about it.

    Attributes:
        file: relative to the plugin, with `/`.
        line: from 1.
        column: from 1, in characters.
        message: one line.
    """

    code: DiagnosticCode
    severity: Severity = "error"
    file: str
    line: int = 1
    column: int = 1
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.code} {self.message}"


@final
@attrs.frozen(kw_only=True)
class RouteRecord:
    """One route, as far as it can be known without importing its module.

    Attributes:
        id: `cli:db/clean-up`; the path is the identity.
        kind: which surface serves it.
        words: what a person types, `("db", "clean-up")`.
        path: of its module, relative to the plugin, with `/`.
        module: name to import, `curator.cli.db.clean_up`.
        handler: name of the decorated function; None when the module could not be read.
        line: of the function; 1 when the module could not be read.
        description: of the decorator, else the first paragraph of the function's docstring.
        title: for menus.
        aliases: other spellings of the last word, without those that are taken.
        exit_code: `result` when the value's `exitCode` becomes the exit code of the process.
        result: the type that `result=` names, as it is written.
    """

    id: str
    kind: RouteKind
    words: tuple[str, ...]
    path: str
    module: str
    handler: str | None = None
    line: int = 1
    description: str | None = None
    title: str | None = None
    aliases: tuple[str, ...] = ()
    exit_code: Literal["result"] | None = None
    result: str | None = None

    @property
    def name(self) -> str:
        """What a person types, as one text: `db clean-up`."""
        return " ".join(self.words)


@final
@attrs.frozen(kw_only=True)
class RouteGraph:
    """Every route of a plugin.

    Attributes:
        commands: by their words; one whose module is in error is there too, so that running it
            says what is wrong instead of "unknown command".
        diagnostics: by file and line.
    """

    plugin: Plugin
    commands: tuple[RouteRecord, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    def errors_of(self, record: RouteRecord) -> tuple[Diagnostic, ...]:
        """What keeps this route from running; empty when nothing does."""
        return tuple(
            found
            for found in self.diagnostics
            if found.file == record.path and found.severity == "error"
        )

    def find_command(self, name: str) -> RouteRecord | None:
        """The command of that name, `db clean-up`; the last word may be an alias."""
        for record in self.commands:
            if name == record.name:
                return record
        for record in self.commands:
            if any(name == " ".join((*record.words[:-1], alias)) for alias in record.aliases):
                return record
        return None


def first_paragraph(docstring: str | None) -> str | None:
    """A docstring's first paragraph as one line; None when there is none."""
    if docstring is None:
        return None
    lines: list[str] = []
    for line in docstring.strip().splitlines():
        if not line.strip():
            break
        lines.append(line.strip())
    return " ".join(lines) or None
