"""What the HTTP side answers before any server is asked: paths, hosts, bodies, tokens."""

from __future__ import annotations

import json
import math
import time

import attrs
import pytest
import trio
from mcp.server.auth.provider import AccessToken, TokenVerifier as SdkTokenVerifier

from tests.surfaces.mcp.http_caller import OPENING, call, calling, modern, modern_headers, request
from tests.surfaces.mcp.http_service import Service, add
from trio_agent.surfaces.mcp.exchange import Exchange
from trio_agent.surfaces.mcp.http.app import HttpSettings
from trio_agent.surfaces.mcp.http.auth import BearerCheck
from trio_agent.surfaces.mcp.http.message import BODY_S, AsgiMessage
from trio_agent.surfaces.mcp.rpc import INVALID_REQUEST, PARSE_ERROR, JsonObject


async def who(arguments: JsonObject, exchange: Exchange) -> object:
    return exchange.actor_id


@pytest.mark.parametrize("path", ["/", "/mcp/other", "/mcpx", "/.well-known/oauth-authorization"])
async def test_elsewhere_is_404_and_says_where_the_server_is(path: str) -> None:
    async with calling(Service()) as caller:
        answer = await caller.ask(method="GET", path=path)

    assert answer.status == 404
    assert answer.json == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {
            "code": INVALID_REQUEST,
            "message": "Not Found: MCP is served at /mcp",
            "data": {"paths": ["/mcp"]},
        },
    }


async def test_of_several_servers_each_has_a_path_and_mcp_names_them() -> None:
    services = {"one": Service(add=add), "two": Service(who=who)}
    async with calling(services) as caller:
        nowhere = await caller.ask(request("ping"))
        message = modern("tools/list")
        first = await caller.ask(message, path="/mcp/one", **modern_headers(message))
        second = await caller.ask(message, path="/mcp/two/", **modern_headers(message))

    assert nowhere.status == 404
    assert nowhere.error["data"] == {"paths": ["/mcp/one", "/mcp/two"]}
    assert [tool["name"] for tool in first.result["tools"]] == ["add"]  # type: ignore[attr-defined]  # JSON
    assert [tool["name"] for tool in second.result["tools"]] == ["who"]  # type: ignore[attr-defined]  # JSON


async def test_a_single_server_has_a_path_of_its_name_too() -> None:
    async with calling(Service(add=add)) as caller:
        message = modern("tools/list")
        assert (await caller.ask(message, path="/mcp/small", **modern_headers(message))).result


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "localhost.evil.example:80"}, 421),
        ({"host": None}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:3000"}, 200),
        ({"origin": "https://127.0.0.1"}, 200),
        ({"host": "[::1]:8000"}, 200),
        ({"host": "LOCALHOST"}, 200),
    ],
)
async def test_a_stranger_s_page_cannot_reach_a_local_server(
    headers: dict[str, str | None], status: int
) -> None:
    async with calling(Service()) as caller:
        message = modern("server/discover")
        answer = await caller.ask(message, **modern_headers(message), **headers)

    assert answer.status == status


async def test_elsewhere_any_host_may_be_named_but_a_page_only_its_own() -> None:
    async with calling(Service(), host="0.0.0.0") as caller:
        message = modern("server/discover")
        same = {"host": "tools.example", "origin": "https://tools.example"}
        other = {"host": "tools.example", "origin": "https://evil.example"}
        assert (await caller.ask(message, **modern_headers(message), **same)).status == 200
        assert (await caller.ask(message, **modern_headers(message), **other)).status == 403


async def test_an_operator_names_hosts_and_origins() -> None:
    settings = HttpSettings(
        allowed_hosts=["tools.example:*"], allowed_origins=["https://app.example"]
    )
    message = modern("server/discover")
    async with calling(Service(), settings, host="0.0.0.0") as caller:
        asked = modern_headers(message) | {"origin": "https://app.example"}
        assert (await caller.ask(message, **asked, host="tools.example")).status == 200
        assert (await caller.ask(message, **asked, host="other.example")).status == 421
    async with calling(Service(), settings) as caller:
        assert (await caller.ask(message, **asked, host="tools.example:443")).status == 200
        assert (await caller.ask(message, **asked, host="localhost:8000")).status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"content_type": "text/plain"}, 415),
        ({"content_type": None}, 415),
        ({"content_type": "application/json; charset=utf-8"}, 200),
        ({"accept": "application/json"}, 406),
        ({"accept": "text/event-stream"}, 406),
        ({"accept": None}, 406),
        ({"accept": "*/*"}, 200),
        ({"accept": "application/*, text/event-stream;q=0.5"}, 200),
    ],
)
async def test_media_types_are_checked(headers: dict[str, str | None], status: int) -> None:
    async with calling(Service()) as caller:
        message = modern("server/discover")
        answer = await caller.ask(message, **(modern_headers(message) | headers))

    assert answer.status == status


