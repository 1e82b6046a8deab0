"""What discovery finds, one by one: routes, what surrounds them, and servers.

These are values.  A record is made by reading a module, never by importing it, so it can be
listed, completed and shown in help while the module is broken or slow.  The handler and its
types are known only to the module itself, once it is imported: `commands`, `tools` and so on.

Above: `graph`, which is all of a plugin's, `discovery`, which makes these, and the surfaces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

RouteKind: TypeAlias = Literal["cli", "tool", "resource", "prompt", "app", "script", "event"]
"""Which folder of the plugin a route lies in, and which surface serves it."""

ServerMode: TypeAlias = Literal["generated", "custom", "command", "remote"]
"""Made of route modules, hand-written in Python, another program, somewhere else."""

TaskSupport: TypeAlias = Literal["forbidden", "optional", "required"]
TaskAsks: TypeAlias = Literal["task", "call"]
ScriptForm: TypeAlias = Literal["rendered", "plain", "shell"]
"""Declares a route; any other Python; a program for a shell."""

StructuredRule: TypeAlias = Literal["always", "never"]
ScalarRule: TypeAlias = Literal["text", "wrap", "reject"]

_BY_WORDS: Final = frozenset({"cli", "script"})


@final
@attrs.frozen(kw_only=True)
class RouteRecord:
    """One route, as far as it can be known without importing its module.

    A fact that the module does not state, or does not state as a literal, is None or empty.

    Attributes:
        id: `cli:db/clean-up`, `tool:curator/audit_library`; the path is the identity.
        kind: which surface serves it.
        words: what a person types, `("db", "clean-up")`; of commands and scripts only.
        server: of a tool, resource, prompt or app.
        script: how a script is started; None when its module could not be read.
        path: of its module, relative to the plugin, with `/`.
        module: name to import, `curator.cli.db.clean_up`; empty for an app that is HTML, and for
            a script that is no Python.
        handler: name of the decorated function; `main` of a plain script that leaves it to others
            to call it; None when the module could not be read.
        line: of the function; 1 when the module could not be read.
        description: of the decorator, else the first paragraph of the function's docstring; of a
            plain script the first paragraph of its docstring or leading comment.
        title: for menus.
        result: the type that `result=` names, as it is written.
        answer: the return annotation, as it is written.
        aliases: other spellings of a command's last word, without those that are taken.
        exit_code: `result` when the value's `exitCode` becomes the exit code of the process.
        uri: of a resource, with `{variables}` if it is a template; of an app.
        mime_type: of a resource or an app.
        exclude_clients: beginnings of the names of clients that are not offered the tool.
        task_support: whether a tool may or must run as a task.
        task_asks: who carries the first questions of such a call.
        read_only: whether a tool changes nothing, by `read_only=` or its annotations.
        structured: whether the tool's value goes out as `structuredContent`.
        scalar: what becomes of a tool's value that is no object.
        max_elapsed_s: seconds, from `render=`; None leaves the default.
        input_schema: the literal JSON Schema.
    """

    id: str
    kind: RouteKind
    words: tuple[str, ...] = ()
    server: str | None = None
    script: ScriptForm | None = None
    path: str
    module: str
    handler: str | None = None
    line: int = 1
    description: str | None = None
    title: str | None = None
    result: str | None = None
    answer: str | None = None
    aliases: tuple[str, ...] = ()
    exit_code: Literal["result"] | None = None
    uri: str | None = None
    mime_type: str | None = None
    exclude_clients: tuple[str, ...] = ()
    task_support: TaskSupport | None = None
    task_asks: TaskAsks | None = None
    read_only: bool | None = None
    structured: StructuredRule | None = None
    scalar: ScalarRule | None = None
    max_elapsed_s: float | None = None
    input_schema: Mapping[str, object] | None = None

    __repr__ = shown

    @property
    def name(self) -> str:
        """What it is called where it is used.

        A command's or script's words joined by a blank; an event's family and name,
        `tool/before`; for everything on a server the stem of its file, verbatim.
        """
        if self.kind in _BY_WORDS:
            return " ".join(self.words)
        inner = self.id.partition(":")[2]
        return inner if self.server is None else inner.rpartition("/")[2]


@final
@attrs.frozen(kw_only=True)
class LayoutRecord:
    """A layout: what stands around the routes of a server, or of the whole plugin.

    Attributes:
        server: whose routes it surrounds; None for those of the whole plugin.
        path: of its module, relative to the plugin, with `/`.
        module: name to import, `curator.layout`.
        handler: name of the decorated function; None when the module could not be read.
        line: of the function.
    """

    server: str | None
    path: str
    module: str
    handler: str | None = None
    line: int = 1

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class ProviderRecord:
    """A provider: what a request may ask for by its key.

    Attributes:
        key: the stem of its file, verbatim.
        path: of its module, relative to the plugin, with `/`.
        module: name to import, `curator.providers.library`.
        handler: name of the decorated function; None when the module could not be read.
        line: of the function.
    """

    key: str
    path: str
    module: str
    handler: str | None = None
    line: int = 1

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class ProjectionRecord:
    """How a tool looks as a command, `tools/<tool>_cli.py`.  It is no route.

    Attributes:
        server: of the tool.
        tool: its name.
        path: of the projection's module, relative to the plugin, with `/`.
        module: name to import.
        handler: name of the decorated function; None when the module could not be read.
        line: of the function.
        command: the words that a person types; None for those of the server and the tool.
        aliases: other spellings of the last word.
        confirm: whether it has to be confirmed; None leaves it to the tool.
        description: instead of the tool's.
        title: instead of the tool's.
        exit_code: `result` when the value's `exitCode` becomes the exit code of the process.
    """

    server: str
    tool: str
    path: str
    module: str
    handler: str | None = None
    line: int = 1
    command: str | None = None
    aliases: tuple[str, ...] = ()
    confirm: bool | None = None
    description: str | None = None
    title: str | None = None
    exit_code: Literal["result"] | None = None

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class ServerRecord:
    """An MCP server of the plugin.

    Attributes:
        name: of its folder or of its table in `plugin.toml`.
        mode: who serves it.  Only a generated server has routes and a layout.
        path: of the hand-written module of a custom server, relative to the plugin.
        tools: by name.
        resources: by name.
        prompts: by name.
        apps: by name.
        projections: how its tools look as commands, by tool.
        layout: what stands around its routes, inside the plugin's own layout.
    """

    name: str
    mode: ServerMode = "generated"
    path: str | None = None
    tools: tuple[RouteRecord, ...] = ()
    resources: tuple[RouteRecord, ...] = ()
    prompts: tuple[RouteRecord, ...] = ()
    apps: tuple[RouteRecord, ...] = ()
    projections: tuple[ProjectionRecord, ...] = ()
    layout: LayoutRecord | None = None

    __repr__ = shown

    @property
    def id(self) -> str:
        """`server:curator`."""
        return f"server:{self.name}"

    @property
    def routes(self) -> tuple[RouteRecord, ...]:
        """Tools, resources, prompts and apps, in this order."""
        return (*self.tools, *self.resources, *self.prompts, *self.apps)


AnyRecord: TypeAlias = RouteRecord | LayoutRecord | ProviderRecord | ProjectionRecord | ServerRecord
