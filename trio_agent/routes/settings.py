"""What the tables of `plugin.toml` say, as values.

Only what an author wrote is in here; what it means for the folders of the plugin is decided by
`servers`, and what is wrong with the file by `manifest`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.routes.record import ServerMode, StructuredRule

Exposure: TypeAlias = Literal["message", "code"]
"""What of an author's exception is shown: its text, or its code and the number in the log."""

ErrorSurface: TypeAlias = Literal["stdio", "http", "cli"]

MediaRule: TypeAlias = Literal["native", "text", "refuse"]
"""What becomes of an image, a sound or a resource: itself, its fallback, or an error."""

Target: TypeAlias = Literal["amp", "claude", "codex", "cursor", "portable"]
"""A host that a plugin is made for."""

ConsentWord: TypeAlias = Literal[
    "call-tool", "download-file", "open-external-link", "request-display-mode"
]


@final
@attrs.frozen(kw_only=True)
class ServerSettings:
    """`[servers.NAME]`.

    Attributes:
        mode: None when the author leaves it to what is there.
        entry: the hand-written module of a custom server, relative to the plugin, with `/`.
        command: the program of a command server.
        args: more arguments for the server's process.
        cwd: where a custom or command server runs, relative to the plugin.
        url: of a remote server.
        headers: sent to a remote server.
        env: variables of the server's process; under those that trio-agent sets.
        targets: instead of the plugin's own; None when it has none.
    """

    name: str
    mode: ServerMode | None = None
    entry: str | None = None
    command: str | None = None
    args: tuple[str, ...] = ()
    cwd: str | None = None
    url: str | None = None
    headers: Mapping[str, str] = attrs.field(factory=dict[str, str])
    env: Mapping[str, str] = attrs.field(factory=dict[str, str])
    targets: tuple[Target, ...] | None = None

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class CommandSettings:
    """`[commands]`: which tools are commands too; patterns of `server:tool` with `*`.

    Attributes:
        include: None for all.
        exclude: taken away from those.
    """

    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()

    __repr__ = shown

    def chooses(self, tool: str) -> bool:
        """Whether `server:tool` is a command, too."""
        is_included = self.include is None or any(matches(one, tool) for one in self.include)
        return is_included and not any(matches(one, tool) for one in self.exclude)


def matches(pattern: str, tool: str) -> bool:
    """Whether a pattern of `[commands]` means a tool, `server:tool`; `*` stands for anything."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), tool) is not None


@final
@attrs.frozen(kw_only=True)
class ClientPolicy:
    """`[clients.PREFIX]`: what clients whose name begins so are given.

    Attributes:
        prefix: of the client's name, in lower case; empty for what every client gets.
        structured: None leaves it to each tool.
        image: None for what a shorter prefix says, in the end `native`.
        audio: the same.
        resource: the same.
    """

    prefix: str = ""
    structured: StructuredRule | None = None
    image: MediaRule | None = None
    audio: MediaRule | None = None
    resource: MediaRule | None = None

    __repr__ = shown

    def over(self, shorter: ClientPolicy) -> ClientPolicy:
        """This policy, with what it leaves open taken from another."""
        return ClientPolicy(
            prefix=self.prefix,
            structured=self.structured or shorter.structured,
            image=self.image or shorter.image,
            audio=self.audio or shorter.audio,
            resource=self.resource or shorter.resource,
        )


EVERY_CLIENT: Final = ClientPolicy(image="native", audio="native", resource="native")
"""What a client gets that no prefix matches."""


@final
@attrs.frozen(kw_only=True)
class WebApp:
    """One app of `[web]`.

    Attributes:
        app: `server/app`.
        tool: called when the app is opened; None for the only one that shows it.
        input: of that call.
        allow: what the app may do without asking.
    """

    app: str
    tool: str | None = None
    input: Mapping[str, object] = attrs.field(factory=dict[str, object])
    allow: tuple[ConsentWord, ...] = ()

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class WebSettings:
    """`[web]`: the apps that the plugin's own web host shows.

    Attributes:
        apps: in the order of the file.
        open: whether a browser is opened.
    """

    apps: tuple[WebApp, ...] = ()
    open: Literal["browser", "never"] = "never"

    __repr__ = shown