@pytest.mark.parametrize("method", ["PUT", "HEAD", "OPTIONS", "PATCH"])
async def test_other_methods_are_405(method: str) -> None:
    async with calling(Service()) as caller:
        answer = await caller.ask(method=method)

    assert (answer.status, answer.headers["allow"]) == (405, "GET, POST, DELETE")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_the_modern_era_has_only_post(method: str) -> None:
    async with calling(Service()) as caller:
        answer = await caller.ask(method=method, mcp_protocol_version="2026-07-28")

    assert (answer.status, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", PARSE_ERROR),
        (b"{", PARSE_ERROR),
        (b'{"a": NaN}', PARSE_ERROR),
        (b'{"jsonrpc": "2.0", "jsonrpc": "2.0"}', PARSE_ERROR),
        (b"\xff", PARSE_ERROR),
        (b"[" * 100_000, PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b"3", INVALID_REQUEST),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', INVALID_REQUEST),
    ],
)
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_what_is_no_message_is_400_with_a_json_rpc_error(
    body: bytes, code: int, version: str
) -> None:
    async with calling(Service()) as caller:
        answer = await caller.ask(body, mcp_protocol_version=version)

    assert (answer.status, answer.error["code"]) == (400, code)
    assert "pydantic" not in answer.body.decode()


async def test_a_body_beyond_the_limit_is_413_whether_or_not_it_says_so() -> None:
    async with calling(Service(), HttpSettings(max_body_bytes=100)) as caller:
        announced = await caller.ask(b"", content_length="101")
        silent = await caller.ask(b"x" * 101)
        exact = await caller.ask(b"x" * 100)

    assert (announced.status, silent.status, exact.status) == (413, 413, 400)
    assert silent.headers["connection"] == "close"
    assert silent.error["message"] == "a request has at most 100 bytes"


async def test_a_body_that_never_ends_is_408(autojump_clock: trio.testing.MockClock) -> None:
    answers: list[object] = []

    async def receive() -> dict[str, object]:
        if trio.current_time() > 0:
            await trio.sleep_forever()
        await trio.sleep(1)
        return {"type": "http.request", "body": b"{", "more_body": True}

    async def send(message: object) -> None:
        answers.append(message)

    async with calling(Service()) as caller:
        headers = [(name.encode(), value.encode()) for name, value in caller.headers.items()]
        scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}
        await caller.app(scope, receive, send)
        assert trio.current_time() == BODY_S

    assert answers[0]["status"] == 408  # type: ignore[index]  # a message of ASGI


async def test_a_client_that_leaves_before_its_body_is_there_is_no_error() -> None:
    async with calling(Service()) as caller:
        headers = [(name.encode(), value.encode()) for name, value in caller.headers.items()]
        scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}

        async def receive() -> dict[str, object]:
            return {"type": "http.disconnect"}

        async def send(message: object) -> None:
            raise AssertionError(message)

        await caller.app(scope, receive, send)


async def test_a_websocket_is_refused_and_a_lifespan_is_a_mistake() -> None:
    sent: list[object] = []

    async def send(message: object) -> None:
        sent.append(message)

    async def receive() -> dict[str, object]:
        raise AssertionError

    async with calling(Service()) as caller:
        await caller.app({"type": "websocket"}, receive, send)
        with pytest.raises(TypeError, match="lifespan"):
            await caller.app({"type": "lifespan"}, receive, send)

    assert sent == [{"type": "websocket.close", "code": 1000}]


# ------------------------------------------------------------------------------ pages


