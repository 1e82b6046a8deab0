"""Types that Hypothesis draws, each with JSON that fits it, and ways to spoil that JSON.

`exact` types say all they want in JSON Schema, so a validator and `structuring` must agree about
every value.  `any_types` have dates and the like as well, of which a schema tells the `format` only.
"""

from __future__ import annotations

import copy
import datetime as dt
import enum
import uuid
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Literal

import attrs
from hypothesis import strategies as st

from trio_agent.protocol.schema.constraint import (
    Description,
    Ge,
    Gt,
    Le,
    Lt,
    MaxLength,
    MinLength,
    Pattern,
    Url,
)
from trio_agent.protocol.schema.structuring import structure


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


class Rank(enum.Enum):
    NONE = None
    LOW = 1
    HIGH = "high"
    BOTH = ("low", 2)


@attrs.frozen
class Node:
    """A place with places below."""

    name: Annotated[str, MaxLength(3)]
    children: list[Node] = attrs.field(factory=list)
    pair: tuple[Node, int] | None = None


@attrs.frozen
class Left:
    right: Right | None = None
    depth: int = attrs.field(default=0, validator=attrs.validators.ge(0))


@attrs.frozen
class Right:
    lefts: dict[str, Left] = attrs.field(factory=dict)


@attrs.frozen
class Drawn:
    """A type and what fits it.

    Attributes:
        kind: of its JSON; values of another kind never fit.
    """

    type_: Any
    kind: str
    plain: st.SearchStrategy[Any] = attrs.field(repr=False)


def _drawn(type_: object, kind: str, plain: st.SearchStrategy[Any]) -> st.SearchStrategy[Drawn]:
    return st.just(Drawn(type_, kind, plain))


names = st.text("abcXYZ_", min_size=1, max_size=4).filter(str.isidentifier)
numbers = st.integers(-(2**53), 2**53)
floats = st.floats(allow_nan=False, allow_infinity=False)
junk = st.sampled_from(
    [
        *(None, True, False, 0, 1, -7, 0.5, "", "a", "red", "high", "aaaaaaa", [], [1], ["a", 2]),
        *({}, {"name": "b"}, {"a": 1}, {"x": None}, {"children": 3}),
    ]
)
nodes = st.recursive(
    st.fixed_dictionaries({"name": st.text(max_size=3)}),
    lambda inner: st.fixed_dictionaries(
        {"name": st.text(max_size=3), "children": st.lists(inner, max_size=2)},
        optional={"pair": st.none() | st.tuples(inner, numbers).map(list)},
    ),
    max_leaves=4,
)
lefts: st.SearchStrategy[Any] = st.recursive(
    st.just({}),
    lambda inner: st.fixed_dictionaries(
        {"right": st.fixed_dictionaries({"lefts": st.dictionaries(names, inner, max_size=2)})},
        optional={"depth": st.integers(0, 9)},
    ),
    max_leaves=4,
)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | floats | st.text(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)

exact_scalars = st.one_of(
    _drawn(str, "string", st.text()),
    _drawn(int, "number", numbers),
    _drawn(float, "number", floats | numbers),
    _drawn(int | float, "number", floats | numbers),
    _drawn(bool, "boolean", st.booleans()),
    _drawn(Colour, "string", st.sampled_from(["red", "blue"])),
    _drawn(Rank, "mixed", st.sampled_from([None, 1, "high", ["low", 2]])),
    _drawn(Literal["a", 1, True], "mixed", st.sampled_from(["a", 1, True])),
    _drawn(Literal[Colour.RED, "a"], "string", st.sampled_from(["red", "a"])),
    _drawn(Node, "object", nodes),
    _drawn(Left, "object", lefts),
    _drawn(object, "mixed", json_values),
    _drawn(Annotated[int, Ge(-2), Lt(5), Description("few")], "number", st.integers(-2, 4)),
    _drawn(Annotated[float, Gt(0), Le(0.5)], "number", st.sampled_from([0.5, 0.25, 1e-9])),
    _drawn(Annotated[str, MinLength(2), MaxLength(4)], "string", st.text(min_size=2, max_size=4)),
    _drawn(
        Annotated[str, Pattern("^a+$"), MaxLength(3)],
        "string",
        st.text("a", min_size=1).map(lambda text: text[:3]),
    ),
    _drawn(Annotated[str, Pattern("b"), Pattern("^a")], "string", st.text().map("ab{}".format)),
)
written_scalars = st.one_of(
    _drawn(Url, "string", st.sampled_from(["https://example.org/%20?a=b#c", "urn:x:1"])),
    _drawn(Path, "string", st.text(st.characters(exclude_characters="\0"), min_size=1)),
    _drawn(dt.date, "string", st.dates().map(str)),
    _drawn(dt.datetime, "string", st.datetimes().map(dt.datetime.isoformat)),
    _drawn(dt.time, "string", st.times().map(str)),
    _drawn(uuid.UUID, "string", st.uuids().map(str)),
)


