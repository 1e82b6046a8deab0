"""Asking the host and telling it things, in both eras, through a real plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given, strategies as st

from tests.surfaces.mcp.asking import Asker, open_service
from trio_agent.context.input_required import InputRequiredError
from trio_agent.surfaces.mcp.exchange import Client
from trio_agent.surfaces.mcp.rounds import MOST_ANSWERS, Rounds
from trio_agent.surfaces.mcp.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    MISSING_CLIENT_CAPABILITY,
    JsonObject,
    RpcError,
)
from trio_agent.vocabulary.json import Json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio_agent.surfaces.mcp.service import McpService

EVERYTHING: JsonObject = {"elicitation": {}, "sampling": {}, "roots": {}}
INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)
GUEST: JsonObject = {"action": "accept", "content": {"name": "Ada", "nights": 2}}
AGREED: JsonObject = {"action": "accept", "content": {"agreed": True}}


@pytest.fixture
def desk() -> Iterator[McpService]:
    yield from open_service("desk")


def client(capabilities: JsonObject, version: str = "2025-11-25") -> Client:
    return Client(version_spoken=version, name="host", capabilities=capabilities)


def modern(capabilities: JsonObject) -> Asker:
    return Asker(client=client(capabilities, "2026-07-28"))


async def call(desk: McpService, asker: Asker, name: str, **params: object) -> JsonObject:
    return await desk.handle("tools/call", {"name": name, **params}, asker)


# ---------------------------------------------------------------- handshake


async def test_a_handshake_client_is_asked_inside_the_call(desk: McpService) -> None:
    asker = Asker(client=client(EVERYTHING))
    asker.queues["elicitation/create"] = [GUEST, AGREED]

    result = await call(desk, asker, "book", arguments={"room": 3})

    assert result["structuredContent"] == {"guest": "Ada", "nights": 2, "agreed": True}
    questions = [params["message"] for method, params in asker.sent if "elicitation" in method]
    assert questions == ["Who is coming?", "Room 3 for Ada?"]
    schema = cast("JsonObject", asker.sent[0][1]["requestedSchema"])
    assert [*cast("JsonObject", schema["properties"])] == ["name", "nights"]


async def test_a_guest_may_decline(desk: McpService) -> None:
    asker = Asker(client=client(EVERYTHING))
    asker.queues["elicitation/create"] = [{"action": "decline"}]

    result = await call(desk, asker, "book", arguments={"room": 3})

    assert result["content"] == [{"type": "text", "text": "[E_NOT_BOOKED] The guest said decline."}]


async def test_the_model_and_the_roots_of_a_handshake_client_are_asked(desk: McpService) -> None:
    asker = Asker(client=client(EVERYTHING))
    asker.queues["roots/list"] = [{"roots": [{"uri": "file:///a"}, {"uri": "file:///b"}]}]
    said: JsonObject = {
        "role": "assistant",
        "model": "m",
        "content": {"type": "text", "text": "Hm."},
    }
    asker.queues["sampling/createMessage"] = [said]

    result = await call(desk, asker, "think")

    assert result["content"] == [{"type": "text", "text": "Hm."}]
    assert "2 roots" in str(asker.sent[-1])


async def test_a_client_that_cannot_be_asked_fails_the_tool_and_not_the_session(
    desk: McpService,
) -> None:
    result = await call(desk, Asker(client=client({})), "book", arguments={"room": 3})

    assert result["isError"] is True
    assert "cannot be asked" in str(result["content"])


async def test_a_client_that_answers_with_an_error_fails_the_tool(desk: McpService) -> None:
    asker = Asker(client=client(EVERYTHING))
    asker.queues["elicitation/create"] = [RpcError(INTERNAL_ERROR, "the window is shut")]

    result = await call(desk, asker, "book", arguments={"room": 3})

    assert result["isError"] is True
    assert "the window is shut" in str(result["content"])


# ---------------------------------------------------------------- modern


async def test_a_modern_call_takes_as_many_rounds_as_there_are_questions(desk: McpService) -> None:
    params: JsonObject = {"arguments": {"room": 3}}
    first = await call(desk, modern(EVERYTHING), "book", **params)
    ((key, question),) = cast("JsonObject", first["inputRequests"]).items()
    second = await call(
        desk,
        modern(EVERYTHING),
        "book",
        **params,
        inputResponses={key: GUEST},
        requestState=first["requestState"],
    )
    ((other, _),) = cast("JsonObject", second["inputRequests"]).items()
    last = await call(
        desk,
        modern(EVERYTHING),
        "book",
        **params,
        inputResponses={other: AGREED},
        requestState=second["requestState"],
    )

    assert first["resultType"] == second["resultType"] == "input_required"
    assert cast("JsonObject", question)["method"] == "elicitation/create"
    assert key != other
    assert last["structuredContent"] == {"guest": "Ada", "nights": 2, "agreed": True}


@pytest.mark.parametrize("change", ["tampered", "arguments", "tool", "junk", "number", "empty"])
async def test_a_state_that_was_not_made_for_this_very_call_is_refused(
    desk: McpService, change: str
) -> None:
    first = await call(desk, modern(EVERYTHING), "book", arguments={"room": 3})
    state = str(first["requestState"])
    states: dict[str, object] = {
        "tampered": ("A" if state[5] != "A" else "B").join((state[:5], state[6:])),
        "junk": "ünknown!",
        "number": 7,
        "empty": "",
    }
    params: JsonObject = {
        "arguments": {"room": 4 if change == "arguments" else 3},
        "requestState": states.get(change, state),
    }

    with pytest.raises(RpcError, match="requestState") as caught:
        await call(desk, modern(EVERYTHING), "think" if change == "tool" else "book", **params)

    assert caught.value.code == INVALID_PARAMS


@pytest.mark.parametrize("responses", [[], {"a": 1}, {str(n): {} for n in range(MOST_ANSWERS + 1)}])
async def test_misshapen_answers_are_refused(desk: McpService, responses: object) -> None:
    with pytest.raises(RpcError) as caught:
        await call(
            desk,
            modern(EVERYTHING),
            "book",
            arguments={"room": 3},
            inputResponses=responses,
        )

    assert caught.value.code == INVALID_PARAMS


async def test_a_modern_client_without_the_capability_is_told_which_it_needs(
    desk: McpService,
) -> None:
    with pytest.raises(RpcError) as caught:
        await call(desk, modern({"sampling": {}}), "think")

    assert caught.value.code == MISSING_CLIENT_CAPABILITY
    assert caught.value.data == {"requiredCapabilities": {"roots": {}}}


@given(
    st.dictionaries(st.text(), st.dictionaries(st.text(), INTEGERS), max_size=4),
    st.dictionaries(st.text(min_size=1), INTEGERS | st.text(), max_size=3),
)
def test_what_was_answered_comes_back_from_the_state_and_from_no_other(
    answers: dict[str, dict[str, object]], arguments: JsonObject
) -> None:
    rounds, other = Rounds("epoch"), Rounds("epoch")
    props = Json.of(arguments)
    shuffled = Json.of(dict(reversed(arguments.items())))
    state = rounds.interim(InputRequiredError({}), dict(answers), "tool:a/b", props)["requestState"]

    assert rounds.answers({"requestState": state}, "tool:a/b", shuffled) == answers
    for reader, route_id in ((rounds, "tool:a/c"), (other, "tool:a/b")):
        with pytest.raises(RpcError):
            reader.answers({"requestState": state}, route_id, props)


def test_a_key_of_ones_own_outlives_the_process() -> None:
    key, props = b"k" * 32, Json.of({})
    state = Rounds("e", key).interim(InputRequiredError({}), {}, "tool:a/b", props)["requestState"]

    assert Rounds("e", key).answers({"requestState": state}, "tool:a/b", props) == {}
    with pytest.raises(RpcError):
        Rounds("another build", key).answers({"requestState": state}, "tool:a/b", props)


# ---------------------------------------------------------------- telling


class Connection:
    def __init__(self) -> None:
        self.told: list[tuple[str, JsonObject]] = []

    def tell(self, method: str, params: JsonObject) -> None:
        self.told.append((method, params))


@pytest.mark.parametrize(
    ("level", "lines"),
    [
        (
            "debug",
            [
                {"level": "debug", "data": "fine"},
                {"level": "error", "data": {"room": 3}, "logger": "desk"},
            ],
        ),
        ("warning", [{"level": "error", "data": {"room": 3}, "logger": "desk"}]),
        ("alert", []),
        (None, []),
    ],
)
async def test_log_lines_go_out_when_they_are_severe_enough(
    desk: McpService, level: str | None, lines: list[JsonObject]
) -> None:
    asker = Asker(log_level=level)

    await call(desk, asker, "tell")

    assert [params for method, params in asker.sent if method == "notifications/message"] == lines
    assert ("end of stream", {}) in asker.sent


async def test_changes_reach_who_asked_for_them(desk: McpService) -> None:
    connection = Connection()
    desk.changes.join(connection)
    await desk.handle("resources/subscribe", {"uri": "desk://rooms"}, Asker(audience=connection))

    await call(desk, Asker(), "tell")

    assert connection.told == [
        ("notifications/resources/updated", {"uri": "desk://rooms"}),
        ("notifications/tools/list_changed", {}),
    ]
