"""Serving over standard input and output: the life of a server process.

    guard stdout ─► load (author modules) ─► serve one connection ─► exit code

    how it ends                          exit code
    the input ended                      0, after a grace period for calls
    nobody reads the output              0
    SIGHUP, SIGINT, SIGTERM              129, 130, 143

It takes at most a second and a half from then to the end of the process, if the process is ended by
`end_process`: 1.0 s of grace, 0.3 s for cleanups, and 0.15 s for exit handlers and threads that
Python waits for.  What has not finished by then is cut off by the `watchdog`.

Not here: which conversation is served.  Below: `connection`, which knows no processes.
"""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Final, Never, cast

import trio

from trio_agent.context.children import CHILDREN
from trio_agent.surfaces.mcp.process.guard import redirect_stdout, take_streams_back
from trio_agent.surfaces.mcp.process.heartbeat import Heartbeat
from trio_agent.surfaces.mcp.process.interruption import SIGNALS, Interruption
from trio_agent.surfaces.mcp.process.watchdog import Watchdog
from trio_agent.surfaces.mcp.stdio.connection import Connection
from trio_agent.surfaces.mcp.stdio.descriptors import open_drain, open_source
from trio_agent.surfaces.mcp.stdio.lines import LineOptions, Terms

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.surfaces.mcp.process.guard import StandardIO
    from trio_agent.surfaces.mcp.stdio.sdk_connection import SdkConnection, SdkServer
    from trio_agent.surfaces.mcp.wire.dispatcher import MakeConversation

CLEANUP_S: Final = 0.3
"""For what is cancelled when the grace period is over."""

LAST_S: Final = 0.15
"""For exit handlers, and for threads that Python waits for."""

_watchdog: Final = Watchdog()


def run_stdio_server(
    load: Callable[[], MakeConversation | SdkServer],
    *,
    name: str,
    heartbeat: bool = True,
    terms: Terms | None = None,
) -> int:
    """Guard standard output, load, and serve until the end.

    Main thread only.  Standard output stays guarded afterwards; let `end_process` follow.

    Args:
        load: imports what is served, and gives what makes a conversation, or a low-level server
            of the official SDK.  Whatever it prints goes to standard error.  A signal raises
            `KeyboardInterrupt` in it.
        name: of the server, for errors and the heartbeat.
        heartbeat: whether there is one.
        terms: the numbers of the connection.

    Returns:
        The exit code.

    Raises:
        TypeError: what *load* gave is neither.
        Exception: whatever *load* raised.
    """
    standard_io = redirect_stdout()
    interruption = Interruption(_watchdog)
    with interruption.listening():
        try:
            with interruption.loading():
                served = load()
            _check(served, name)
            standard_io.drop_wrapper()
            pulse = name if heartbeat else None
            trio.run(_serve, served, standard_io, interruption, pulse, terms)
        except KeyboardInterrupt:
            return interruption.exit_code or 128 + signal.SIGINT
        except BaseExceptionGroup as group:
            # Author code raised it: no handler of ours does while we serve.
            if group.split(KeyboardInterrupt)[0] is None:
                raise
            return 128 + signal.SIGINT
        finally:
            _watchdog.disarm()
            CHILDREN.relax()
    return interruption.exit_code or 0


def serve_conversations(
    make_conversation: MakeConversation, *, name: str, heartbeat: bool = True
) -> int:
    """Serve what is loaded already; see `run_stdio_server`.

    Returns:
        The exit code.
    """
    return run_stdio_server(lambda: make_conversation, name=name, heartbeat=heartbeat)


def end_process(code: int) -> Never:
    """End this process: `sys.exit`, but exit handlers and threads have 0.15 s."""
    # Nothing is interrupted any more, and a Ctrl-C here would only print a traceback.
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    take_streams_back()
    _watchdog.arm(code, LAST_S)
    sys.exit(code)


def _check(served: object, name: str) -> None:
    if not callable(served) and not _is_sdk_server(served):
        raise TypeError(
            f"the server {name!r} is a function that makes conversations, or a low-level server of"
            f" the SDK, received an instance of {type(served).__name__}"
        )


def _is_sdk_server(served: object) -> bool:
    # By what it can do: importing the SDK to ask would cost every server a second.
    return hasattr(served, "create_initialization_options")


async def _serve(
    served: MakeConversation | SdkServer,
    standard_io: StandardIO,
    interruption: Interruption,
    pulse: str | None,
    terms: Terms | None,
) -> None:
    terms = Terms() if terms is None else terms

    def expect_end() -> None:
        # A signal has armed it already.
        if interruption.exit_code is None:
            _watchdog.arm(0, terms.grace_s + CLEANUP_S)
            CHILDREN.hurry()

    now = trio.current_time()
    beat = None if pulse is None else Heartbeat(pulse, standard_io.stderr.write, now)
    source, drain = open_source(standard_io.source_fd), open_drain(standard_io.drain_fd)
    try:
        connection: Connection | SdkConnection
        options: LineOptions = {"terms": terms, "heartbeat": beat, "on_ending": expect_end}
        if _is_sdk_server(served):
            # lazy: whoever made such a server has imported the SDK already, nobody else has.
            from trio_agent.surfaces.mcp.stdio.sdk_connection import SdkConnection  # noqa: PLC0415

            connection = SdkConnection(source, drain, cast("SdkServer", served), **options)
        else:
            make_conversation = cast("MakeConversation", served)
            connection = Connection(source, drain, make_conversation, **options)
        with interruption.stopping(connection.stop):
            await connection.run()
    finally:
        drain.close()
