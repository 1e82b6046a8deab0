"""Serving a plugin to MCP hosts.

    python -P -m trio_agent.serve PLUGIN [SERVER]                        over stdio
    python -P -m trio_agent.serve PLUGIN [SERVER] --http HOST:PORT       over Streamable HTTP

`-P` keeps the working directory off the import path: a plugin's own `mcp/` folder would otherwise
stand in the way of the SDK.  `trio-agent serve` is the same command.

Standard output belongs to the protocol from the first moment on; everything that anybody prints
goes to standard error.  Nothing of the plugin's is imported before the guard stands and the
operator's environment is in place.

Exit codes: 0, the client closed the connection; 1, the plugin or the address cannot be used;
2, a usage error; 130, Ctrl-C; 143, SIGTERM.
"""

from __future__ import annotations

if __name__ == "__main__":
    # A signal may come while the other modules load, and most of a short life is that.
    from trio_agent.surfaces.mcp.process.starting import end_on_signals

    end_on_signals()

import importlib.util
import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Final, cast, final

import attrs

from trio_agent.routes.application import open_application
from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown
from trio_agent.surfaces.mcp.process.saying import complain, say_text
from trio_agent.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from trio_agent.context.roots import Roots
    from trio_agent.routes.application import PluginApplication
    from trio_agent.routes.record import ServerRecord
    from trio_agent.surfaces.mcp.conversation import McpConversation
    from trio_agent.surfaces.mcp.exchange import Audience
    from trio_agent.surfaces.mcp.http.app import HttpSettings
    from trio_agent.surfaces.mcp.http.auth import TokenVerifier
    from trio_agent.surfaces.mcp.stdio.sdk_connection import SdkServer
    from trio_agent.surfaces.mcp.tasks.settings import TaskSettings

PROGRAM: Final = "python -P -m trio_agent.serve"

FACTORY: Final = "create_server"
"""Name of the function of a hand-written server's module; it gives the SDK's low-level server."""

USAGE: Final = f"""\
Usage: {PROGRAM} PLUGIN [SERVER] [--http HOST:PORT] [--no-heartbeat]

Serves a plugin to MCP hosts, over standard input and output.

Arguments:
  <plugin>          A folder, or the dotted name of an installed package.
  [server]          Which of its servers; needed where there are several.

Options:
  --http HOST:PORT  Serve Streamable HTTP at /mcp instead; of several servers, each at /mcp/<name>.
  --no-heartbeat    Say nothing on standard error while all is well.
  -h, --help        Print this help.
  --version         Print the version.
"""


@final
@attrs.frozen(kw_only=True)
class Order:
    """What the words of the command line ask for.

    Attributes:
        plugin: a folder or a package.
        server: its name; None for the only one, or over HTTP for all.
        http: `HOST:PORT` as it was typed; None for stdio.
        heartbeat: whether lines that say "still here" go to standard error.
    """

    plugin: str
    server: str | None = None
    http: str | None = None
    heartbeat: bool = True

    __repr__ = shown


class UsageError(ValueError):
    """The words make no sense; one line for the person who typed them."""


def read_order(argv: Sequence[str]) -> Order:
    """Read the words after the program's name.

    Raises:
        UsageError: a word is missing, unknown or given twice.
    """
    names: list[str] = []
    http: str | None = None
    heartbeat = True
    words = iter(argv)
    for word in words:
        if word == "--http" or word.startswith("--http="):
            value = word.partition("=")[2] if "=" in word else next(words, "")
            if http is not None or not value:
                raise UsageError("--http: expected one HOST:PORT")
            http = value
        elif word == "--no-heartbeat":
            heartbeat = False
        elif word.startswith("-"):
            raise UsageError(f"unknown option {word!r}")
        else:
            names.append(word)
    if not 1 <= len(names) <= 2:
        received = " ".join(map(repr, names)) or "nothing"
        raise UsageError(f"expected a plugin and at most one server, received {received}")
    server = names[1] if len(names) == 2 else None
    return Order(plugin=names[0], server=server, http=http, heartbeat=heartbeat)


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the words say, those of the process if None; the exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if "-h" in words or "--help" in words:
        return say_text(USAGE)
    if words[:1] == ["--version"]:
        return say_text(f"trio-agent {__version__}\n")
    try:
        return _serve(read_order(words))
    except UsageError as error:
        return _complain(f"{error}\nRun `{PROGRAM} --help` for help.", 2)
    except PluginError as error:
        return _complain(str(error), 1)


