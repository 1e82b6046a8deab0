"""What the measurements of MCP servers decide: with figures and servers that were made up."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks.harness import MeasurementError
from benchmarks.mcp_process import (
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
