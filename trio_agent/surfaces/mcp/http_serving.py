"""Serving services at an address until a signal.

`serve_http` is a program's last call: it runs Trio, listens to signals and gives the exit code.
`run_http_server` is for a program that runs Trio itself.  Below: `http_app`, `http_worker`.
"""

from __future__ import annotations

import signal
import socket
import sys
from typing import TYPE_CHECKING, Final, cast, final

import attrs
import trio

from trio_agent.surfaces.mcp.http_app import HttpSettings, open_http_app
from trio_agent.surfaces.mcp.http_worker import HttpWorker

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from hypercorn.typing import ASGIFramework

    from trio_agent.surfaces.mcp.conversation import Answering

GRACE_S: Final = 1.0
"""Seconds that calls get to end after a signal."""


class AddressError(ValueError):
    """The address cannot be read or used; one line for the person who typed it."""


@final
@attrs.frozen
class Address:
    """Where to listen.  Port 0 is any that is free."""

    host: str
    port: int

    @classmethod
    def read(cls, text: str) -> Address:
        """Read `HOST:PORT`, an IPv6 host in brackets.

        Raises:
            AddressError: it is something else.
        """
        host, _, port = text.rpartition(":")
        bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
        is_port = port.isascii() and port.isdigit() and int(port[:6]) < 65536
        if not bare or not is_port or (":" in bare) != (bare != host):
            raise AddressError(f"expected HOST:PORT, such as 127.0.0.1:8080, received {text!r}")
        return cls(bare, int(port))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def serve_http(
    services: Mapping[str, Answering],
    *,
    host: str,
    port: int,
    settings: HttpSettings | None = None,
) -> int:
    """Serve until a signal.  Main thread only; runs Trio.

    Args:
        services: by the names of their servers.
        host: a name or an address.
        port: 0 for any that is free; standard error says which.
        settings: see there.

    Returns:
        The exit code: 130 after Ctrl-C, 143 after SIGTERM.

    Raises:
        AddressError: nobody can listen there.
    """
    address = Address(host, port)
    return trio.run(_serve_until_signal, services, address, settings or HttpSettings())


async def run_http_server(
    services: Mapping[str, Answering],
    listeners: Sequence[trio.SocketListener],
    *,
    shutdown: Callable[[], Awaitable[object]],
    settings: HttpSettings,
) -> None:
    """Serve until *shutdown* returns; calls that run then have `GRACE_S` to end."""
    async with open_http_app(services, settings) as app:

        async def drained() -> None:
            with trio.move_on_after(GRACE_S):
                await app.quiet()

        await HttpWorker(cast("ASGIFramework", app)).run(listeners, shutdown, drained)


async def open_listeners(address: Address) -> list[trio.SocketListener]:
    """Listen at every address that the host stands for.

    Raises:
        AddressError: there is none, or it is taken.
    """
    try:
        listeners = await trio.open_tcp_listeners(address.port, host=address.host)
    except socket.gaierror as error:
        raise AddressError(f"{address}: no such host: {error.strerror}") from None
    except OSError as error:
        raise AddressError(f"{address}: {error.strerror}") from None
    if address.port == 0:
        # Each would have a port of its own.
        for listener in listeners[1:]:
            await listener.aclose()
        del listeners[1:]
    return listeners


async def _serve_until_signal(
    services: Mapping[str, Answering], address: Address, settings: HttpSettings
) -> int:
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        listeners = await open_listeners(address)
        port = cast("int", listeners[0].socket.getsockname()[1])
        place = attrs.evolve(address, port=port)
        for path in ["/mcp"] if len(services) == 1 else [f"/mcp/{name}" for name in services]:
            sys.stderr.write(f"trio-agent: serving http://{place}{path}\n")
        sys.stderr.flush()
        number: list[int] = []

        async def shutdown() -> None:
            number.append(await signals.__anext__())

        await run_http_server(services, listeners, shutdown=shutdown, settings=settings)
    return 128 + number[0]
