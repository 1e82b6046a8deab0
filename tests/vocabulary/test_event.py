"""Events: their wire form, their size, and reading them back strictly."""

from __future__ import annotations

import json
from typing import Any, get_args

import attrs
import pytest
from hypothesis import given, strategies as st

from tests.strategies import documents, error_events, events, names, progress_events
from trio_agent.errors import ContractError, LimitError
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.event import (
    CompleteEvent,
    ErrorEvent,
    Failure,
    ProgressEvent,
    RenderEvent,
    ReplaceEvent,
    ShellEvent,
    event_from_wire,
    event_size,
    snapshot_size,
)
from trio_agent.vocabulary.json import SAFE_INTEGER, Json, utf8_size
from trio_agent.vocabulary.leaf import TextNode

DOCUMENT = AgentDocument.build(TextNode("a"))
FAILURE = Failure("E", "gone")
EVENTS: list[RenderEvent] = [
    ShellEvent(0, DOCUMENT),
    ProgressEvent(1, 2),
    ReplaceEvent(2, "b:0", DOCUMENT),
    ErrorEvent(3, FAILURE),
    CompleteEvent(4, DOCUMENT),
]
TYPES = "shell, progress, replace, error, complete"


def refusal(call: Any, *args: object) -> str:
    with pytest.raises(ContractError) as caught:
        call(*args)
    assert caught.value.code == "invalid-document"
    return caught.value.message


# ---------------------------------------------------------------- wire form


@given(events())
def test_an_event_comes_back_from_its_wire_form(event: RenderEvent) -> None:
    again = event_from_wire(event.to_wire())

    # The document of an error event is for those in the same process.
    expected = attrs.evolve(event, document=None) if isinstance(event, ErrorEvent) else event
    assert again == expected
    assert hash(again) == hash(expected)
    assert again.wire_text() == event.wire_text()
    assert json.loads(event.wire_text().encode()) == event.to_wire()


def test_every_type_writes_its_members_and_absent_ones_not_at_all() -> None:
    document = DOCUMENT.to_wire()

    for event in EVENTS:
        event.to_wire().clear()
    assert [event.to_wire() for event in EVENTS] == [
        {"type": "shell", "sequence": 0, "document": document},
        {"type": "progress", "sequence": 1, "completed": 2},
        {"type": "replace", "sequence": 2, "boundaryId": "b:0", "document": document},
        {"type": "error", "sequence": 3, "error": {"code": "E", "message": "gone"}},
        {"type": "complete", "sequence": 4, "document": document},
    ]
    assert [list(event.to_wire())[:2] for event in EVENTS] == [["type", "sequence"]] * 5


def test_optional_members_are_written_when_they_are_there() -> None:
    assert ProgressEvent(1, 2, 3.5, "m", "hashing").to_wire() == {
        "type": "progress",
        "sequence": 1,
        "completed": 2,
        "total": 3.5,
        "message": "m",
        "source": "hashing",
    }
    assert ErrorEvent(3, Failure("E", "", Json.of(None)), "b:0", DOCUMENT).to_wire() == {
        "type": "error",
        "sequence": 3,
        "boundaryId": "b:0",
        "error": {"code": "E", "message": "", "data": None},
    }


def test_the_types_are_the_closed_list() -> None:
    assert [event.type for event in EVENTS] == TYPES.split(", ")
    assert {type(event) for event in EVENTS} == set(get_args(RenderEvent))


# ---------------------------------------------------------------- size


@given(documents(), names(), st.integers(0, SAFE_INTEGER))
def test_the_size_of_a_snapshot_is_never_too_small_and_hardly_too_large(
    document: AgentDocument, boundary_id: str, sequence: int
) -> None:
    for event, size in (
        (ShellEvent(sequence, document), snapshot_size(document)),
        (CompleteEvent(sequence, document), snapshot_size(document)),
        (
            ReplaceEvent(sequence, boundary_id, document),
            snapshot_size(document, boundary_id),
        ),
    ):
        real = len(event.wire_text().encode()) - document.root.media
        assert real <= size <= real + 24


@given(progress_events() | error_events())
def test_the_size_of_a_small_event_is_exact(event: ProgressEvent | ErrorEvent) -> None:
    assert event_size(event) == len(event.wire_text().encode()) == utf8_size(event.wire_text())


# ---------------------------------------------------------------- rules


@pytest.mark.parametrize("boundary_id", ["", " ", None, 3], ids=repr)
def test_a_boundary_id_is_not_blank(boundary_id: object) -> None:
    assert refusal(ReplaceEvent, 0, boundary_id, DOCUMENT) == (
        f"replace boundaryId is a string that is not blank, received {boundary_id!r}"
    )


