"""The shared `repr()` is the one of attrs, and not deeper."""

import sys
import threading
from functools import partial
from typing import Any

import attrs
from hypothesis import given, strategies as st

from trio_agent.shown import shown

names = st.sampled_from(["a", "b_1", "_c", "d_", "e"])
values = st.none() | st.integers() | st.text() | st.lists(st.floats() | st.binary(), max_size=3)


def upper(value: object) -> str:
    return repr(value).upper()


def pair(
    fields: dict[str, dict[str, Any]], qualname: str, bases: tuple[type, ...], **how: Any
) -> list[type]:
    """One class of attrs alone, and the same with the shared `repr()`."""
    made: list[type] = []
    for more in ({}, {"__repr__": shown}):
        body: dict[str, Any] = {name: attrs.field(**kept) for name, kept in fields.items()}
        body |= {"__qualname__": qualname, "__annotations__": dict.fromkeys(fields, Any), **more}
        made.append(attrs.define(type("It", bases, body), **how))
    return made


@given(
    fields=st.dictionaries(
        names,
        st.fixed_dictionaries(
            {"default": values},
            optional={"repr": st.sampled_from([True, False, upper]), "init": st.booleans()},
        ),
        max_size=4,
    ),
    qualname=st.sampled_from(["It", "Outer.It", "f.<locals>.It", "f.<locals>.Outer.It"]),
    is_slotted=st.booleans(),
    is_frozen=st.booleans(),
)
def test_it_prints_what_attrs_prints(
    fields: dict[str, dict[str, Any]], qualname: str, is_slotted: bool, is_frozen: bool
) -> None:
    make = partial(pair, slots=is_slotted, frozen=is_frozen)
    theirs, ours = make(fields, qualname, ())

    assert repr(ours()) == repr(theirs())
    assert ours.__dict__["__repr__"] is shown


def test_a_field_goes_by_its_name_and_not_by_its_alias() -> None:
    theirs, ours = pair({"_a": {"alias": "b"}}, "It", ())

    assert repr(ours(b=1)) == repr(theirs(b=1)) == "It(_a=1)"


def test_inherited_fields_come_first() -> None:
    @attrs.define
    class Base:
        a: int

    theirs, ours = pair({"b": {}}, "It", (Base,))

    assert repr(ours(1, 2)) == repr(theirs(1, 2)) == "It(a=1, b=2)"


def test_a_subclass_that_attrs_has_not_seen_goes_by_its_own_name() -> None:
    theirs, ours = (type("Sub", (one,), {}) for one in pair({"a": {}}, "It", (), slots=False))

    assert repr(ours(1)) == repr(theirs(1)) == "Sub(a=1)"


def test_a_field_that_was_never_set_is_nothing() -> None:
    theirs, ours = pair({"a": {"init": False}}, "It", ())

    assert repr(ours()) == repr(theirs()) == "It(a=NOTHING)"


def test_an_object_that_contains_itself_ends() -> None:
    found: list[str] = []
    for one in pair({"a": {"factory": list}}, "It", ()):
        it = one()
        it.a += [it, one()]
        found.append(repr(it))

    assert found == ["It(a=[..., It(a=[])])"] * 2


def test_after_an_error_the_object_can_be_shown_again() -> None:
    class Shy:
        is_shy = True

        def __repr__(self) -> str:
            if self.is_shy:
                raise ValueError("no")
            return "Shy"

    _, ours = pair({"a": {}}, "It", ())
    it = ours(Shy())
    for _ in range(2):
        try:
            repr(it)
        except ValueError as error:
            assert str(error) == "no"  # noqa: PT017  # nothing of pytest's shows the object
    Shy.is_shy = False

    assert repr(it) == "It(a=Shy)"


def test_what_another_thread_shows_at_the_same_time_is_shown_whole() -> None:
    said: list[str] = []

    class Elsewhere:
        def __repr__(self) -> str:
            if threading.current_thread() is threading.main_thread():
                thread = threading.Thread(target=lambda: said.append(repr(it)))
                thread.start()
                thread.join()
            return "x"

    _, ours = pair({"a": {}}, "It", ())
    it = ours(Elsewhere())

    assert repr(it) == "It(a=x)"
    assert said == ["It(a=x)"]


def test_it_goes_as_deep_as_attrs() -> None:
    def deepest(one: type) -> int:
        it, levels = one(None), 0
        while levels < sys.getrecursionlimit():
            try:
                repr(it)
            except RecursionError:
                break
            it, levels = one((it,)), levels + 1
        return levels

    theirs, ours = pair({"a": {}}, "It", ())

    assert deepest(ours) >= deepest(theirs) > 256
