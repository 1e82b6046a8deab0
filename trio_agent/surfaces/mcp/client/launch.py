"""Which process a server is: the launch line that hosts are given too.

    a generated or custom server   python -P -m trio_agent.serve PLUGIN SERVER --no-heartbeat
    a command server               what `plugin.toml` says
    a remote server                none, so it is refused
    a command                      itself

Reads the plugin's files and imports nothing.  Below: `routes`.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, final

import attrs

from trio_agent.routes.application import PluginApplication
from trio_agent.routes.plugin import PluginError, find_plugin
from trio_agent.shown import shown
from trio_agent.surfaces.mcp.client.words import CommandServer, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.routes.record import ServerRecord
    from trio_agent.surfaces.mcp.client.words import PluginServer, Server


@final
@attrs.frozen(kw_only=True)
class Launch:
    """How a process is started.

    Attributes:
        words: the program and its arguments.
        cwd: where; None for here.
        env: added to the environment.
    """

    words: tuple[str, ...]
    cwd: str | None = None
    env: Mapping[str, str] = attrs.field(factory=dict[str, str])

    __repr__ = shown


def find_launch(server: Server) -> Launch:
    """How to start a server.

    Raises:
        UsageError: there is no such plugin or server, or it cannot be started.
        PluginError: the plugin is broken.
    """
    if isinstance(server, CommandServer):
        return Launch(words=server.words)
    application, record = _find(server)
    if record.mode == "remote":
        raise UsageError(
            f"the server {record.name} of {application.plugin.name} is remote: only a process can"
            " be started"
        )
    settings = application.manifest.servers.get(record.name)
    if record.mode == "command" and settings is not None and settings.command is not None:
        root = application.plugin.root
        return Launch(
            words=(settings.command, *settings.args),
            cwd=os.fspath(root if settings.cwd is None else root / settings.cwd),
            env=settings.env,
        )
    words = (sys.executable, "-P", "-m", "trio_agent.serve", server.plugin, record.name)
    return Launch(words=(*words, "--no-heartbeat"))


def _find(server: PluginServer) -> tuple[PluginApplication, ServerRecord]:
    try:
        application = PluginApplication(find_plugin(server.plugin))
    except PluginError as error:
        raise UsageError(str(error)) from error
    graph = application.graph
    try:
        record = graph.find_server(server.server)
    except PluginError as error:
        raise UsageError(str(error)) from error
    for found in graph.errors_of(record):
        raise PluginError(f"{application.plugin.root}{os.sep}{found}")
    return application, record
