"""What the measurements of MCP servers decide: with figures and servers that were made up."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import http_sessions, ts_client
from benchmarks.harness import MeasurementError
from benchmarks.http_client import Reply
from benchmarks.http_sessions import Held, Round
from benchmarks.mcp_process import (
    LIST,
    McpProcess,
    call_of,
    check_call,
    encode,
    serve_command,
    write_plugin,
)
from benchmarks.mcp_stdio import IN_FLIGHT, Taken, to_samples


def answer_of(id_: int, text: str) -> dict[str, object]:
    content = [{"type": "text", "text": text}]
    return {"jsonrpc": "2.0", "id": id_, "result": {"content": content}}


# ---------------------------------------------------------------------------------- a server


def test_a_call_asks_for_a_sum_and_only_the_sum_is_an_answer() -> None:
    assert json.loads(encode(call_of(40)))["params"]["arguments"] == {"a": 40, "b": 2}

    check_call(answer_of(40, "42"))
    for wrong in (answer_of(40, "43"), {"id": 40, "error": {"code": 0}}, {}, answer_of(1, "42")):
        with pytest.raises(MeasurementError, match="was answered with"):
            check_call(wrong)


def test_our_server_is_called_alone_and_together_and_tells_what_it_takes(tmp_path: Path) -> None:
    with McpProcess(serve_command(write_plugin(tmp_path))) as server:
        server.initialize()
        before = server.cpu_seconds()

        assert len(server.call(3)) == 3
        assert len(server.call(2 * IN_FLIGHT, IN_FLIGHT)) == 2

        assert server.cpu_seconds() > before
        assert server.resident_kib() > 1000


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("pass", "ended without an answer"),
        ("""print('{"error": {"code": -32603}}')""", "initialize was answered with .*-32603"),
    ],
)
def test_a_server_that_does_not_answer_is_a_failed_measurement(program: str, why: str) -> None:
    with (
        pytest.raises(MeasurementError, match=why),
        McpProcess([sys.executable, "-c", f"input(); {program}"]) as server,
    ):
        server.initialize()


# ---------------------------------------------------------------------------------- figures


def taken(cpu: float, wait: float) -> Taken:
    return Taken(cpu=[cpu, cpu], cpu_together=[cpu / 2, cpu / 2], waits=[wait, wait])


ALWAYS = {"ours": taken(1e-4, 0.003), "bare": taken(4e-4, 0.012), "asyncio": taken(2e-4, 0.006)}


def test_ratios_are_to_the_bare_server_and_the_others_are_notes() -> None:
    found = to_samples({**ALWAYS, "typescript": taken(1e-5, 0.001)})

    assert found["mcp-stdio-cpu"].values == (0.25, 0.25)
    assert "100 us a call, against 400 us" in found["mcp-stdio-cpu"].note
    assert "under asyncio 0.50" in found["mcp-stdio-cpu"].note
    assert found["mcp-stdio-concurrent"].values == (0.25, 0.25)
    assert "TypeScript's in Node 3.00" in found["mcp-stdio-concurrent"].note


def test_without_the_packages_the_comparison_with_them_is_skipped_and_says_how_to_get_them() -> (
    None
):
    found = to_samples(ALWAYS)

    for name in ("mcp-stdio-cpu-fastmcp", "mcp-stdio-concurrent-fastmcp"):
        assert found[name].is_skipped
        assert "bench" in found[name].note
    assert "npm install" in found["mcp-stdio-concurrent"].note


def test_fastmcp_has_ratios_of_its_own() -> None:
    found = to_samples({**ALWAYS, "fastmcp": taken(1e-3, 0.030)})

    assert found["mcp-stdio-cpu-fastmcp"].values == pytest.approx((0.1, 0.1))
    assert found["mcp-stdio-concurrent-fastmcp"].values == pytest.approx((0.1, 0.1))


# ---------------------------------------------------------------------------------- their clients


def seen(calls: int = 20, cancelled: int = 2, progress: int = 3) -> ts_client.Seen:
    return {
        "calls": calls,
        "cancelled": cancelled,
        "progress": progress,
        "errors": [],
        "answered": [],
        "wrong": [],
        "early_kib": 1000,
        "late_kib": 1010,
    }


def test_a_client_that_saw_what_it_should_is_fine() -> None:
    ts_client.check("v1", seen(), 20)


@pytest.mark.parametrize(
    ("flawed", "why"),
    [
        ({**seen(), "errors": ["Error: unknown token", "another"]}, "2 times 'errors'.*token"),
        ({**seen(), "answered": [0]}, "1 times 'answered', first: 0"),
        ({**seen(), "wrong": ["add: expected 3"]}, "1 times 'wrong', first: add: expected 3"),
        (seen(calls=19), "20 calls, 2 of them cancelled and 1 with progress, but"),
        (seen(cancelled=1), "20 calls, 2 of them cancelled and 1 with progress, but"),
        (seen(progress=0), "20 calls, 2 of them cancelled and 1 with progress, but"),
    ],
)
def test_a_client_that_noticed_anything_fails_the_measurement(
    flawed: ts_client.Seen, why: str
) -> None:
    with pytest.raises(MeasurementError, match=f"v2.*{why}"):
        ts_client.check("v2", flawed, 20)


def test_without_the_packages_their_clients_are_skipped(tmp_path: Path) -> None:
    found = ts_client.measure(packages=tmp_path)

    assert found["ts-client-mixed"].is_skipped
    assert "npm install" in found["ts-client-mixed"].note


def test_the_tools_for_a_client_that_does_everything_can_be_called(tmp_path: Path) -> None:
    with McpProcess(serve_command(write_plugin(tmp_path, ts_client.TOOLS))) as server:
        server.initialize()
        server.send(encode(LIST))
        listed = json.loads(server.receive())
        arguments = {"name": "count", "arguments": {"steps": 1}}
        call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": arguments}
        server.send(encode(call))
        counted = json.loads(server.receive())

    assert [tool["name"] for tool in listed["result"]["tools"]] == ["add", "count", "fail", "wait"]
    assert counted == answer_of(7, "1")


# ---------------------------------------------------------------------------------- over HTTP


def test_the_answer_in_a_response_is_plain_or_the_last_event_of_a_stream() -> None:
    events = b'event: message\r\nid: 1\r\ndata: \r\n\r\ndata: {"id": 1}\r\n\r\n'

    assert Reply(200, {}, b'{"id": 2}').answer() == {"id": 2}
    assert Reply(200, {}, events).answer() == {"id": 1}
    with pytest.raises(MeasurementError, match="202 with b''"):
        Reply(202, {}).answer()


def test_sessions_are_judged_by_what_the_second_round_leaves_more_than_the_first() -> None:
    kib = 1024
    first = Round(Held(0, 9, 12), Held(900 * kib, 29, 50), Held(50 * kib, 9, 12), Held(7, 9, 12))
    last = Round(Held(7, 9, 12), Held(250 * kib, 29, 52), Held(70 * kib, 9, 12), Held(7, 11, 13))

    found = http_sessions.to_samples([first, last], 10)

    assert {name: samples.values for name, samples in found.items()} == {
        "http-sessions-memory": (2.0,),
        "http-sessions-fds": (2,),
        "http-sessions-tasks": (1,),
    }
    memory = found["http-sessions-memory"].note
    assert memory == "for each of 10, at a time 2.000, one after another 0.000; 18 while it is open"
    assert found["http-sessions-tasks"].note == "12, and 52 with 10 sessions"
