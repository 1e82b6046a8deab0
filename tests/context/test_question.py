"""Questions on the wire, and answers that are not what was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from trio_agent.context.question import (
    QUESTION_KINDS,
    Root,
    Sampled,
    ask_model,
    ask_roots,
    ask_user,
    read_action,
    read_roots,
    read_sampled,
)
from trio_agent.errors import ContractError
from trio_agent.protocol.schema.issues import SchemaError

FORM = {"type": "object", "properties": {"name": {"type": "string"}}}
SAID = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hello"}}


def refused(read: Any, answer: object) -> str:
    with pytest.raises(SchemaError) as caught:
        read(answer)
    return str(caught.value)


def test_each_question_is_the_request_that_mcp_has_for_it() -> None:
    assert ask_user("Who?", FORM).to_wire() == {
        "method": "elicitation/create",
        "params": {"message": "Who?", "requestedSchema": FORM},
    }
    assert ask_roots().to_wire() == {"method": "roots/list", "params": {}}
    assert ask_model("Hi", max_tokens=5).to_wire() == {
        "method": "sampling/createMessage",
        "params": {
            "messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}],
            "maxTokens": 5,
        },
    }


def test_messages_options_and_the_system_prompt_go_out_as_mcp_spells_them() -> None:
    messages = [{"role": "assistant", "content": {"type": "text", "text": "x"}}]
    params = ask_model(
        messages, max_tokens=1, system_prompt="", options={"temperature": 0, "maxTokens": 99}
    ).to_wire()["params"]
    assert params == {
        "temperature": 0,
        "maxTokens": 1,
        "messages": messages,
        "systemPrompt": "",
    }


def test_what_is_no_question_is_refused_where_it_is_asked() -> None:
    wrong: Any = 3
    asked: list[Callable[[], object]] = [
        lambda: ask_user(" ", FORM),
        lambda: ask_user(wrong, FORM),
        lambda: ask_user("x", {"when": object()}),
        lambda: ask_model("", max_tokens=1),
        lambda: ask_model("x", max_tokens=0),
        lambda: ask_model("x", max_tokens=True),
        lambda: ask_model("x", max_tokens=1, system_prompt=wrong),
        lambda: ask_model([{"role": object()}], max_tokens=1),
    ]
    for ask in asked:
        with pytest.raises(ContractError) as caught:
            ask()
        assert caught.value.code == "invalid-document"


def test_a_question_is_detached_from_what_it_was_made_of() -> None:
    form = {"type": "object", "properties": {}}
    question = ask_user("x", form)
    form["type"] = "array"
    assert question == ask_user("x", {"type": "object", "properties": {}})


@given(st.text(min_size=1).filter(str.strip), st.text(min_size=1).filter(str.strip))
def test_the_same_words_have_the_same_digest_and_others_another(one: str, other: str) -> None:
    assert ask_user(one, FORM).digest == ask_user(one, FORM).digest
    assert (ask_user(one, FORM).digest == ask_user(other, FORM).digest) == (one == other)
    assert len(ask_user(one, FORM).digest) == 16


def test_questions_of_different_kinds_differ() -> None:
    questions = [ask_user("x", {}), ask_model("x", max_tokens=1), ask_roots()]
    assert {question.kind for question in questions} == QUESTION_KINDS
    assert len({question.digest for question in questions}) == 3


# ------------------------------------------------------------------------------ answers


def test_a_form_is_accepted_declined_or_closed() -> None:
    assert read_action({"action": "accept", "content": {"a": 1}}) == ("accept", {"a": 1})
    assert read_action({"action": "accept"}) == ("accept", {})
    assert read_action({"action": "decline", "content": {"a": 1}}) == ("decline", None)
    assert read_action({"action": "cancel"}) == ("cancel", None)


def test_what_is_no_answer_to_a_form_is_refused_with_its_place() -> None:
    assert refused(read_action, {}) == (
        "answer.action: expected one of accept, decline, cancel, received null"
    )
    assert refused(read_action, {"action": "accept", "content": [1]}) == (
        "answer.content: expected object, received [1]"
    )


def test_a_model_says_one_block_or_several() -> None:
    said = read_sampled(SAID)
    assert said == Sampled(content=({"type": "text", "text": "Hello"},), model="m")
    assert said.text == "Hello"
    several = read_sampled(
        {
            "role": "user",
            "model": "m",
            "stopReason": "maxTokens",
            "content": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text"}],
        }
    )
    assert (several.role, several.stop_reason, several.text) == ("user", "maxTokens", "a")
    assert len(several.content) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"role": "system"}, 'answer.role: expected one of user, assistant, received "system"'),
        ({"model": None}, "answer.model: expected string, received null"),
        ({"stopReason": 3}, "answer.stopReason: expected string, received 3"),
        ({"content": []}, "answer.content: expected at least one block, received []"),
        ({"content": "x"}, 'answer.content[0]: expected object with a type, received "x"'),
        (
            {"content": [{"type": 3}]},
            'answer.content[0]: expected object with a type, received {"type": 3}',
        ),
    ],
)
def test_what_no_model_says_is_refused(change: dict[str, object], message: str) -> None:
    assert refused(read_sampled, {**SAID, **change}) == message


def test_roots_come_in_the_order_of_the_host() -> None:
    assert read_roots({"roots": [{"uri": "file:///b", "name": "B"}, {"uri": "file:///a"}]}) == (
        Root(uri="file:///b", name="B"),
        Root(uri="file:///a"),
    )


@pytest.mark.parametrize(
    ("roots", "message"),
    [
        (None, "answer.roots: expected array, received null"),
        ([3], "answer.roots[0]: expected object, received 3"),
        ([{"name": "x"}], "answer.roots[0].uri: expected string, received null"),
        ([{"uri": "x", "name": 1}], "answer.roots[0].name: expected string, received 1"),
    ],
)
def test_what_is_no_list_of_roots_is_refused(roots: object, message: str) -> None:
    assert refused(read_roots, {"roots": roots}) == message
