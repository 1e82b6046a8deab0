"""`python -m trio_agent.serve`: its words, and a real server process."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from trio_agent import serve
from trio_agent.serve import Order, UsageError, read_order
from trio_agent.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trio_agent.surfaces.mcp.rpc import JsonObject

PLUGINS = Path(__file__).parent / "surfaces/mcp/plugins"
COMMAND = [sys.executable, "-P", "-m", "trio_agent.serve"]
OPENING: JsonObject = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@pytest.mark.parametrize(
    ("words", "order"),
    [
        (["./a"], Order(plugin="./a")),
        (["./a", "b"], Order(plugin="./a", server="b")),
        (["--no-heartbeat", "./a"], Order(plugin="./a", heartbeat=False)),
        (["./a", "--http", "127.0.0.1:0"], Order(plugin="./a", http="127.0.0.1:0")),
        (["--http=[::1]:80", "./a", "b"], Order(plugin="./a", server="b", http="[::1]:80")),
    ],
)
def test_words_are_an_order(words: list[str], order: Order) -> None:
    assert read_order(words) == order


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([], "received nothing"),
        (["a", "b", "c"], "'c'"),
        (["a", "--port", "1"], "--port"),
        (["a", "--http"], "HOST:PORT"),
        (["a", "--http="], "HOST:PORT"),
        (["a", "--http", "h:1", "--http", "h:2"], "one HOST:PORT"),
    ],
)
def test_words_that_are_none_say_what_was_expected(words: list[str], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        read_order(words)


def test_help_and_version_go_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert serve.main(["./a", "--help"]) == 0
    assert serve.main(["--version"]) == 0
    assert capsys.readouterr().out == f"{serve.USAGE}trio-agent {__version__}\n"


@pytest.mark.parametrize(
    ("words", "code", "named"),
    [
        (["--port"], 2, "unknown option '--port'"),
        (["./no/such"], 1, "there is no plugin"),
        ([str(PLUGINS / "depot"), "attic"], 1, "attic"),
        ([str(PLUGINS / "depot"), "--http", "nowhere"], 2, "HOST:PORT"),
        ([str(PLUGINS / "depot"), "--http", "256.0.0.1:0"], 1, "256.0.0.1"),
        (["./no/such", "--http", "127.0.0.1:0"], 1, "there is no plugin"),
    ],
)
def test_a_mistake_is_one_clear_line(
    words: list[str], code: int, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert serve.main(words) == code

    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("trio-agent: ")
    assert named in captured.err
    assert "Traceback" not in captured.err


class Server:
    """A server process, spoken to line by line."""

    def __init__(self, *words: str, env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=env,
        )
        self._number = 0

    def send(self, method: str, **params: object) -> int:
        self._number += 1
        self.write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def write(self, message: JsonObject) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> JsonObject:
        assert self.process.stdout is not None
        return cast("JsonObject", json.loads(self.process.stdout.readline()))

    def ask(self, method: str, **params: object) -> JsonObject:
        number = self.send(method, **params)
        answer = self.receive()
        assert answer["id"] == number
        return cast("JsonObject", answer.get("result", answer))

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out.decode(), err.decode()


@pytest.fixture
def depot() -> Iterator[Server]:
    server = Server(str(PLUGINS / "depot"), "--no-heartbeat")
    yield server
    if server.process.poll() is None:
        server.process.kill()
        server.process.communicate()


def test_a_plugin_is_served_to_a_client_that_ends_the_conversation(depot: Server) -> None:
    opened = depot.ask("initialize", **OPENING)
    depot.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
    tools = depot.ask("tools/list")
    added = depot.ask("tools/call", name="add", arguments={"a": 1, "b": 2})

    assert cast("JsonObject", opened["serverInfo"])["name"] == "depot"
    names = [tool["name"] for tool in cast("list[JsonObject]", tools["tools"])]
    assert "add" in names
    assert added == {"content": [{"type": "text", "text": "3"}]}
    code, out, err = depot.end()
    assert (code, out) == (0, "")
    assert "tool:depot/broken is not offered" in err


def test_progress_comes_before_its_result_and_under_the_token(depot: Server) -> None:
    depot.ask("initialize", **OPENING)

    number = depot.send(
        "tools/call", name="measure", arguments={"shelves": 1}, _meta={"progressToken": "t"}
    )
    received = [depot.receive()]
    while received[-1].get("id") != number:
        received.append(depot.receive())

    *reports, answer = received
    assert reports
    assert {message["method"] for message in reports} == {"notifications/progress"}
    assert cast("JsonObject", answer["result"])["structuredContent"] == {"shelves": 1, "items": 10}
    assert depot.end()[0] == 0


def test_a_cancelled_call_is_never_answered_and_the_next_one_is(depot: Server) -> None:
    depot.ask("initialize", **OPENING)
    number = depot.send("tools/call", name="stuck")
    depot.write(
        {
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": number, "reason": "enough"},
        }
    )

    added = depot.ask("tools/call", name="add", arguments={"a": 1})

    assert added["content"] == [{"type": "text", "text": "1"}]
    assert depot.end()[:2] == (0, "")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["int", "term"]
)
def test_a_signal_ends_it_while_a_call_is_running(
    depot: Server, number: signal.Signals, code: int
) -> None:
    depot.ask("initialize", **OPENING)
    depot.send("tools/call", name="stuck")
    depot.ask("ping")

    depot.process.send_signal(number)

    returned, out, err = depot.end()
    assert returned == code
    assert [json.loads(line)["error"]["code"] for line in out.splitlines()] == [-32000]
    assert "Traceback" not in err


def test_over_http_the_address_is_said_and_a_signal_ends_it() -> None:
    server = Server(str(PLUGINS / "depot"), "--http", "127.0.0.1:0")
    assert server.process.stderr is not None
    try:
        said = server.process.stderr.readline().decode()
        server.process.send_signal(signal.SIGTERM)
        code, out, _ = server.end()
    finally:
        server.process.kill()
        server.process.wait()

    assert said.startswith("trio-agent: serving http://127.0.0.1:")
    assert said.endswith("/mcp\n")
    assert (code, out) == (143, "")


# ---------------------------------------------------------------- written by hand

BYHAND = str(PLUGINS / "byhand")


@pytest.fixture
def legacy() -> Iterator[Server]:
    server = Server(BYHAND, "legacy", "--no-heartbeat")
    yield server
    if server.process.poll() is None:
        server.process.kill()
        server.process.communicate()


def test_a_server_of_the_sdk_lives_in_the_same_shell(legacy: Server) -> None:
    opened = legacy.ask("initialize", **OPENING)
    legacy.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
    told = legacy.ask("tools/call", name="wait")

    assert cast("JsonObject", opened["serverInfo"])["name"] == "legacy"
    assert told["content"] == [{"type": "text", "text": "from the manifest"}]
    code, out, err = legacy.end()
    assert (code, out) == (0, "")
    assert "printed while it is imported" in err
    assert "printed by a tool" in err


def test_a_call_of_such_a_server_is_answered_after_the_end_of_the_input(legacy: Server) -> None:
    legacy.ask("initialize", **OPENING)
    number = legacy.send("tools/call", name="wait", arguments={"seconds": 0.2})

    code, out, _ = legacy.end()

    (line,) = out.splitlines()
    assert code == 0
    assert json.loads(line)["id"] == number
    assert "result" in json.loads(line)


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"{", -32700),
        (b"[]", -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\\ud800"}}', -32600),
    ],
)
def test_broken_frames_are_answered_and_the_session_goes_on(
    legacy: Server, frame: bytes, code: int
) -> None:
    legacy.ask("initialize", **OPENING)
    assert legacy.process.stdin is not None
    legacy.process.stdin.write(frame + b"\n")
    legacy.process.stdin.flush()

    refused = legacy.receive()

    assert cast("JsonObject", refused["error"])["code"] == code
    assert "tools" in legacy.ask("tools/list")


def test_one_signal_ends_such_a_server_too(legacy: Server) -> None:
    legacy.ask("initialize", **OPENING)
    legacy.send("tools/call", name="wait", arguments={"seconds": 60})
    legacy.ask("ping")

    legacy.process.send_signal(signal.SIGINT)

    code, _, err = legacy.end()
    assert code == 130
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("empty", "create_server(), and there is none"),
        ("wrong", "received an instance of str"),
        ("program", "is a command server"),
        ("elsewhere", "is a remote server"),
    ],
)
def test_what_cannot_be_served_says_why(name: str, said: str) -> None:
    ran = subprocess.run(
        [*COMMAND, BYHAND, name],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (ran.returncode, ran.stdout) == (1, b"")
    assert said in ran.stderr.decode()
    assert b"Traceback" not in ran.stderr


def test_a_folder_that_stands_in_the_way_of_the_sdk_is_named(tmp_path: Path) -> None:
    plugin = tmp_path / "byhand"
    shutil.copytree(BYHAND, plugin)
    (plugin / "mcp" / "__init__.py").write_text("", encoding="utf-8")

    ran = subprocess.run(
        [sys.executable, "-m", "trio_agent.serve", ".", "legacy"],
        cwd=plugin,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert (ran.returncode, ran.stdout) == (1, b"")
    assert "stands in the way of the MCP SDK" in ran.stderr.decode()