async def test_a_page_that_may_come_in_may_read_the_answer_whatever_it_is() -> None:
    async with calling(Service(add=add)) as caller:
        page = "http://localhost:6274"
        opened = await caller.ask(request("initialize", OPENING), origin=page)
        refused = await caller.ask(request("ping"), origin=page)
        stranger = await caller.ask(request("ping"), origin="http://evil.example")
        program = await caller.ask(request("ping"))

    for answer in (opened, refused):
        assert answer.headers["access-control-allow-origin"] == page
        assert "mcp-session-id" in answer.headers["access-control-expose-headers"]
        assert answer.headers["vary"] == "origin"
    assert (refused.status, stranger.status) == (400, 403)
    assert "access-control-allow-origin" not in {*stranger.headers, *program.headers}


async def test_a_browser_may_ask_first_and_needs_no_token_for_it() -> None:
    async with calling(Service(), guarded()) as caller:
        caller.headers["access-control-request-method"] = "POST"
        page, wanted = "http://127.0.0.1:80", "authorization, mcp-name"
        answer = await caller.ask(
            method="OPTIONS", access_control_request_headers=wanted, origin=page
        )
        bare = await caller.ask(method="OPTIONS", origin=page)
        stranger = await caller.ask(method="OPTIONS", origin="http://evil.example")

    assert (answer.status, bare.status, stranger.status) == (204, 204, 403)
    assert answer.headers["access-control-allow-headers"] == "authorization, mcp-name"
    assert answer.headers["access-control-allow-methods"] == "GET, POST, DELETE"


@pytest.mark.parametrize(
    "changes",
    [
        {"max_body_bytes": 0},
        {"idle_s": 0},
        {"idle_s": math.inf},
        {"max_sessions": 0},
        {"grace_s": -1},
        {"grace_s": math.nan},
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(changes: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(changes))):
        HttpSettings(**changes)  # type: ignore[arg-type]  # by name


# ------------------------------------------------------------------------------ tokens


@attrs.frozen
class Token:
    """The shape of the SDK's `AccessToken`."""

    client_id: str
    scopes: tuple[str, ...] = ()
    expires_at: int | None = None
    subject: str | None = None
    claims: dict[str, object] | None = None


class Verifier:
    def __init__(self, **tokens: Token) -> None:
        self.tokens = tokens

    async def verify_token(self, token: str) -> Token | None:
        if token == "broken":
            raise ConnectionError("database at db.internal is down")
        return self.tokens.get(token)


NOW = int(time.time())


def guarded(**settings: object) -> HttpSettings:
    verifier = Verifier(
        good=Token("app-1", expires_at=NOW + 600, scopes=("mcp",)),
        other=Token("app-2", claims={"iss": "https://issuer"}),
        old=Token("app-1", expires_at=NOW - 1),
    )
    return HttpSettings(bearer=BearerCheck(verifier=verifier, **settings))  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize("value", [None, "Bearer bad", "Bearer old", "Basic good", "Bearer", ""])
async def test_without_a_good_token_everything_is_401_with_a_challenge(value: str | None) -> None:
    async with calling(Service(), guarded(metadata_url="https://h/meta")) as caller:
        answer = await caller.ask(request("ping"), authorization=value)

    assert answer.status == 401
    assert answer.headers["www-authenticate"] == (
        'Bearer error="invalid_token", error_description="a valid bearer token is needed",'
        ' resource_metadata="https://h/meta"'
    )
    assert answer.error["data"] == {"error": "invalid_token"}


async def test_a_missing_scope_is_403() -> None:
    async with calling(Service(), guarded(scopes=["mcp"])) as caller:
        answer = await caller.ask(request("ping"), authorization="Bearer other")

    assert answer.status == 403
    assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]


