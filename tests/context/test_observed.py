"""The observed axes: what may be in them, and what they look like on the wire."""

from __future__ import annotations

import json
from typing import Any, assert_never, assert_type, get_args

import attrs
import pytest
from hypothesis import given, strategies as st

from trio_agent.context.observed import (
    NOT_PROVIDED,
    Actor,
    Available,
    Axes,
    Capabilities,
    CommandCapability,
    FilesystemCapability,
    Host,
    Lineage,
    NetworkCapability,
    Observed,
    PluginRoot,
    ProjectRoot,
    Reason,
    Session,
    Source,
    Unavailable,
    Workspace,
)
from trio_agent.context.terminal import Terminal
from trio_agent.errors import RequestError

BLANKS = ["", " ", "\t\n"]
ONE_TEXT: list[tuple[Any, str]] = [
    (Host, "name"),
    (Session, "session_id"),
    (Actor, "id"),
    (Workspace, "root"),
    (CommandCapability, "cwd"),
    (ProjectRoot, "root"),
]
texts = st.text(min_size=1).filter(lambda text: text.strip() != "")
not_provided = {"state": "unavailable", "reason": "not-provided"}


def full_axes() -> Axes:
    return Axes(
        host=Available(source="native", value=Host(name="claude-code")),
        session=Available(source="receipt", value=Session(session_id="s-1")),
        actor=Unavailable("unauthenticated"),
        workspace=Available(source="derived", value=Workspace(root="/w")),
        plugin=Available(source="native", value=PluginRoot(root="/p", state_root="/p/state")),
        lineage=Available(source="native", value=Lineage(conversation="c", root="r", depth=1)),
        terminal=Available(source="derived", value=Terminal.absent("mcp")),
        capabilities=Capabilities(
            command=Available(source="native", value=CommandCapability(cwd="/w")),
            filesystem=Available(source="native", value=FilesystemCapability(roots=["/w", "/v"])),
            network=Available(source="native", value=NetworkCapability(allow=["example.org"])),
            project_root=Available(source="native", value=ProjectRoot(root="/w")),
        ),
    )


def available(source: str, value: object) -> dict[str, object]:
    return {"state": "available", "source": source, "value": value}


def test_every_axis_is_on_the_wire_exactly_as_given() -> None:
    absent = {"kind": "none", "color": "none"}
    assert full_axes().to_wire() == {
        "host": available("native", {"name": "claude-code"}),
        "session": available("receipt", {"sessionId": "s-1"}),
        "actor": {"state": "unavailable", "reason": "unauthenticated"},
        "workspace": available("derived", {"root": "/w"}),
        "plugin": available("native", {"root": "/p", "stateRoot": "/p/state"}),
        "lineage": available("native", {"conversation": "c", "root": "r", "depth": 1}),
        "terminal": available(
            "derived",
            {"hostSurface": "mcp", "stdout": absent, "stderr": absent, "sharesTarget": False},
        ),
        "capabilities": {
            "command": available("native", {"cwd": "/w"}),
            "filesystem": available("native", {"roots": ["/w", "/v"]}),
            "network": available("native", {"allow": ["example.org"]}),
            "projectRoot": available("native", {"root": "/w"}),
        },
    }


def test_axes_that_were_not_given_are_unavailable_without_a_value_key() -> None:
    wire = Axes().to_wire()
    capabilities = wire.pop("capabilities")
    assert wire == dict.fromkeys(
        ["host", "session", "actor", "workspace", "plugin", "lineage", "terminal"], not_provided
    )
    assert capabilities == dict.fromkeys(
        ["command", "filesystem", "network", "projectRoot"], not_provided
    )
    assert not hasattr(NOT_PROVIDED, "value")
    assert Unavailable() == NOT_PROVIDED


def test_an_actor_may_be_known_and_actors_are_not_people() -> None:
    axes = Axes(actor=Available(source="native", value=Actor(id="client-7")))
    assert axes.actor.to_wire() == available("native", {"id": "client-7"})
    assert {field.name for field in attrs.fields(Axes)}.isdisjoint({"user", "operator"})


def test_an_axis_is_read_with_match() -> None:
    def name_of(host: Observed[Host]) -> str:
        match host:
            case Available(value=known):
                assert_type(known, Host)
                return known.name
            case Unavailable(reason):
                return f"({reason})"
            case _:
                assert_never(host)

    assert name_of(full_axes().host) == "claude-code"
    assert name_of(Unavailable("host-omitted")) == "(host-omitted)"


@given(roots=st.lists(texts, max_size=4), more=texts)
def test_changing_a_list_after_the_call_changes_nothing(roots: list[str], more: str) -> None:
    given_roots, given_allow = list(roots), list(roots)
    files = FilesystemCapability(roots=given_roots)
    network = NetworkCapability(allow=given_allow)
    given_roots.append(more)
    given_allow.clear()
    assert files.roots == network.allow == tuple(roots)