def _serve(order: Order) -> int:
    if order.http is None:
        return serve_stdio(order.plugin, order.server, heartbeat=order.heartbeat)
    # lazy: it imports Trio and the HTTP side.
    from trio_agent.surfaces.mcp.http.serving import Address, AddressError  # noqa: PLC0415

    try:
        address = Address.read(order.http)
    except AddressError as error:
        raise UsageError(f"--http: {error}") from None
    try:
        return serve_http(order.plugin, order.server, host=address.host, port=address.port)
    except AddressError as error:
        return _complain(str(error), 1)


def serve_stdio(
    plugin: str | Path,
    server: str | None = None,
    *,
    heartbeat: bool = True,
    tasks: TaskSettings | None = None,
) -> int:
    """Serve one server of a plugin over standard input and output, until the client leaves.

    Main thread only.  Standard output is the protocol's from now on, for good.

    Args:
        plugin: a folder, or the dotted name of a package.
        server: its name; None for the only one.
        heartbeat: whether lines that say "still here" go to standard error.
        tasks: see `serve_http`.

    Returns:
        The exit code; let `end_process` follow, so that no thread that was left can keep it.

    Raises:
        PluginError: there is no such plugin or server, or its settings cannot be read.
    """
    # lazy: a usage error needs no Trio.
    from trio_agent.surfaces.mcp.stdio.serving import run_stdio_server  # noqa: PLC0415

    application = open_application(plugin)
    record = _find_server(application, server)
    if record.mode in {"command", "remote"}:
        raise PluginError(
            f"the server {record.name!r} is a {record.mode} server: hosts start or reach it"
            " themselves, by what plugin.toml says"
        )
    make = _make_custom if record.mode == "custom" else partial(_make_conversations, tasks=tasks)
    return run_stdio_server(
        lambda: make(application, record), name=record.name, heartbeat=heartbeat
    )


def serve_http(  # noqa: PLR0913  # one argument per thing an operator can say
    plugin: str | Path,
    server: str | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    verifier: TokenVerifier | None = None,
    settings: HttpSettings | None = None,
    tasks: TaskSettings | None = None,
) -> int:
    """Serve a plugin over Streamable HTTP until a signal.

    Main thread only; runs Trio.  One server is at `/mcp`; of several each is at `/mcp/<name>`.

    Args:
        plugin: a folder, or the dotted name of a package.
        server: which one; None for all.
        host: a name or an address; other computers can reach the server at any but loopback.
        port: 0 for any that is free; standard error says which.
        verifier: knows good bearer tokens, as the SDK's `TokenVerifier` does; None lets all in.
            The client id of a token is the actor of the invocations.
        settings: who may come in, how many, and how large a request may be.
        tasks: how many, and where; by default in memory, or below `TRIO_AGENT_STATE_ROOT`.

    Returns:
        The exit code: 130 after Ctrl-C, 143 after SIGTERM.

    Raises:
        PluginError: there is no such plugin or server, or its settings cannot be read.
        AddressError: nobody can listen there.
    """
    # lazy: it imports Trio and the HTTP side.
    from trio_agent.surfaces.mcp.http import serving as http_serving  # noqa: PLC0415
    from trio_agent.surfaces.mcp.service import McpService  # noqa: PLC0415
    from trio_agent.surfaces.mcp.tasks.settings import keep_where_state_goes  # noqa: PLC0415

    application = open_application(plugin)
    graph = application.graph
    generated = [one.name for one in graph.servers if one.mode == "generated"]
    names = [server] if server is not None or not generated else generated
    records = [graph.find_generated_server(name) for name in names]
    for record in records:
        _prepare(application, record)
    roots = _roots(application)
    kept = keep_where_state_goes(roots) if tasks is None else tasks
    services = {
        record.name: McpService(application, record, roots=roots, tasks=kept) for record in records
    }
    return http_serving.serve_http(
        services, host=host, port=port, verifier=verifier, settings=settings
    )


