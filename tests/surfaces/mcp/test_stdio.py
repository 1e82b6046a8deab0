"""A whole server in a process of its own: frames, pressure, errors, as its client sees them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.surfaces.cli.plugins import need_pseudo_terminals
from tests.surfaces.mcp.child import PATIENCE_S, SERVER, notification, request, started

need_pseudo_terminals()

MEBIBYTE = 1024 * 1024


def test_a_server_answers_until_its_input_ends() -> None:
    with started() as child:
        assert child.call("initialize") == {"protocolVersion": "2025-11-25", "capabilities": {}}
        assert child.call("echo", {"a": [1, "é\u2028"]}, "x") == {"a": [1, "é\u2028"]}
        child.write(b"nonsense")
        assert child.read()["error"]["code"] == -32700
        child.write(notification("notifications/tell", {"a": 1}))
        assert child.read() == {
            "jsonrpc": "2.0",
            "method": "notifications/told",
            "params": {"a": 1},
        }
        child.send("nowhere", id_=2)
        assert child.read()["error"] == {
            "code": -32601,
            "message": "Method not found",
            "data": "nowhere",
        }
        assert child.call("ping", id_=3) == {}
        child.send("ask", {"n": 1}, 4)
        asked = child.read()
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"yes": True}}
        child.write(json.dumps(answer).encode())
        assert child.read()["result"] == {"answer": {"yes": True}}
        code, left, _ = child.end()

    assert (code, left) == (0, [])


def test_bytes_may_come_in_any_way() -> None:
    frames = [
        b"\xef\xbb\xbf" + request("echo", {"a": "\u2028 \n"}, 0) + b"\r\n\r\n  \n",
        b"\xef\xbb\xbf" + request("echo", {"a": "é"}, 1) + b"\n",
        request("echo", {}, 2),
    ]
    with started() as child:  # BR-28
        child.stdin.write(frames[0] + frames[1])
        for byte in frames[2]:
            child.stdin.write(bytes([byte]))
            child.stdin.flush()
        code, left, _ = child.end()

    assert code == 0
    assert {message["id"]: message["result"] for message in left} == {
        0: {"a": "\u2028 \n"},
        1: {"a": "é"},
        2: {},
    }


def test_ten_mebibytes_of_argument_are_read_and_of_result_refused() -> None:
    with started() as child:
        text = "x" * 10 * MEBIBYTE
        writer = threading.Thread(target=child.send, args=("echo", {"text": text}))
        writer.start()
        error = child.read()["error"]
        writer.join()
        assert (error["code"], error["data"]["code"]) == (-32603, "frame-bytes-exceeded")
        assert child.call("big", {"size": 10_400_000}, 2) == {"text": "x" * 10_400_000}
        assert child.call("length", {"text": "\0" * MEBIBYTE}, 3) == {"length": MEBIBYTE}
        child.stdin.write(b"x" * 65 * MEBIBYTE + b"\n")
        assert child.read()["error"]["code"] == -32600
        assert child.call("ping") == {}
        assert child.end()[0] == 0


def test_a_client_that_stops_reading_is_waited_for_and_nothing_is_lost() -> None:
    with started() as child:
        child.write(*(request("big", {"size": 50_000}, number) for number in range(80)))
        child.write(*(request("ping", {}, f"ping {number}") for number in range(20)))
        child.write(notification("notifications/tell", {"still": "listening"}))
        child.hear(b"noticed notifications/tell")
        answers = [child.read() for _ in range(101)]
        assert child.end()[:2] == (0, [])

    assert sum("result" in message for message in answers) == 100


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody may be able to tell")
@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_an_answer_is_not_written_before_the_progress_is_read(kind: str) -> None:
    reader: int | socket.socket
    reader, writer = os.pipe() if kind == "pipe" else socket.socketpair()
    with started(stdout=writer) as child:
        child.send("progress", {"count": 3})
        child.hear(b"progress was sent")
        together = [json.loads(line) for line in read_some(reader).splitlines()]
        assert [message["params"] for message in together] == [{"progress": n} for n in range(3)]
        assert json.loads(read_some(reader)) == {"jsonrpc": "2.0", "id": 1, "result": {}}
        child.stdin.close()
        assert child.process.wait(PATIENCE_S) == 0
    for end in (reader, writer):
        os.close(end) if isinstance(end, int) else end.close()


def read_some(end: int | socket.socket) -> bytes:
    return os.read(end if isinstance(end, int) else end.fileno(), MEBIBYTE)


def test_of_too_many_calls_some_are_refused_and_a_ping_gets_through() -> None:
    with started() as child:
        child.write(*(request("sleep", {"s": 60}, number) for number in range(321)))
        assert child.read()["error"]["data"]["code"] == "server-busy"
        assert child.call("ping", id_="p") == {}
        child.write(
            *(notification("notifications/cancelled", {"requestId": n}) for n in range(320))
        )
        assert child.call("echo", {"free": True}, "e") == {"free": True}
        code, left, _ = child.end()

    assert (code, left) == (0, [])


def test_a_thousand_cancelled_calls_are_not_answered() -> None:
    with started() as child:
        for begin in range(0, 1000, 200):
            ids = range(begin, begin + 200)
            child.write(*(request("sleep", {"s": 60}, number) for number in ids))
            child.write(
                *(notification("notifications/cancelled", {"requestId": number}) for number in ids)
            )
            assert child.call("ping", id_="p") == {}
        code, left, _ = child.end()

    assert (code, left) == (0, [])


def test_two_requests_with_one_id_are_not_mixed_up() -> None:
    with started() as child:  # BR-32
        child.write(
            request("sleep", {"s": 0.05, "name": "first"}, 1),
            request("sleep", {"s": 0, "name": "second"}, 1),
        )
        refused, answered = child.read(), child.read()
        assert child.end()[:2] == (0, [])

    assert refused["error"]["code"] == -32600
    assert answered["result"]["name"] == "first"


@pytest.mark.parametrize("method", ["boom", "exit", "group"])
def test_a_handler_that_fails_does_not_end_the_session(method: str) -> None:
    with started() as child:
        child.send(method)
        assert child.read()["error"] == {"code": -32603, "message": "Internal server error"}
        assert child.call("ping") == {}
        code, _, err = child.end()

    assert code == 0
    assert f"{method}, request 1, failed\n" in err
    assert "Traceback (most recent call last)" in err or "Exception Group Traceback" in err


def test_input_and_output_may_be_files(tmp_path: Path) -> None:
    requests, answers = tmp_path / "requests", tmp_path / "answers"
    frames = [request("echo", {"n": number}, number) for number in range(1000)]
    frames += [request("ping", {}, f"p{number}") for number in range(1000)]
    requests.write_bytes(b"\n".join(frames))
    with requests.open("rb") as input_, answers.open("wb") as output:
        done = subprocess.run(
            [sys.executable, str(SERVER)],
            stdin=input_,
            stdout=output,
            stderr=subprocess.PIPE,
            timeout=PATIENCE_S,
            check=False,
        )

    assert (done.returncode, done.stderr) == (0, b"")
    lines = [json.loads(line) for line in answers.read_bytes().splitlines()]
    assert len({message["id"] for message in lines if "result" in message}) == 2000


def test_pipes_are_left_as_they_were() -> None:
    """Others may share our ends: `(server; more) | reader`."""
    reading, writing = os.pipe()
    with started(stdout=writing) as child:
        child.send("ping")
        os.read(reading, 100)
        assert not os.get_blocking(writing)
        child.stdin.close()
        assert child.process.wait(PATIENCE_S) == 0
    assert os.get_blocking(writing)
    os.close(reading)
    os.close(writing)