def test_changing_the_wire_form_changes_nothing() -> None:
    files = FilesystemCapability(roots=["/w"])
    wire: Any = files.to_wire()
    wire["roots"].append("/etc")
    assert files.to_wire() == {"roots": ["/w"]}


@given(text=texts)
def test_no_text_is_trimmed(text: str) -> None:
    for kind, field in ONE_TEXT:
        value = kind(**{field: text})
        assert getattr(value, field) == text
        assert json.loads(json.dumps(value.to_wire())) == value.to_wire()


@pytest.mark.parametrize("bad", [*BLANKS, None, 7, b"x"])
@pytest.mark.parametrize(("kind", "field"), ONE_TEXT)
def test_a_blank_text_is_refused_with_its_place(kind: Any, field: str, bad: object) -> None:
    with pytest.raises(RequestError) as caught:
        kind(**{field: bad})
    assert caught.value.code == "invalid-invocation"
    assert caught.value.message == (
        f"{kind.__name__}.{field} is a string that is not blank, received {bad!r}"
    )


@pytest.mark.parametrize("bad", BLANKS)
@pytest.mark.parametrize(
    ("kind", "good"),
    [
        (PluginRoot, {"root": "/p", "state_root": "/s"}),
        (Lineage, {"conversation": "c", "root": "r", "depth": 0}),
    ],
)
def test_each_text_of_a_larger_value_is_checked(kind: Any, good: Any, bad: str) -> None:
    for field in [name for name, value in good.items() if isinstance(value, str)]:
        with pytest.raises(RequestError, match=f"{kind.__name__}.{field} is a string"):
            kind(**good | {field: bad})


@pytest.mark.parametrize("bad", ["/w", b"/v", None, 3, {"/w"}, [None], ["/w", " "]])
@pytest.mark.parametrize(
    ("kind", "field"), [(FilesystemCapability, "roots"), (NetworkCapability, "allow")]
)
def test_only_a_list_of_texts_is_a_list(kind: Any, field: str, bad: object) -> None:
    with pytest.raises(RequestError, match=rf"^{kind.__name__}\.{field}(\[\d\])? is a "):
        kind(**{field: bad})


def test_the_place_of_a_blank_list_entry_is_named() -> None:
    with pytest.raises(RequestError) as caught:
        FilesystemCapability(roots=["/w", ""])
    assert caught.value.message == (
        "FilesystemCapability.roots[1] is a string that is not blank, received ''"
    )


@pytest.mark.parametrize("bad", [-1, True, 1.0, None])
def test_a_depth_is_counted_from_zero(bad: Any) -> None:
    with pytest.raises(RequestError, match=r"Lineage\.depth is an integer from 0, received "):
        Lineage(conversation="c", root="r", depth=bad)
    assert Lineage(conversation="r", root="r", depth=0).depth == 0


def test_sources_and_reasons_are_closed_lists() -> None:
    bad: Any = "guessed"
    with pytest.raises(RequestError) as caught:
        Available(source=bad, value=Host(name="h"))
    assert caught.value.message == (
        "Available.source is one of native, receipt, derived, received 'guessed'"
    )
    with pytest.raises(RequestError, match=r"^Unavailable\.reason is one of not-provided, "):
        Unavailable(bad)
    assert set(get_args(Source)) == {"native", "receipt", "derived"}
    assert set(get_args(Reason)) == {
        "not-provided",
        "unsupported-surface",
        "host-omitted",
        "unauthenticated",
        "no-subagent-events",
        "id-not-resolvable",
        "cloud-agent-no-user-hooks",
        "no-shared-runtime",
    }


@pytest.mark.parametrize("kind", [Axes, Capabilities])
def test_an_axis_holds_its_own_kind_of_value_only(kind: Any) -> None:
    class Foreign:
        def to_wire(self) -> dict[str, object]:
            return {}

    names = [name for name in attrs.fields_dict(kind) if name != "capabilities"]
    for name in names:
        for bad in (Available(source="native", value=Foreign()), Foreign(), None):
            with pytest.raises(RequestError) as caught:
                kind(**{name: bad})
            assert caught.value.message.startswith(f"{kind.__name__}.{name} is Available with ")
            assert caught.value.message.endswith(f", or Unavailable, received {bad!r}")
    assert Foreign().to_wire() == {}


def test_everything_is_frozen_and_compares_by_value() -> None:
    axes = full_axes()
    assert axes == full_axes()
    assert hash(axes) == hash(full_axes())
    for value, name in [
        (axes, "host"),
        (axes.host, "source"),
        (NOT_PROVIDED, "reason"),
        (axes.capabilities, "command"),
        (Host(name="h"), "name"),
        (FilesystemCapability(roots=[]), "roots"),
    ]:
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(value, name, "other")