@pytest.mark.parametrize("boundary_id", ["", " ", 3], ids=repr)
def test_an_error_has_a_boundary_id_or_none(boundary_id: object) -> None:
    assert "boundaryId" not in ErrorEvent(0, FAILURE).to_wire()
    assert refusal(ErrorEvent, 0, FAILURE, boundary_id) == (
        f"error boundaryId is a string that is not blank, received {boundary_id!r}"
    )


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((3, 2), "progress completed is at most its total 2, received 3"),
        ((-0.5,), "progress completed is a finite number that is not negative, received -0.5"),
        ((0, None, " "), "progress message is a string that is not blank, received ' '"),
        ((0, None, None, " "), "progress source is a string that is not blank, received ' '"),
        ((0, None, None, 3), "progress source is a string that is not blank, received 3"),
    ],
)
def test_progress_keeps_the_rules_of_the_node(args: tuple[object, ...], expected: str) -> None:
    assert refusal(ProgressEvent, 0, *args) == expected


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((" ", "gone"), "error code is a string that is not blank, received ' '"),
        (("E", None), "error message is a string, received None"),
        (("E", "", {"a": 1}), "error data is an instance of Json, received {'a': 1}"),
    ],
)
def test_a_failure_keeps_the_rules_of_the_node(args: tuple[object, ...], expected: str) -> None:
    assert refusal(Failure, *args) == expected


@pytest.mark.parametrize("value", [*EVENTS, FAILURE], ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("name", ["type", "sequence", "document", "code", "new"])
def test_events_are_frozen(value: object, name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(value, name, 1)


def test_the_repr_of_an_error_event_leaves_the_document_out() -> None:
    assert repr(ErrorEvent(3, FAILURE, "b:0", DOCUMENT)) == (
        "ErrorEvent(sequence=3, error=Failure(code='E', message='gone', data=None),"
        " boundary_id='b:0')"
    )


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize("wire", [None, 3, [], "shell", EVENTS[0]], ids=lambda v: type(v).__name__)
def test_an_event_is_an_object(wire: object) -> None:
    assert refusal(event_from_wire, wire).startswith("event is an object, received ")


@pytest.mark.parametrize("kind", [None, "Shell", 3, ["shell"], {}], ids=repr)
def test_an_unknown_type_is_refused(kind: object) -> None:
    assert refusal(event_from_wire, {"type": kind, "sequence": 0}) == (
        f"event.type is one of {TYPES}, received {kind!r}"
    )
    assert refusal(event_from_wire, {"sequence": 0}) == (
        f"event.type is one of {TYPES}, received None"
    )


@pytest.mark.parametrize("sequence", [-1, 1.0, True, "0", 2**53], ids=repr)
def test_a_sequence_counts_from_zero(sequence: object) -> None:
    assert refusal(event_from_wire, EVENTS[0].to_wire() | {"sequence": sequence}) == (
        f"shell event sequence is an integer that counts from 0, received {sequence!r}"
    )


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: str(event.type))
def test_every_member_is_known_and_no_required_one_is_missing(event: RenderEvent) -> None:
    wire = event.to_wire()

    assert refusal(event_from_wire, wire | {"extra": 1}) == (
        f"{event.type} event has the unknown member 'extra'"
    )
    for name in wire.keys() - {"type"}:
        without = {key: value for key, value in wire.items() if key != name}
        assert refusal(event_from_wire, without) == f"{event.type} event.{name} is missing"
        assert refusal(event_from_wire, wire | {name: None}) == (
            f"{event.type} event.{name} is null; a member without a value is left out"
        )


@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        (
            {"type": "progress", "sequence": 0, "completed": 0, "total": None},
            "progress event.total is null; a member without a value is left out",
        ),
        (
            {"type": "progress", "sequence": 0, "completed": 0, "source": 3},
            "progress source is a string that is not blank, received 3",
        ),
        (
            {"type": "error", "sequence": 0, "error": FAILURE.code},
            "error is an object, received 'E'",
        ),
        (
            {"type": "error", "sequence": 0, "error": {"code": "E"}},
            "error.message is missing",
        ),
        (
            {"type": "error", "sequence": 0, "error": {"code": "E", "message": "", "stack": ""}},
            "error has the unknown member 'stack'",
        ),
        (
            {"type": "error", "sequence": 0, "error": {"code": 4, "message": ""}},
            "error code is a string that is not blank, received 4",
        ),
        (
            {
                "type": "error",
                "sequence": 0,
                "error": {"code": "E", "message": "", "data": [{1}]},
            },
            "error.data[0] is an instance of builtins.set, which is not JSON",
        ),
        (
            {"type": "error", "sequence": 0, "error": FAILURE.code, "document": {}},
            "error event has the unknown member 'document'",
        ),
        (
            {"type": "replace", "sequence": 0, "boundaryId": " ", "document": DOCUMENT.to_wire()},
            "replace boundaryId is a string that is not blank, received ' '",
        ),
        (
            {"type": "complete", "sequence": 0, "document": {"version": 1}},
            "document.status is missing",
        ),
    ],
    ids=lambda value: None if isinstance(value, dict) else value,
)
def test_reading_is_strict(wire: object, expected: str) -> None:
    assert refusal(event_from_wire, wire) == expected


def test_a_document_that_is_too_large_is_a_matter_of_limits() -> None:
    wire = EVENTS[0].to_wire()
    wire["document"] = DOCUMENT.to_wire() | {"value": "x" * 1_048_576}

    with pytest.raises(LimitError) as caught:
        event_from_wire(wire)
    assert caught.value.code == "document-bytes-exceeded"
