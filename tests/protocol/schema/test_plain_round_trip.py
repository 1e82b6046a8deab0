"""What `vocabulary.plain` writes, `structure` reads back."""

from __future__ import annotations

import datetime as dt
import enum
import json
import uuid
from pathlib import Path
from typing import Annotated, Literal

import attrs
from hypothesis import given, strategies as st

from trio_agent.protocol.schema.constraint import Description, Ge
from trio_agent.protocol.schema.structuring import structure
from trio_agent.vocabulary.plain import to_plain


class Tint(enum.Enum):
    PLAIN = 0
    WARM = "warm"
    MIXED = ("warm", 3)


@attrs.frozen(kw_only=True)
class Leaf:
    text: str
    number: Annotated[int, Ge(-(2**53)), Description("any")] = 0
    ratio: float = 0.5
    is_green: bool | None = None
    tint: Tint = Tint.PLAIN
    kind: Literal["leaf", 7] = "leaf"


@attrs.frozen(kw_only=True)
class Stamp:
    place: Path
    moment: dt.datetime
    day: dt.date
    hour: dt.time
    mark: uuid.UUID
    _secret: str | None = None
    length: int = attrs.field(init=False)

    @length.default
    def _count(self) -> int:
        return len(str(self.place))


@attrs.frozen(kw_only=True)
class Tree:
    name: str
    children: tuple[Tree, ...] = ()
    leaves: list[Leaf] = attrs.field(factory=list)
    by_day: dict[dt.date, Leaf | None] = attrs.field(factory=dict)
    pair: tuple[int, str] | None = None
    top: Leaf | Stamp | None = None
    rest: object = None


zones = st.one_of(
    st.none(),
    st.integers(-1439, 1439).map(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes))),
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=5,
)
leaves = st.builds(
    Leaf,
    text=st.text(),
    number=st.integers(-(2**53), 2**53),
    ratio=st.floats(allow_nan=False, allow_infinity=False),
    is_green=st.one_of(st.none(), st.booleans()),
    tint=st.sampled_from(Tint),
    kind=st.sampled_from(["leaf", 7]),
)
stamps = st.builds(
    Stamp,
    place=st.text(st.characters(exclude_characters="\0"), min_size=1).map(Path),
    moment=st.datetimes(timezones=zones),
    day=st.dates(),
    hour=st.times(timezones=zones),
    mark=st.uuids(),
    secret=st.one_of(st.none(), st.text()),
)
trees: st.SearchStrategy[Tree] = st.deferred(
    lambda: st.builds(
        Tree,
        name=st.text(),
        children=st.lists(trees, max_size=2).map(tuple),
        leaves=st.lists(leaves, max_size=2),
        by_day=st.dictionaries(st.dates(), st.one_of(st.none(), leaves), max_size=2),
        pair=st.one_of(st.none(), st.tuples(st.integers(), st.text())),
        top=st.one_of(st.none(), leaves, stamps),
        rest=json_values,
    )
)


@given(st.one_of(leaves, stamps, trees))
def test_what_was_written_is_read_back_equal(value: Leaf | Stamp | Tree) -> None:
    plain = to_plain(value, "value")
    assert structure(type(value), plain) == value
    assert structure(type(value), json.loads(json.dumps(plain))) == value
