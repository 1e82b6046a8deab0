"""The situations of `test_situations_mcp` that are about HTTP, against a server that really runs."""

from __future__ import annotations

import http.client
import json
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.surfaces.mcp.child import Child, notification, request
from tests.surfaces.mcp.served import PATIENCE_S, TRIALS, call, opening, served
from tests.test_situations_mcp import PATHS, SECRET, gone_after, is_running, written
from trio_agent.surfaces.mcp.rpc import JsonObject

POSTED = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@attrs.define
class Site:
    """A client of one server."""

    child: Child
    port: int
    headers: dict[str, str] = attrs.field(factory=dict["str", "str"])

    def begin(self, body: bytes) -> http.client.HTTPConnection:
        """Send, and do not wait."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        connection.request("POST", "/mcp", body, {**POSTED, **self.headers})
        return connection

    def post(self, body: bytes) -> tuple[int, Any]:
        """Status, and the message of the answer: the body, or the last event."""
        connection = self.begin(body)
        response = connection.getresponse()
        data = response.read()
        if (session := response.getheader("mcp-session-id")) is not None:
            self.headers["mcp-session-id"] = session
        connection.close()
        if response.getheader("content-type") == "text/event-stream":
            data = re.findall(rb"data: (\{.*)", data)[-1]
        return response.status, json.loads(data) if data else None

    def open(self) -> None:
        """Begin a session."""
        self.headers.clear()
        assert self.post(request("initialize", opening(), 0))[0] == 200
        self.headers["mcp-protocol-version"] = "2025-11-25"
        assert self.post(notification("notifications/initialized", {}))[0] == 202


@contextmanager
def serving() -> Iterator[Site]:
    with served(TRIALS, "--http", "127.0.0.1:0") as child:
        found = re.search(rb":(\d+)/mcp", child.stderr.readline())
        assert found is not None
        site = Site(child, int(found.group(1)))
        site.open()
        yield site


def runs(site: Site) -> int:
    """How often `brief` was run, this time included."""
    return int(site.post(call("brief", 99, {"seconds": 0}))[1]["result"]["content"][0]["text"])


def test_br_34_what_a_restart_forgot_is_404_and_who_begins_again_is_served() -> None:
    with serving() as site:
        forgotten = dict(site.headers)
    with serving() as site:
        made_up = {**forgotten, "mcp-session-id": "made-up"}
        for headers in (forgotten, made_up):
            site.headers = dict(headers)
            status, message = site.post(call("brief", 1, {"seconds": 0}))
            assert (status, message["jsonrpc"], message["error"]["code"]) == (404, "2.0", -32600)
        site.open()
        assert runs(site) == 1


def test_br_34_and_surfaces_38_leaving_is_not_cancelling_and_nothing_runs_twice(
    tmp_path: Path,
) -> None:
    with serving() as site:
        gone = site.begin(call("offspring", 1, {"pid_file": str(tmp_path / "pid")}))
        grandchild = written(tmp_path / "pid")
        gone.close()
        assert runs(site) == 1
        assert is_running(grandchild)
        # The id is still in flight.
        assert site.post(call("brief", 1))[1]["error"]["code"] == -32600

        assert site.post(notification("notifications/cancelled", {"requestId": 1}))[0] == 202
        gone_after(grandchild)
        assert runs(site) == 2


def test_br_22_over_http_a_signal_takes_children_along(tmp_path: Path) -> None:
    with serving() as site:
        answers: list[Any] = []
        body = call("stubborn", 1, {"pid_file": str(tmp_path / "pid")})
        waiting = threading.Thread(target=lambda: answers.append(site.post(body)))
        waiting.start()
        grandchild = written(tmp_path / "pid")
        site.child.signal(signal.SIGTERM)
        assert site.child.process.wait(PATIENCE_S) == 143
        assert not is_running(grandchild)
        waiting.join(PATIENCE_S)
        assert answers[0][1]["error"]["code"] == -32000


@pytest.mark.parametrize("target", PATHS)
def test_br_38_over_http_there_are_a_code_and_the_id_that_finds_the_text(target: str) -> None:
    method = PATHS[target]
    params: JsonObject = {"uri" if method == "resources/read" else "name": target}
    with serving() as site:
        _, message = site.post(request(method, params, 1))
        meant = site.post(call("leak", 2, {"meant": True}))[1]
        site.child.signal(signal.SIGTERM)
        _, _, err = site.child.wait()
    told = json.dumps(message)
    assert "render-failed" in told
    assert "hunter2" not in told
    found = re.search("[0-9a-f]{16}", told)
    assert found is not None
    (line,) = (line for line in err.splitlines() if found.group() in line)
    assert SECRET in line
    assert meant["result"]["content"][0]["text"] == "[E_CLOSED] the depot is closed on Sundays"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{broken", -32700),
        (b"", -32700),
        (b"\xff", -32700),
        (request("ping", {"x": 7}, 1).replace(b"7", b"NaN"), -32700),
        (b"[]", -32600),
        (b"5", -32600),
    ],
    ids=repr,
)
def test_br_10_and_28_broken_bodies_are_400_with_a_json_rpc_error(body: bytes, code: int) -> None:
    with serving() as site:
        status, message = site.post(body)
        assert (status, message["id"], message["error"]["code"]) == (400, None, code)
        assert runs(site) == 1


def test_br_30_a_client_that_never_reads_standard_error_gets_its_answers_over_http_too() -> None:
    with serving() as site:
        for number in range(1, 4):
            _, message = site.post(call("noise", number))
            assert "isError" not in message["result"]
        assert site.post(call("leak", 4))[1]["result"]["isError"] is True
        site.child.signal(signal.SIGTERM)
        assert site.child.process.wait(PATIENCE_S) == 143
