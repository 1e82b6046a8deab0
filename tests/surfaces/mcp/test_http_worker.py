"""Connections: what a client that does not read can do, and what happens when there are too many."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Self, cast

import pytest
import trio
import trio.testing

from trio_agent.surfaces.mcp.http.serving import Address, AddressError, open_listeners
from trio_agent.surfaces.mcp.http.worker import PATIENCE_S, HttpWorker, PatientStream

if TYPE_CHECKING:
    from hypercorn.typing import ASGIFramework

    from trio_agent.surfaces.mcp.http.message import AsgiMessage, Receive, Send


async def pair() -> tuple[trio.SocketStream, trio.SocketStream]:
    one, other = trio.socket.socketpair()
    return trio.SocketStream(one), trio.SocketStream(other)


async def hello(scope: AsgiMessage, receive: Receive, send: Send) -> None:
    if scope["path"] == "/broken":
        raise RuntimeError("a bug")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello", "more_body": False})


APP = cast("ASGIFramework", hello)


async def test_a_write_that_nobody_reads_ends_after_a_while(
    autojump_clock: trio.testing.MockClock,
) -> None:
    near, far = await pair()
    stream = PatientStream(near)
    with pytest.raises(trio.BrokenResourceError):
        await stream.send_all(b"x" * 10_000_000)

    assert trio.current_time() == PATIENCE_S
    await far.aclose()


async def test_an_abort_ends_the_write_that_goes_on_and_those_to_come() -> None:
    near, far = await pair()
    stream = PatientStream(near)

    async def write() -> None:
        with pytest.raises(trio.BrokenResourceError):
            await stream.send_all(b"x" * 10_000_000)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(write)
        await trio.testing.wait_all_tasks_blocked()
        stream.abort()
    with pytest.raises(trio.BrokenResourceError):
        await stream.send_all(b"x")
    await far.aclose()


class Listener:
    """Gives connections, and errors between them."""

    def __init__(self, *gifts: trio.SocketStream | OSError) -> None:
        self.gifts = list(gifts)

    async def accept(self) -> trio.SocketStream:
        if not self.gifts:
            await trio.sleep_forever()
        gift = self.gifts.pop(0)
        if isinstance(gift, OSError):
            raise gift
        return gift

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await trio.lowlevel.checkpoint()


async def ask(stream: trio.SocketStream, path: str) -> bytes:
    await stream.send_all(b"GET %s HTTP/1.1\r\nHost: h\r\n\r\n" % path.encode())
    answer = b""
    while not answer.endswith(b"0\r\n\r\n") and b"content-length: 0" not in answer:
        answer += await stream.receive_some()
    return answer


async def tcp_pair() -> tuple[trio.SocketStream, trio.SocketStream]:
    listener = (await trio.open_tcp_listeners(0, host="127.0.0.1"))[0]
    async with listener:
        client = await trio.open_tcp_stream(*listener.socket.getsockname()[:2])
        return client, await listener.accept()


async def test_when_there_are_no_descriptors_left_it_tries_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    client, served = await tcp_pair()
    out_of = OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    listener = cast("trio.SocketListener", Listener(out_of, served))
    done = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(HttpWorker(APP).run, [listener], done.wait, trio.lowlevel.checkpoint)
        assert b"hello" in await ask(client, "/")
        done.set()
    await client.aclose()

    assert "Too many open files" in caplog.text


async def test_another_error_of_a_listener_ends_it() -> None:
    listener = cast("trio.SocketListener", Listener(OSError(errno.EBADF, "no descriptor")))
    with pytest.RaisesGroup(pytest.RaisesGroup(OSError)):
        await HttpWorker(APP).run([listener], trio.sleep_forever, trio.lowlevel.checkpoint)


async def test_an_app_that_raises_costs_its_connection_only(
    caplog: pytest.LogCaptureFixture,
) -> None:
    one, served_one = await tcp_pair()
    other, served_other = await tcp_pair()
    listener = cast("trio.SocketListener", Listener(served_one, served_other))
    done = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(HttpWorker(APP).run, [listener], done.wait, trio.lowlevel.checkpoint)
        assert b" 500 " in await ask(one, "/broken")
        assert b"hello" in await ask(other, "/")
        done.set()
    for client in (one, other):
        assert await client.receive_some() == b""
        await client.aclose()

    assert "a bug" in caplog.text


async def test_being_cancelled_ends_every_connection() -> None:
    client, served = await tcp_pair()
    listener = cast("trio.SocketListener", Listener(served))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(
            HttpWorker(APP).run, [listener], trio.sleep_forever, trio.lowlevel.checkpoint
        )
        assert b"hello" in await ask(client, "/")
        nursery.cancel_scope.cancel()

    assert await client.receive_some() == b""
    await client.aclose()


async def test_port_0_is_one_port_for_a_name_with_several_addresses() -> None:
    listeners = await open_listeners(Address("localhost", 0))
    assert len(listeners) == 1
    taken = listeners[0].socket.getsockname()[1]
    with pytest.raises(AddressError, match=f"^cannot listen at localhost:{taken}: "):
        await open_listeners(Address("localhost", taken))
    await listeners[0].aclose()


async def test_of_several_listeners_on_any_port_the_first_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened = [(await open_listeners(Address("127.0.0.1", 0)))[0] for _ in range(2)]

    async def both(port: int, *, host: str) -> list[trio.SocketListener]:
        return opened

    monkeypatch.setattr(trio, "open_tcp_listeners", both)
    first, second = opened
    assert await open_listeners(Address("name", 80)) == [first, second]
    assert await open_listeners(Address("name", 0)) == [first]
    assert second.socket.fileno() == -1
    await first.aclose()


async def test_a_connection_that_fails_costs_no_other(caplog: pytest.LogCaptureFixture) -> None:
    class Odd:
        def close(self) -> None:
            pass

    class OddStream:
        socket = Odd()

    client, served = await tcp_pair()
    listener = cast("trio.SocketListener", Listener(cast("trio.SocketStream", OddStream()), served))
    done = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(HttpWorker(APP).run, [listener], done.wait, trio.lowlevel.checkpoint)
        assert b"hello" in await ask(client, "/")
        done.set()
    await client.aclose()

    assert "a connection failed" in caplog.text


async def test_a_write_while_the_connection_closes_is_a_write_to_nobody() -> None:
    class Closing:
        socket = None

        async def send_all(self, data: bytes) -> None:
            raise trio.BusyResourceError("another task is in send_eof")

    with pytest.raises(trio.BrokenResourceError):
        await PatientStream(cast("trio.SocketStream", Closing())).send_all(b"too late")
