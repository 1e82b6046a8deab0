"""Invocations: who asked for what, written and read."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

import attrs
import pytest
from hypothesis import given

from tests.strategies import invocations
from trio_agent.errors import RequestError
from trio_agent.vocabulary.invocation import (
    INVOCATION_KINDS,
    Invocation,
    InvocationKind,
)
from trio_agent.vocabulary.json import Json

PROPS: dict[InvocationKind, tuple[str, str]] = {
    "tool": ("operationId", "input"),
    "event": ("event", "payload"),
    "cli": ("command", "args"),
    "script": ("name", "input"),
    "workbench": ("view", "input"),
}
WIRE: dict[str, object] = {
    "kind": "cli",
    "id": "i-1",
    "startedAt": "2026-01-02T03:04:05.678Z",
    "props": {"command": "greet", "args": {"loud": True}},
}
OPTIONAL = {
    "operationId": "cli:greet",
    "surface": "stdio",
    "artifactEpoch": "e",
    "protocolRevision": "1",
    "sourceRevision": "r",
    "hostContractRevision": "h",
}


def refusal(call: Any, *args: object, **kwargs: object) -> str:
    with pytest.raises(RequestError) as caught:
        call(*args, **kwargs)
    assert caught.value.code == "invalid-invocation"
    return caught.value.message


# ---------------------------------------------------------------- making one


def test_an_id_that_is_left_out_is_a_random_uuid() -> None:
    one, two = (Invocation(kind="cli", target="greet") for _ in range(2))

    assert uuid.UUID(one.id).version == 4
    assert one.id != two.id


def test_a_start_that_is_left_out_is_now() -> None:
    before = dt.datetime.now(dt.UTC)
    started_at = Invocation(kind="cli", target="greet").started_at
    after = dt.datetime.now(dt.UTC)

    assert started_at.endswith("Z")
    # Milliseconds, cut.
    assert before - dt.timedelta(milliseconds=1) <= dt.datetime.fromisoformat(started_at) <= after


def test_props_that_are_left_out_are_null() -> None:
    assert Invocation(kind="cli", target="greet").props == Json.of(None)


def test_the_route_is_the_operation_or_kind_and_target() -> None:
    assert Invocation(kind="cli", target="greet").route_id == "cli:greet"
    assert Invocation(kind="cli", target="greet", operation_id="cli:hi").route_id == "cli:hi"


@pytest.mark.parametrize("kind", ["Tool", "", None, 3, ["tool"]], ids=repr)
def test_an_unknown_kind_is_refused(kind: object) -> None:
    expected = f"kind is one of tool, event, cli, script, workbench, received {kind!r}"

    assert refusal(Invocation, kind=kind, target="a") == expected
    assert refusal(Invocation.from_wire, WIRE | {"kind": kind}) == expected


@pytest.mark.parametrize("name", ["target", "id", "started_at"])
@pytest.mark.parametrize("value", ["", " \n", None, 3], ids=repr)
def test_what_every_invocation_has_is_not_blank(name: str, value: object) -> None:
    fields: dict[str, object] = {"kind": "tool", "target": "t", name: value}

    assert refusal(Invocation, **fields) == (
        f"{name} is a string that is not blank, received {value!r}"
    )


@pytest.mark.parametrize(
    "name",
    [
        "operation_id",
        "surface",
        "artifact_epoch",
        "protocol_revision",
        "source_revision",
        "host_contract_revision",
    ],
)
def test_what_else_is_known_is_none_or_not_blank(name: str) -> None:
    assert getattr(Invocation(kind="tool", target="t"), name) is None
    for value in ("", " ", 3):
        assert refusal(Invocation, kind="tool", target="t", **{name: value}) == (
            f"{name} is a string that is not blank, received {value!r}"
        )


def test_props_come_through_the_gate() -> None:
    assert refusal(Invocation, kind="tool", target="t", props={"a": 1}) == (
        "props is an instance of Json, received {'a': 1}"
    )


@pytest.mark.parametrize("field", [field.name for field in attrs.fields(Invocation)])
def test_an_invocation_is_frozen(field: str) -> None:
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(Invocation(kind="tool", target="t"), field, None)


# ---------------------------------------------------------------- wire form


@given(invocations())
def test_an_invocation_comes_back_from_its_wire_form(invocation: Invocation) -> None:
    again = Invocation.from_wire(invocation.to_wire())

    assert again == invocation
    assert hash(again) == hash(invocation)


@pytest.mark.parametrize("kind", INVOCATION_KINDS)
def test_every_kind_names_its_target_and_its_data_in_its_own_way(kind: InvocationKind) -> None:
    target, data = PROPS[kind]
    invocation = Invocation(
        kind=kind, target="t", props=Json.of({"a": [1]}), id="i", started_at="now"
    )

    assert invocation.to_wire() == {
        "kind": kind,
        "id": "i",
        "startedAt": "now",
        "props": {target: "t", data: {"a": [1]}},
    }


@pytest.mark.parametrize("kind", INVOCATION_KINDS)
def test_only_scripts_and_views_may_have_no_data(kind: InvocationKind) -> None:
    target, data = PROPS[kind]
    without: dict[str, object] = {"kind": kind, "id": "i", "startedAt": "now"}
    without["props"] = {target: "t"}

    if kind in {"script", "workbench"}:
        invocation = Invocation.from_wire(without)
        assert invocation.props == Json.of(None)
        assert invocation.to_wire() == without
    else:
        assert refusal(Invocation.from_wire, without) == f"props.{data} is missing"


@pytest.mark.parametrize("kind", ["tool", "event", "cli"])
def test_data_that_is_required_is_written_when_it_is_null(kind: InvocationKind) -> None:
    target, data = PROPS[kind]

    assert Invocation(kind=kind, target="t").to_wire()["props"] == {target: "t", data: None}


def test_what_else_is_known_is_written_when_it_is_there() -> None:
    assert Invocation.from_wire(WIRE | OPTIONAL).to_wire() == WIRE | OPTIONAL
    assert Invocation.from_wire(WIRE).to_wire() == WIRE


def test_an_id_and_a_start_may_be_left_out_on_the_wire() -> None:
    short = {"kind": WIRE["kind"], "props": WIRE["props"]}
    invocation = Invocation.from_wire(short)

    assert uuid.UUID(invocation.id).version == 4
    assert dt.datetime.fromisoformat(invocation.started_at).tzinfo == dt.UTC


@pytest.mark.parametrize(
    ("wire", "expected"),
    [
        (None, "invocation is an object, received None"),
        ([], "invocation is an object, received []"),
        (WIRE | {"route": 1}, "invocation has the unknown member 'route'"),
        ({"kind": "cli"}, "props is an object, received None"),
        (WIRE | {"props": {"command": "c"}}, "props.args is missing"),
        (WIRE | {"props": {"args": 1}}, "props.command is a string, received None"),
        (
            WIRE | {"props": {"command": "c", "args": 1, "input": 2}},
            "props has the unknown member 'input'",
        ),
        (
            WIRE | {"props": {"command": " ", "args": 1}},
            "target is a string that is not blank, received ' '",
        ),
        (
            WIRE | {"props": {"command": "c", "args": {"id": [2**53]}}},
            f"props.args.id[0] is an integer beyond ±(2**53 - 1), {2**53}; use a string",
        ),
        (WIRE | {"id": None}, "id is a string, received None"),
        (WIRE | {"startedAt": 3}, "startedAt is a string, received 3"),
        (WIRE | {"surface": None}, "surface is a string, received None"),
        (WIRE | {"artifactEpoch": " "}, "artifact_epoch is a string that is not blank"),
    ],
    ids=repr,
)
def test_reading_is_strict(wire: object, expected: str) -> None:
    assert refusal(Invocation.from_wire, wire).startswith(expected)
