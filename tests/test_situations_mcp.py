"""Situations of other people's bug reports, tried against servers that really run: BR-06 to BR-38.

Each is a process, `python -P -m trio_agent.serve`, spoken to in bytes.  What needs no process is
tested where it is decided:

    BR-02 BR-04   protocol/schema: test_schema_references, test_defaults
    BR-12         surfaces/mcp/test_projection, and docs/reference/mcp.md
    BR-14         routes/test_references
    BR-16         surfaces/mcp/test_progress, and here
    BR-20         test_cases_mcp
    BR-24 BR-26   surfaces/mcp/test_stdio_end, and here
    BR-28 BR-32   surfaces/mcp/test_stdio, test_framing, and here
    BR-34         surfaces/mcp/test_http_handshake, and test_situations_http
    BR-36         waits for the workbench
    BR-38         surfaces/mcp/test_failure, test_failure_calls, and here
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from tests.surfaces.cli.plugins import need_pseudo_terminals
from tests.surfaces.mcp.child import Child, notification, request
from tests.surfaces.mcp.served import (
    COMMAND,
    DEPOT,
    PATIENCE_S,
    TRIALS,
    arriving,
    call,
    opened,
    opening,
    served,
    use,
)
from trio_agent.surfaces.mcp.rpc import JsonObject

HELLO = request("initialize", opening(), 0)
need_pseudo_terminals()

POSIX = pytest.mark.skipif(os.name != "posix", reason="has no process groups")


@pytest.fixture(scope="module")
def trials() -> Iterator[Child]:
    """One session for all who do not end it."""
    with opened() as child:
        yield child


def text_of(result: Any) -> str:
    assert result["isError"] is True
    assert "structuredContent" not in result
    (block,) = result["content"]
    return cast("str", block["text"])


# ------------------------------------------------------------------------------ arguments, results


@pytest.mark.parametrize("text", ["123", "true", '{"a":1}', "null", "", " ", None])
def test_br_06_a_string_stays_the_string_that_was_given(trials: Child, text: str | None) -> None:
    assert use(trials, "said", text=text)["structuredContent"]["text"] == text


@pytest.mark.parametrize(
    ("way", "path"),
    [
        ("missing", "value.n: expected integer, received nothing"),
        ("type", 'value.n: expected integer, received "1"'),
        ("set", "value.n is an instance of builtins.set"),
        ("lambda", "value is an instance of builtins.function"),
        ("mute", "value is an instance of trials.mcp.trials.tools.wrong.Mute"),
        ("generator", "value is an instance of builtins.generator"),
    ],
)
def test_br_08_a_value_that_is_not_as_declared_is_an_error_with_its_path(
    trials: Child, way: str, path: str
) -> None:
    assert text_of(use(trials, "wrong", way=way)).startswith(path)
    assert use(trials, "wrong", way="right")["structuredContent"] == {"n": 3}


@pytest.mark.parametrize("sign", ["nan", "inf"])
@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("value", "value.deep[1] is a non-finite number"),
        ("json", "json.deep[1] is a non-finite number"),
        ("metadata", "metadata.deep[1] is a non-finite number"),
        ("layout", "metadata.deep[1] is a non-finite number"),
        ("progress", "progress completed is a finite number"),
    ],
)
def test_br_10_a_number_that_json_has_not_is_an_error_with_its_path(
    trials: Child, tmp_path: Path, place: str, path: str, sign: str
) -> None:
    if place == "layout":
        shutil.copytree(TRIALS, tmp_path / "trials", ignore=shutil.ignore_patterns("__pycache__"))
        layout = (
            "from trio_agent import Agent, Node, layout\n\n"
            "@layout()\ndef frame(children: Node) -> Node:\n"
            f"    return Agent.Result(children, metadata={{'deep': [1, float('{sign}')]}})\n"
        )
        (tmp_path / "trials/layout.py").write_text(layout, encoding="utf-8")
        with opened(str(tmp_path / "trials")) as child:
            assert text_of(use(child, "said")).startswith(path)
        return
    trials.write(call("number", 1, {"place": place, "sign": sign}, progressToken="t"))
    assert text_of(trials.read()["result"]).startswith(path)


@pytest.mark.parametrize("token", [b"NaN", b"Infinity", b"-Infinity", b"1e999"])
def test_br_10_such_a_token_from_a_client_is_a_parse_error(trials: Child, token: bytes) -> None:
    trials.write(call("said", 1, {"number": 7}).replace(b"7", token))
    answer = trials.read()
    assert (answer["id"], answer["error"]["code"]) == (None, -32700)
    assert trials.call("ping") == {}


# ------------------------------------------------------------------------------ progress


def test_br_16_two_calls_may_have_one_token(trials: Child) -> None:
    trials.write(*(call("finish", number, progressToken="same") for number in (1, 2)))
    messages = [trials.read() for _ in range(4)]
    assert sorted(message["id"] for message in messages if "id" in message) == [1, 2]
    told = [message["params"] for message in messages if "method" in message]
    assert [one["progressToken"] for one in told] == ["same", "same"]


@pytest.mark.parametrize("token", [0, 7, "7", "", "π", 2**53 + 1], ids=repr)
def test_br_16_a_token_comes_back_as_it_was(trials: Child, token: object) -> None:
    trials.write(call("finish", 1, progressToken=token))
    told = trials.read()["params"]["progressToken"]
    assert (told, type(told)) == (token, type(token))
    assert trials.read()["id"] == 1


@pytest.mark.parametrize("token", [True, 1.5, None, [1], {"a": 1}], ids=repr)
def test_br_16_what_is_no_token_is_none(trials: Child, token: object) -> None:
    trials.write(call("finish", 1, progressToken=token))
    assert trials.read()["id"] == 1


@pytest.mark.parametrize("way", ["plain", "boundary", "late"])
def test_br_18_progress_and_the_result_are_never_read_at_once(trials: Child, way: str) -> None:
    for number in range(20):
        trials.write(call("finish", number, {"way": way}, progressToken=number))
        reads = arriving(trials, b'"id":')
        # The last read has the result, and nothing else.
        assert [read.count(b"\n") for read in reads][-1] == 1
        assert b"notifications/progress" in reads[0]
        assert reads[-1].startswith(b'{"jsonrpc":"2.0","id":%d,' % number)


def test_br_18_who_reports_too_late_is_told_so_and_the_client_hears_nothing() -> None:
    with opened() as child:
        child.write(call("finish", 1, {"way": "late"}, progressToken=1))
        arriving(child, b'"id":')
        for _ in range(500):
            if use(child, "finish", 2)["structuredContent"]["refused"] == 1:
                break
        else:
            raise AssertionError("nobody was refused")
        assert child.end()[:2] == (0, [])


# ------------------------------------------------------------------------------ children


def is_running(pid: int) -> bool:
    found = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE_S,
    )
    return bool(found.stdout.strip()) and not found.stdout.startswith("Z")


def written(file: Path) -> int:
    """The process id in a file, once it is there."""
    end = time.perf_counter() + PATIENCE_S
    while time.perf_counter() < end:
        if file.exists() and (text := file.read_text(encoding="utf-8")).endswith("\n"):
            return int(text)
        time.sleep(0.01)
    raise AssertionError("nobody came")


def gone_after(pid: int) -> float:
    """Seconds until a process is gone; it is ended if it stays."""
    begun = time.perf_counter()
    while is_running(pid):
        if time.perf_counter() - begun > 5:
            os.kill(pid, signal.SIGKILL)
            raise AssertionError("it is still there")
        time.sleep(0.02)
    return time.perf_counter() - begun


@POSIX
@pytest.mark.parametrize("tool", ["offspring", "offspring_thread", "stubborn"])
@pytest.mark.parametrize("how", ["cancel", "leave", "signal"])
def test_br_22_nobody_survives_the_call_that_it_was_started_for(
    tool: str, how: str, tmp_path: Path
) -> None:
    with opened() as child:
        child.write(call(tool, 1, {"pid_file": str(tmp_path / "pid")}))
        grandchild = written(tmp_path / "pid")
        assert is_running(grandchild)

        if how == "cancel":
            child.write(notification("notifications/cancelled", {"requestId": 1}))
            # Over for the client at once, whoever takes how long to end.
            assert use(child, "said", 2)["structuredContent"]["number"] == 0
        elif how == "leave":
            child.stdin.close()
        else:
            child.signal(signal.SIGTERM)
        gone_after(grandchild)
        if how == "leave":
            code, left, err = child.wait()
            assert (code, [line["error"]["code"] for line in left], err) == (0, [-32000], "")


@POSIX
def test_br_22_a_time_limit_ends_them_too(tmp_path: Path) -> None:
    with opened() as child:
        result = use(child, "offspring_timed", pid_file=str(tmp_path / "pid"))
        assert "time limit" in text_of(result)
        gone_after(written(tmp_path / "pid"))


@POSIX
def test_br_22_a_call_is_over_even_if_its_thread_is_not(tmp_path: Path) -> None:
    with opened() as child:
        child.write(call("blocked", 1, {"pid_file": str(tmp_path / "pid")}))
        pid = written(tmp_path / "pid")
        child.write(notification("notifications/cancelled", {"requestId": 1}))
        assert use(child, "said", 2)["structuredContent"]["number"] == 0
        # It was started behind our back, so it ends when its author's code says so.
        os.kill(pid, signal.SIGKILL)
        assert child.end()[:2] == (0, [])


# ------------------------------------------------------------------------------ life


def test_br_24_without_input_a_plugin_s_server_ends_at_once() -> None:
    done = subprocess.run(
        [*COMMAND, DEPOT],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@POSIX
@pytest.mark.parametrize("redirection", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_br_24_and_30_a_standard_stream_may_be_closed(redirection: str) -> None:
    script = f'exec "$@" {redirection}'
    done = subprocess.run(
        ["sh", "-c", script, "sh", *COMMAND, TRIALS, "--no-heartbeat"],
        input=b"\n".join([HELLO, call("noise", 1), call("leak", 2), b""]),
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.count(b"\n") == (3 if redirection == "2>&-" else 0)


@POSIX
@pytest.mark.parametrize("keys", [b"\x03", b"\x03\x03"])
@pytest.mark.parametrize("when", ["idle", "busy"])
def test_br_26_one_ctrl_c_on_a_terminal_ends_a_plugin_s_server(when: str, keys: bytes) -> None:
    import fcntl
    import pty
    import termios

    outside, inside = pty.openpty()
    with served(
        TRIALS,
        stdin=inside,
        stdout=inside,
        preexec_fn=lambda: fcntl.ioctl(inside, termios.TIOCSCTTY, 0),
    ) as child:
        os.close(inside)
        lines = [HELLO] if when == "idle" else [HELLO, call("brief", 1, {"seconds": 60})]
        os.write(outside, b"\n".join([*lines, request("ping", {}, "last"), b""]))
        seen = b""
        while b'"id":"last","result"' not in seen:
            seen += os.read(outside, 1000)
        os.write(outside, keys)
        assert child.process.wait(PATIENCE_S) == 130
        err = child.stderr.read().decode()
    os.close(outside)
    assert err == ""


def test_br_28_frames_in_every_shape_are_accepted_and_broken_ones_answered() -> None:
    mark = "\ufeff".encode()
    odd = call("said", 2, {"text": "a\u2028b\nc"})
    raw = odd.replace(rb"\u2028", "\u2028".encode())
    frames = (
        mark + HELLO + b"\r\n\r\n\n" + mark + request("ping", {}, 1) + b"\n"
        b"{broken\n\xff\xfe\n[]\n5\n" + odd + b"\n" + raw.replace(b'"id": 2', b'"id": 3') + b"\n"
        b'{"jsonrpc":"2.0","id":4,"method":"no/such"}\n{"jsonrpc":"2.0","id":5,"method":5}\n'
        b'{"jsonrpc":"2.0","id":6,"result":{}}\n'
        + notification("notifications/cancelled", {"requestId": "unknown"})
        + b"\n"
        + request("ping", {}, 7)
    )
    with served(TRIALS) as child:
        for number in range(0, len(frames), 7):
            child.stdin.write(frames[number : number + 7])
            child.stdin.flush()
        child.stdin.close()
        out = child.stdout.read()
        child.stdout.close()
        assert child.process.wait(PATIENCE_S) == 0
    answers = [json.loads(line) for line in out.splitlines()]
    codes = [answer["error"]["code"] for answer in answers if answer["id"] is None]
    assert codes == [-32700, -32700, -32600, -32600]
    by_id = {answer["id"]: answer for answer in answers}
    assert set(by_id) == {None, 0, 1, 2, 3, 4, 5, 7}
    assert [by_id[number]["error"]["code"] for number in (4, 5)] == [-32601, -32600]
    for number in (2, 3):
        assert by_id[number]["result"]["structuredContent"]["text"] == "a\u2028b\nc"
    assert out.startswith(b'{"jsonrpc"')


def test_br_30_a_client_that_never_reads_standard_error_gets_its_answers() -> None:
    with opened() as child:
        for number in range(1, 4):
            assert "isError" not in use(child, "noise", number)
        assert text_of(use(child, "leak", 4))
        child.stdin.close()
        assert child.process.wait(PATIENCE_S) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_br_30_a_full_disk_costs_log_lines_and_no_answers() -> None:
    with Path("/dev/full").open("wb") as full, opened(stderr=full) as child:
        assert "isError" not in use(child, "noise", 1)
        assert text_of(use(child, "leak", 2))
        child.stdin.close()
        assert child.process.wait(PATIENCE_S) == 0


def test_br_32_what_is_nearly_finished_at_the_end_of_the_input_is_answered() -> None:
    lines = [HELLO, *(call("brief", number, {"seconds": 0.2}) for number in range(1, 6)), b""]
    done = subprocess.run(
        [*COMMAND, TRIALS],
        input=b"\n".join(lines),
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stdout.count(b'"result"')) == (0, 6)


def test_br_32_a_second_request_with_an_id_in_flight_is_refused(trials: Child) -> None:
    trials.write(call("brief", 5, {"seconds": 0.2}), call("said", 5, {"text": "second"}))
    refused, answered = trials.read(), trials.read()
    assert (refused["id"], refused["error"]["code"]) == (5, -32600)
    assert (answered["id"], answered["result"]["content"][0]["text"].isdigit()) == (5, True)


# ------------------------------------------------------------------------------ names, bad input


def test_br_14_what_is_listed_has_a_name_that_every_host_takes(tmp_path: Path) -> None:
    tools = tmp_path / "names/mcp/n/tools"
    tools.mkdir(parents=True)
    text = 'from trio_agent import tool\n\n\n@tool()\nasync def f() -> str:\n    return "x"\n'
    # With the prefix that hosts put before it, mcp__n__, a name has room for 56 characters.
    names = ("good", "a.b", "sp ace", "ünï", "da-sh", "x" * 56, "y" * 57, "z" * 65)
    for name in names:
        (tools / f"{name}.py").write_text(text, encoding="utf-8")
    with opened(str(tmp_path / "names")) as child:
        listed = child.call("tools/list")["tools"]
        assert [tool["name"] for tool in listed] == ["good", "x" * 56]
        assert "TA4846" in text_of(use(child, "y" * 57, 2))
        _, _, err = child.end()
    assert "TA4846" in err
    assert "Traceback" not in err


def test_a_huge_argument_is_read_and_a_huge_result_is_an_error(trials: Child) -> None:
    size = 10 << 20
    # Nobody may wait for somebody who waits for them.
    writing = threading.Thread(
        target=trials.write, args=(call("long_text", 1, {"text": "x" * size}),)
    )
    writing.start()
    assert trials.read()["result"]["content"][0]["text"] == str(size)
    writing.join(PATIENCE_S)
    assert "the limit is 1048576" in text_of(use(trials, "long_text", mebibytes=10))
    assert trials.call("ping") == {}


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("no/such", {}, -32601),
        ("initialize", {"protocolVersion": 5}, -32602),
        ("tools/call", {"name": "no_such"}, -32602),
        ("tools/call", {"name": ["said"]}, -32602),
        ("tools/call", {"name": "said", "arguments": "x"}, -32602),
        ("resources/read", {"uri": "trials://no-such"}, -32002),
        ("prompts/get", {}, -32602),
    ],
)
def test_a_request_that_makes_no_sense_has_the_error_that_belongs_to_it(
    trials: Child, method: str, params: JsonObject, code: int
) -> None:
    trials.send(method, params)
    assert trials.read()["error"]["code"] == code
    assert trials.call("ping") == {}


def test_wrong_arguments_are_one_result_with_every_path(trials: Child) -> None:
    text = text_of(use(trials, "said", text=5, number="3", flag=1, more=None))
    for path in ("text", "number", "flag", "more"):
        assert path in text


def test_surfaces_34_an_excluded_tool_is_neither_listed_nor_called() -> None:
    for client, is_there in (("Codex CLI", False), ("claude-ai", True)):
        with opened(DEPOT, client=client) as child:
            names = {tool["name"] for tool in child.call("tools/list")["tools"]}
            child.send("tools/call", {"name": "secret"}, 2)
            answer = child.read()
            assert ("secret" in names, "result" in answer) == (is_there, is_there)


def test_a_client_that_stops_reading_stops_nobody_else_and_loses_nothing() -> None:
    with opened() as child:
        count = 400
        lines = [call("said", number, {"text": "x" * 2000}) for number in range(1, 41)]
        for _ in range(count // 40):
            child.write(*lines)
            # It reads a little later; a pipe has room for thirteen of these.
            assert {child.read()["id"] for _ in range(40)} == set(range(1, 41))
        assert child.end()[:2] == (0, [])


# ------------------------------------------------------------------------------ errors

SECRET = "postgres://ops:hunter2@db.internal/prod"
PATHS = {"leak": "tools/call", "trials://closed": "resources/read", "ask": "prompts/get"}


def failure_of(child: Child, target: str) -> tuple[str, str]:
    """The text that a client gets, and the id that it is told by."""
    method = PATHS[target]
    child.send(method, {"uri" if method == "resources/read" else "name": target})
    answer = child.read()
    if method == "tools/call":
        text = text_of(answer["result"])
        found = re.search("[0-9a-f]{16}", text)
        return text, "" if found is None else found.group()
    error = answer["error"]
    assert error["code"] == -32603
    assert error["data"]["code"] == "render-failed"
    return error["message"], error["data"].get("errorId", "")


@pytest.mark.parametrize("target", PATHS)
def test_br_38_on_stdio_the_message_is_shown_unless_the_plugin_says_otherwise(
    trials: Child, target: str, tmp_path: Path
) -> None:
    text, error_id = failure_of(trials, target)
    assert SECRET in text
    assert not error_id

    shutil.copytree(TRIALS, tmp_path / "trials", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "trials/plugin.toml").open("a", encoding="utf-8") as manifest:
        manifest.write('[errors]\nexpose = "code"\n')
    with opened(str(tmp_path / "trials")) as child:
        text, error_id = failure_of(child, target)
        assert "hunter2" not in text
        assert "/srv/keys" not in text
        assert "render-failed" in text
        if target == "leak":
            meant = text_of(use(child, "leak", meant=True))
            assert meant == "[E_CLOSED] the depot is closed on Sundays"
        _, _, err = child.end()
    (line,) = (line for line in err.splitlines() if error_id in line)
    assert SECRET in line