def _make_conversations(
    application: PluginApplication, server: ServerRecord, tasks: TaskSettings | None
) -> Callable[[Audience], McpConversation]:
    # lazy: it imports Trio, and is called when the guard stands before standard output.
    from trio_agent.surfaces.mcp.conversation import McpConversation  # noqa: PLC0415
    from trio_agent.surfaces.mcp.service import McpService  # noqa: PLC0415
    from trio_agent.surfaces.mcp.tasks.settings import keep_where_state_goes  # noqa: PLC0415

    _prepare(application, server)
    roots = _roots(application)
    kept = keep_where_state_goes(roots) if tasks is None else tasks
    service = McpService(application, server, roots=roots, tasks=kept)

    def make(audience: Audience) -> McpConversation:
        join = service.changes.join
        return McpConversation(service, audience=audience, on_handshake=lambda: join(audience))

    return make


def _find_server(application: PluginApplication, name: str | None) -> ServerRecord:
    record = application.graph.find_server(name)
    for found in application.graph.errors_of(record):
        raise PluginError(f"{application.plugin.root}{os.sep}{found}")
    return record


def _make_custom(application: PluginApplication, server: ServerRecord) -> SdkServer:
    """Import a hand-written server's module and let it make the server.

    Raises:
        PluginError: the module raises, or has no `create_server` that gives a server.
    """
    # lazy: only such a server needs it.
    from trio_agent.routes.importing import import_module  # noqa: PLC0415

    _prepare(application, server)
    spec = importlib.util.find_spec("mcp")
    if spec is not None and is_inside(spec.origin or "", application.plugin.root):
        raise PluginError(
            f"{spec.origin} stands in the way of the MCP SDK: start {PROGRAM}, with -P, or"
            " delete it"
        )
    path = server.path or ""
    name = ".".join((application.plugin.name, *path.removesuffix(".py").split("/")))
    create: object = getattr(import_module(application.plugin, name), FACTORY, None)
    if not callable(create):
        raise PluginError(
            f"{application.plugin.root / path}: the server {server.name!r} is made by a function"
            f" {FACTORY}(), and there is none"
        )
    made: object = create()
    if not hasattr(made, "create_initialization_options"):
        raise PluginError(
            f"{application.plugin.root / path}: {FACTORY}() gives a low-level server of the MCP"
            f" SDK, received an instance of {type(made).__qualname__}"
        )
    return cast("SdkServer", made)


def is_inside(path: str, folder: Path) -> bool:
    """Whether a file lies in a folder, symbolic links followed."""
    return os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)


def _prepare(application: PluginApplication, server: ServerRecord) -> None:
    """Set what the operator wants in the environment, before any module of the plugin's runs."""
    # lazy: most of what this module can do ends before it.
    from trio_agent.context.launch_env import apply_operator_env  # noqa: PLC0415

    settings = application.manifest.servers.get(server.name)
    declared = None if settings is None else settings.env
    apply_operator_env(str(application.plugin.root), declared=declared)


def _roots(application: PluginApplication) -> Roots:
    # lazy: as above.
    from trio_agent.context.roots import roots_of_process  # noqa: PLC0415

    roots = roots_of_process(str(application.plugin.root))
    for warning in roots.warnings:
        complain(warning)
    return roots


def _complain(text: str, code: int) -> int:
    complain(text)
    return code


if __name__ == "__main__":
    # lazy: only a process of its own is ended.
    from trio_agent.surfaces.mcp.stdio.serving import end_process

    end_process(main())
