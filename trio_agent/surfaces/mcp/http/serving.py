"""Serving services at an address until a signal.

`serve_http` is a program's last call: it runs Trio, listens to signals and gives the exit code.
`run_http_server` is for a program that runs Trio itself.

    signal ─► accept no more ─► calls have their grace ─► who still waits is told ─► end

It takes at most a second and a half from the first signal to the end, with the default grace; what
has not finished by then is cut off by the `watchdog`.  Below: `http_app`, `http_worker`.
"""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING, Final, cast, final

import attrs
import trio

from trio_agent.context.children import CHILDREN
from trio_agent.shown import shown
from trio_agent.surfaces.mcp.http.app import HttpSettings, open_http_app
from trio_agent.surfaces.mcp.http.auth import BearerCheck
from trio_agent.surfaces.mcp.http.worker import HttpWorker
from trio_agent.surfaces.mcp.process.guard import unblocked
from trio_agent.surfaces.mcp.process.interruption import Interruption
from trio_agent.surfaces.mcp.process.watchdog import Watchdog

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from hypercorn.typing import ASGIFramework

    from trio_agent.surfaces.mcp.conversation import Answering
    from trio_agent.surfaces.mcp.http.auth import TokenVerifier

FLUSH_S: Final = 0.2
"""Seconds for what was not answered to be told so."""

CLEANUP_S: Final = 0.3
"""Seconds for the cleanups of what was cancelled."""


class AddressError(ValueError):
    """The address cannot be read or used; one line for the person who typed it."""


@final
@attrs.frozen
class Address:
    """Where to listen.

    Attributes:
        host: a name or an address, without brackets.
        port: 0 is any that is free.
    """

    host: str
    port: int

    __repr__ = shown

    @classmethod
    def read(cls, text: str) -> Address:
        """Read `HOST:PORT`, an IPv6 host in brackets.

        Raises:
            AddressError: it is something else.
        """
        host, _, port = text.rpartition(":")
        is_bracketed = host.startswith("[") and host.endswith("]")
        bare = host[1:-1] if is_bracketed else host
        is_port = port.isascii() and port.isdigit() and int(port[:6]) < 65536
        if not bare or not is_port or (":" in bare) != is_bracketed:
            raise AddressError(f"expected HOST:PORT, such as 127.0.0.1:8080, received {text!r}")
        return cls(bare, int(port))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def serve_http(
    services: Mapping[str, Answering],
    *,
    host: str,
    port: int,
    verifier: TokenVerifier | None = None,
    settings: HttpSettings | None = None,
) -> int:
    """Serve until a signal.  Main thread only; runs Trio.

    Standard error says where, one line for each server.  Nobody who writes to it, or to standard
    output, waits for a reader.

    Args:
        services: by the names of their servers.
        host: a name or an address; other computers can reach the server at any but loopback.
        port: 0 for any that is free.
        verifier: knows good bearer tokens; None leaves that to *settings*.
        settings: see there.

    Returns:
        The exit code: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.

    Raises:
        AddressError: nobody can listen there.
    """
    settings = HttpSettings() if settings is None else settings
    if verifier is not None:
        settings = attrs.evolve(settings, bearer=BearerCheck(verifier=verifier))
    watchdog = Watchdog()
    interruption = Interruption(watchdog, cleanup_s=settings.grace_s + FLUSH_S + CLEANUP_S)
    try:
        with unblocked(), interruption.listening():
            trio.run(_serve, services, Address(host, port), settings, interruption)
    finally:
        watchdog.disarm()
    return interruption.exit_code or 0


async def run_http_server(
    services: Mapping[str, Answering],
    listeners: Sequence[trio.SocketListener],
    *,
    shutdown: Callable[[], Awaitable[object]],
    settings: HttpSettings | None = None,
) -> None:
    """Serve until *shutdown* returns; calls that run then have their grace to end.

    Args:
        services: by the names of their servers.
        listeners: one at least; they are closed.  The first one says who may come in.
        shutdown: waits for the time to end.
        settings: see there.
    """
    settings = HttpSettings() if settings is None else settings
    host = cast("str", listeners[0].socket.getsockname()[0])
    async with open_http_app(services, settings, host=host) as app:

        async def drain() -> None:
            app.wind_down()
            with trio.move_on_after(settings.grace_s):
                await app.wait_quiet()
            CHILDREN.hurry()
            app.end()
            with trio.move_on_after(FLUSH_S):
                await app.wait_quiet()

        try:
            await HttpWorker(cast("ASGIFramework", app)).run(listeners, shutdown, drain)
        finally:
            CHILDREN.relax()


async def open_listeners(address: Address) -> list[trio.SocketListener]:
    """Listen at every address that the host stands for; at one of them if the port is 0.

    Raises:
        AddressError: there is no such host, or it is not ours, or the port is taken.
    """
    try:
        listeners = await trio.open_tcp_listeners(address.port, host=address.host)
    except socket.gaierror as error:
        raise AddressError(f"{address}: no such host: {error.strerror}") from None
    except OSError as error:
        why = error.strerror or str(error)
        raise AddressError(f"cannot listen at {address}: {why}") from None
    if address.port == 0:
        # Each has a port of its own.
        for listener in listeners[1:]:
            await listener.aclose()
        del listeners[1:]
    return listeners


async def _serve(
    services: Mapping[str, Answering],
    address: Address,
    settings: HttpSettings,
    interruption: Interruption,
) -> None:
    listeners = await open_listeners(address)
    port = cast("int", listeners[0].socket.getsockname()[1])
    place = attrs.evolve(address, port=port)
    names = [""] if len(services) == 1 else [f"/{name}" for name in services]
    for name in names:
        sys.stderr.write(f"trio-agent: serving http://{place}/mcp{name}\n")
    sys.stderr.flush()
    is_over = trio.Event()
    with interruption.stopping(is_over.set):
        await run_http_server(services, listeners, shutdown=is_over.wait, settings=settings)