def _of(generic: Any, *arguments: object) -> Any:
    """A generic type with arguments that no type checker can know."""
    return generic[arguments]


def _list(item: Drawn) -> st.SearchStrategy[Drawn]:
    plain = st.lists(item.plain, max_size=3)
    some = st.lists(item.plain, min_size=1, max_size=2)
    type_ = _of(list, item.type_)
    return st.one_of(
        _drawn(type_, "array", plain),
        _drawn(_of(tuple, item.type_, ...), "array", plain),
        _drawn(_of(Sequence, item.type_), "array", plain),
        _drawn(_of(Annotated, type_, MinLength(1), MaxLength(2)), "array", some),
    )


def _tuple(items: list[Drawn]) -> Drawn:
    type_ = _of(tuple, *(item.type_ for item in items))
    return Drawn(type_, "array", st.tuples(*(item.plain for item in items)).map(list))


def _dict(item: Drawn) -> st.SearchStrategy[Drawn]:
    short = _of(dict, Annotated[str, MaxLength(1)], item.type_)
    colours = st.sampled_from(["red", "blue"])
    return st.one_of(
        _drawn(
            _of(dict, str, item.type_),
            "object",
            st.dictionaries(st.text(), item.plain, max_size=2),
        ),
        _drawn(_of(Mapping, Colour, item.type_), "object", st.dictionaries(colours, item.plain)),
        _drawn(
            _of(Annotated, short, MaxLength(2)),
            "object",
            st.dictionaries(st.text(max_size=1), item.plain, max_size=2),
        ),
    )


def _union(members: list[Drawn]) -> Drawn:
    # Two that both fit one value would be refused; kinds tell these apart.
    apart = {member.kind: member for member in members if member.kind != "mixed"}
    chosen = [*apart.values(), Drawn(type(None), "null", st.none())]
    type_ = reduce(or_, (member.type_ for member in chosen))
    return Drawn(type_, "mixed", st.one_of(*(member.plain for member in chosen)))


@st.composite
def _class(draw: st.DrawFn, inner: st.SearchStrategy[Drawn]) -> Drawn:
    drawn = draw(st.dictionaries(names, inner, max_size=4))
    fields: dict[str, Any] = {}
    required: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for name, member in drawn.items():
        alias = draw(st.sampled_from([name, name.upper() + "x"]))
        if alias in required or alias in optional:
            alias = f"{name}-{len(fields)}".replace("-", "_")
        if draw(st.booleans()):
            default = structure(member.type_, draw(member.plain))
            optional[alias] = member.plain
        else:
            default = attrs.NOTHING
            required[alias] = member.plain
        fields[name] = attrs.field(type=member.type_, alias=alias, default=default)
    made = attrs.make_class("Made", fields, frozen=True, kw_only=True)
    return Drawn(made, "object", st.fixed_dictionaries(required, optional=optional))


def _extended(inner: st.SearchStrategy[Drawn]) -> st.SearchStrategy[Drawn]:
    return st.one_of(
        inner.flatmap(_list),
        st.lists(inner, min_size=1, max_size=3).map(_tuple),
        inner.flatmap(_dict),
        st.lists(inner, min_size=1, max_size=3).map(_union),
        _class(inner),
        _class(inner),
    )


exact_types = st.recursive(exact_scalars, _extended, max_leaves=5)
any_types = st.recursive(exact_scalars | written_scalars, _extended, max_leaves=5)


@st.composite
def spoiled(draw: st.DrawFn, plain: object) -> object:
    """*plain* with one thing changed somewhere, mostly for the worse."""
    value: Any = copy.deepcopy(plain)
    places = list(_places(value))
    if not places:
        return draw(junk)
    container, key = draw(st.sampled_from(places))
    match draw(st.sampled_from(["replace", "remove", "add"])):
        case "replace":
            container[key] = draw(junk)
        case "remove":
            del container[key]
        case _ if isinstance(container, dict):
            container[draw(st.sampled_from(["a", "x", "name", "red", ""]))] = draw(junk)
        case _:
            container.append(draw(junk))
    return value


def _places(value: Any) -> Any:
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        yield value, key
        yield from _places(value[key])