async def test_a_verifier_that_fails_is_500_and_nothing_of_it_leaks(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with calling(Service(), guarded()) as caller:
        answer = await caller.ask(request("ping"), authorization="Bearer broken")

    assert answer.status == 500
    assert "db.internal" not in answer.body.decode()
    assert "db.internal" in caplog.text


# Case 31 of the surfaces: the actor is the client id that a token was verified for.
async def test_the_actor_is_the_client_of_the_token_in_both_eras() -> None:
    async with calling(Service(who=who), guarded()) as caller:
        caller.headers["authorization"] = "Bearer good"
        message = modern("tools/call", {"name": "who"})
        modern_answer = await caller.ask(message, **modern_headers(message))
        await caller.open()
        answer = await caller.ask(call("who"))

    assert (modern_answer.text, answer.text) == ("app-1", "app-1")


class SdkVerifier(SdkTokenVerifier):
    async def verify_token(self, token: str) -> AccessToken | None:
        return AccessToken(token=token, client_id=f"client of {token}", scopes=["mcp"])


async def test_the_sdk_s_verifier_and_tokens_are_what_is_asked_for() -> None:
    check = BearerCheck(verifier=SdkVerifier(), scopes=["mcp"])
    async with calling(Service(who=who), HttpSettings(bearer=check)) as caller:
        message = modern("tools/call", {"name": "who"})
        headers = modern_headers(message) | {"authorization": "Bearer good"}
        assert (await caller.ask(message, **headers)).text == "client of good"


async def test_a_session_exists_for_its_owner_only() -> None:
    async with calling(Service(who=who), guarded()) as caller:
        caller.headers["authorization"] = "Bearer good"
        await caller.open()
        stranger = await caller.ask(call("who"), authorization="Bearer other")
        deleted = await caller.ask(method="DELETE", authorization="Bearer other")
        owner = await caller.ask(call("who"))

    assert (stranger.status, deleted.status, owner.status) == (404, 404, 200)


# ------------------------------------------------------------------------- bugs of ours


class Broken(Service):
    """A service that cannot even say who it is."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error

    def introduction(self, version: str) -> JsonObject:
        raise self.error


@pytest.mark.parametrize(
    "error",
    [
        ValueError("the password is hunter2"),
        SystemExit("the password is hunter2"),
        BaseExceptionGroup("both", [ValueError("the password is hunter2"), SystemExit()]),
    ],
)
async def test_a_bug_is_500_and_nothing_of_it_leaks(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    async with calling(Broken(error)) as caller:
        message = modern("server/discover")
        answer = await caller.ask(message, **modern_headers(message))
        again = await caller.ask(modern("ping"), **modern_headers(modern("ping")))

    assert (answer.status, answer.error["message"]) == (500, "Internal server error")
    assert "hunter2" in caplog.text
    assert again.status == 404


async def test_ctrl_c_passes() -> None:
    group = BaseExceptionGroup("both", [ValueError("logged"), KeyboardInterrupt()])
    with pytest.RaisesGroup(KeyboardInterrupt, flatten_subgroups=True):
        async with calling(Broken(group)) as caller:
            message = modern("server/discover")
            await caller.ask(message, **modern_headers(message))


async def test_a_service_that_never_changes_needs_no_hub() -> None:
    class Fixed:
        methods = frozenset({"tools/list"})

        def introduction(self, version: str) -> JsonObject:
            return {"capabilities": {}, "serverInfo": {"name": "fixed", "version": "1"}}

        async def handle(self, method: str, params: JsonObject, exchange: Exchange) -> JsonObject:
            return {"tools": []}

    async with calling(Fixed()) as caller:
        await caller.open()
        assert (await caller.ask(request("tools/list"))).result == {"tools": []}
        await caller.ask(method="DELETE")
        caller.app.end()
        caller.app.end()


async def test_an_answer_that_has_begun_is_not_begun_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def report(arguments: JsonObject, exchange: Exchange) -> object:
        await exchange.notify("notifications/progress", {"progressToken": 1, "progress": 1})
        return "reported"

    sent: list[str] = []

    async def send(message: AsgiMessage) -> None:
        sent.append(str(message["type"]))
        if len(sent) == 2:
            raise RuntimeError("a bug below")

    async with calling(Service(report=report)) as caller:
        message = modern("tools/call", {"name": "report"})
        headers = caller.headers | modern_headers(message)
        lines = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": lines}
        bodies = [{"type": "http.request", "body": json.dumps(message).encode()}]

        async def receive() -> AsgiMessage:
            return bodies.pop() if bodies else await trio.sleep_forever()

        await caller.app(scope, receive, send)

    assert sent == ["http.response.start", "http.response.body"]
    assert "a bug below" in caplog.text
