"""How a test wants to be a client, and what it says when it is asked.

Values only; `mcp_client` makes an SDK client of them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from pathlib import Path

    from trio_agent.limits import Limits
    from trio_agent.surfaces.mcp.tasks.settings import TaskSettings

AnswerQuestion: TypeAlias = Callable[
    [Mapping[str, object]], Mapping[str, object] | Awaitable[Mapping[str, object]]
]
"""Answers one question: its `params` as MCP writes them in, the result as MCP writes it out.

`accepted(...)` and `declined()` are such results for an elicitation.
"""

McpVersion: TypeAlias = Literal["2025-11-25", "2026-07-28"]
"""A handshake, or an envelope around each request; the newest revision of either."""

DEFAULT_VERSION: Final[McpVersion] = "2025-11-25"
"""What hosts speak today."""

CLIENT_NAME: Final = "trio-agent-test"


class McpOptions(TypedDict, total=False):
    """Keywords of `open_mcp_server` and of the functions that open one for a single request.

    Attributes:
        server: of the plugin; None for the only one.
        client_name: what the client calls itself, `trio-agent-test` by default.  Tools may be
            hidden from it, and `[clients.PREFIX]` of `plugin.toml` goes by it.
        version: of the protocol; `2025-11-25` by default.
        elicit: answers what a component asks the user.  A client can be asked what it has an
            answer for, and says so.
        sample: answers what a component asks the host's model.
        roots: the directories of the client, as paths or URIs.
        log_level: the least severe log message that the client wants.  By default all, and with
            2026-07-28 none.
        limits: of the runtime; a route's own win.
        providers: finished values by key, instead of all that the plugin has.
        tasks: how many calls may run as tasks, and where those are kept.
    """

    server: str | None
    client_name: str
    version: McpVersion
    elicit: AnswerQuestion | None
    sample: AnswerQuestion | None
    roots: Sequence[str | Path] | None
    log_level: Literal[
        "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
    ]
    limits: Limits | None
    providers: Mapping[str, object] | None
    tasks: TaskSettings | None
