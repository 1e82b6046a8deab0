"""The host of a test: what it answers, and what it keeps."""

from __future__ import annotations

from tests.hosts import ANYTHING
from trio_agent import Agent, Node, agent, component
from trio_agent.context.host import StreamEnd
from trio_agent.errors import RequestError
from trio_agent.testing import ScriptedHost, accepted, declined, render, render_failure


@component
async def Asks(words: str) -> Node:
    agent().end_stream()
    answer = await agent().elicit(words, ANYTHING)
    return Agent.Text(f"{answer.action} {answer.content}")


async def test_it_answers_by_a_function_and_keeps_what_it_was_asked_and_told() -> None:
    host = ScriptedHost(
        lambda question: accepted(it=question.message) if question.message == "a" else declined()
    )
    rendered = await render([Asks("a"), Asks("b")], host=host)
    assert [child.text for child in rendered.root.children] == [  # type: ignore[union-attr]  # text nodes
        "accept {'it': 'a'}",
        "decline None",
    ]
    assert sorted(question.message for question in host.asked) == ["a", "b"]
    assert host.told == [StreamEnd(), StreamEnd()]


async def test_without_a_function_it_refuses_all_questions() -> None:
    host = ScriptedHost()
    failed = await render_failure(Asks("a"), host=host)
    assert failed.error.code == "host-refused"
    assert isinstance(failed.cause, RequestError)
    assert len(host.asked) == 1
