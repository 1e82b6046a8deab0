"""Expectations hold in silence, and fail with what was there."""

import re
from collections.abc import Callable

import attrs
import pytest

from trio_agent.testing import (
    DocumentExpectation,
    EventsExpectation,
    expect_document,
    expect_events,
)
from trio_agent.vocabulary.agent import Agent
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.event import (
    CompleteEvent,
    ErrorEvent,
    Failure,
    ProgressEvent,
    RenderEvent,
    ReplaceEvent,
    ShellEvent,
)
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.result import ResultNode


@attrs.frozen
class Receipt:
    files: int


DOCUMENT = AgentDocument.build(
    ResultNode.of(
        [
            Agent.Markdown("# Library audit"),
            ResultNode.of([Agent.Text("three files"), Agent.Error("E_GONE", "not there")]),
            Agent.Progress(1, 2, "hashing"),
        ]
    ),
    value=Json.of({"files": 3}),
)
BARE = AgentDocument.build(Agent.Text("alone"))
EVENTS: tuple[RenderEvent, ...] = (
    ShellEvent(0, BARE),
    ProgressEvent(1, 3, 10, "hashing", "files"),
    ReplaceEvent(2, "b:0", BARE),
    ErrorEvent(3, Failure("E_GONE", "not there"), "b:1"),
    CompleteEvent(4, BARE),
)


def test_what_a_document_is_can_be_said_in_one_chain() -> None:
    expected = (
        expect_document(DOCUMENT)
        .has_status("represented-error")
        .has_kinds("markdown", "result", "text", "error", "progress")
        .contains_markdown("Library")
        .contains_text("three")
        .has_value({"files": 3})
        .has_value(Receipt(3))
        .has_error("E_GONE")
        .has_error("E_GONE", "not there")
    )
    assert expected == DocumentExpectation(DOCUMENT)
    expect_document(BARE).has_kinds("text").has_no_value().has_status("success")
    expect_document(AgentDocument.build(ResultNode.of([]))).has_kinds()


DOCUMENT_FAILURES: dict[str, tuple[Callable[[DocumentExpectation], object], str]] = {
    "status": (lambda e: e.has_status("success"), "the status 'success', received 'represented"),
    "kinds": (lambda e: e.has_kinds("text"), "the kinds text, received markdown, result, text,"),
    "no kinds": (lambda e: e.has_kinds(), "the kinds none, received markdown"),
    "markdown": (lambda e: e.contains_markdown("three"), "a markdown node with 'three'"),
    "text": (lambda e: e.contains_text("Library"), "a text node with 'Library'"),
    "value": (lambda e: e.has_value({"files": 4}), "the value {'files': 4}"),
    "no value": (lambda e: e.has_no_value(), "no value"),
    "code": (lambda e: e.has_error("E_OTHER"), "an error node with the code 'E_OTHER'"),
    "message": (
        lambda e: e.has_error("E_GONE", "not here"),
        "an error node with the code 'E_GONE' and the message 'not here'",
    ),
}


@pytest.mark.parametrize("name", DOCUMENT_FAILURES)
def test_what_a_document_is_not_fails_with_what_it_is(name: str) -> None:
    ask, words = DOCUMENT_FAILURES[name]
    with pytest.raises(AssertionError, match=re.escape(f"expected {words}")) as caught:
        ask(expect_document(DOCUMENT))
    shown = str(caught.value)
    assert 'status represented-error, value {"files":3}' in shown
    assert "  markdown " in shown
    assert "  result of 2\n" in shown


def test_a_document_without_a_value_says_so() -> None:
    with pytest.raises(AssertionError, match="status success, no value"):
        expect_document(BARE).has_value(1)


def test_of_a_large_document_the_beginning_is_shown() -> None:
    large = AgentDocument.build(ResultNode.of([Agent.Text("x")] * 100))
    with pytest.raises(AssertionError, match=r"\.\.\. and 61 more"):
        expect_document(large).contains_text("y")


def test_what_events_are_can_be_said_in_one_chain() -> None:
    expected = (
        expect_events(list(EVENTS))
        .has_monotonic_sequence()
        .completes_once()
        .has_error("E_GONE")
        .has_error("E_GONE", "not there")
        .has_progress()
        .has_progress(3, total=10, message="hashing", source="files")
        .contains_sequence(["shell", "error", "complete"])
        .contains_sequence(["shell", "progress", "replace", "error", "complete"])
        .exact_types(["shell", "progress", "replace", "error", "complete"])
    )
    assert expected == EventsExpectation(EVENTS)
    expect_events(EVENTS[:2]).has_no_errors()


EVENT_FAILURES: dict[str, tuple[Callable[[], object], str]] = {
    "gap": (lambda: expect_events(EVENTS[1:]).has_monotonic_sequence(), "the sequences 0 to 3"),
    "no end": (lambda: expect_events(EVENTS[:3]).completes_once(), "one complete, as the last"),
    "nothing": (lambda: expect_events(()).completes_once(), "one complete, as the last event"),
    "twice": (lambda: expect_events(EVENTS[4:] * 2).completes_once(), "one complete"),
    "early": (lambda: expect_events((EVENTS[4], EVENTS[0])).completes_once(), "one complete"),
    "errors": (lambda: expect_events(EVENTS).has_no_errors(), "no error event"),
    "code": (lambda: expect_events(EVENTS).has_error("E"), "an error event with the code 'E'"),
    "message": (
        lambda: expect_events(EVENTS).has_error("E_GONE", "x"),
        "an error event with the code 'E_GONE' and the message 'x'",
    ),
    "progress": (lambda: expect_events(EVENTS).has_progress(4), "a progress event with {"),
    "no progress": (
        lambda: expect_events(EVENTS[:1]).has_progress(),
        "a progress event with anything",
    ),
    "missing": (
        lambda: expect_events(EVENTS[:3]).contains_sequence(["shell", "complete"]),
        "the types shell, complete; complete did not come",
    ),
    "beside": (
        lambda: expect_events(EVENTS).contains_sequence(["shell", "complete"]),
        "the types shell, complete, and no error beside them",
    ),
    "exact": (
        lambda: expect_events(EVENTS).exact_types(["shell"]),
        "exactly the types shell; the events are:",
    ),
}


@pytest.mark.parametrize("name", EVENT_FAILURES)
def test_what_events_are_not_fails_with_what_they_are(name: str) -> None:
    ask, words = EVENT_FAILURES[name]
    with pytest.raises(AssertionError, match=re.escape(f"expected {words}")) as caught:
        ask()
    assert "the events are:\n" in str(caught.value)
    if name == "errors":
        assert '{"type":"error","sequence":3,' in str(caught.value)
