"""Places in TOML: every key that the parser knows has one, and it is where the key stands."""

import tomllib
from collections.abc import Iterator
from typing import cast

import pytest
from hypothesis import given, strategies as st

from trio_agent.routes.places import Path, find_places, line_and_column

KEYS = st.one_of(
    st.sampled_from(["a", "b-1", "c_2", "3"]),
    st.sampled_from(['"a b"', "'q.x'", '"\\u0061\\n"', '""', '"]"', "'='"]),
)
SCALARS = st.sampled_from(
    [
        *["1", "-1.5e3", "true", "inf", "1979-05-27 07:32:00", "0x1F"],
        *['"x"', "'y'", '"a \\" # = ]"', '"""', "'''"],
        *['"""a\n[x]\n"" \\""""', "'''b\n= '' '''", '""""q"""""', "''''''"],
    ]
).map(lambda text: {'"""': '"""\nx"""', "'''": "'''\n]'''"}.get(text, text))
BLANKS = st.sampled_from(["", " ", "\t", "  "])
FILLERS = st.sampled_from(["", " ", "\n", " # ] } = \n", "\r\n"])


@st.composite
def arrays(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    items: list[str] = draw(st.lists(values, max_size=3))
    text = ",".join(draw(FILLERS) + item + draw(FILLERS) for item in items)
    has_last_comma: bool = draw(st.booleans())
    return f"[{text}{',' if items and has_last_comma else ''}{draw(FILLERS)}]"


@st.composite
def inline_tables(draw: st.DrawFn, values: st.SearchStrategy[str]) -> str:
    keys = draw(st.lists(KEYS, max_size=3, unique=True))
    members = (f"{draw(BLANKS)}{key}{draw(BLANKS)}={draw(BLANKS)}{draw(values)}" for key in keys)
    return "{" + ",".join(members) + draw(BLANKS) + "}"


VALUES = st.recursive(SCALARS, lambda inner: arrays(inner) | inline_tables(inner), max_leaves=6)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Often valid; the rest is filtered by the parser."""
    lines: list[str] = []
    for _ in range(draw(st.integers(0, 6))):
        keys = draw(BLANKS).join([".".join(draw(st.lists(KEYS, min_size=1, max_size=3))), ""])
        header = draw(st.sampled_from(["[{}]", "[[{}]]", "", "", ""]))
        if header:
            lines.append(header.format(f"{draw(BLANKS)}{keys}") + draw(BLANKS))
        else:
            lines.append(f"{draw(BLANKS)}{keys}{draw(BLANKS)}={draw(BLANKS)}{draw(VALUES)}")
        lines.append(draw(st.sampled_from(["", "# x = 1", "  "])))
    return draw(st.sampled_from(["\n", "\r\n"])).join(lines)


def paths(value: object, path: Path = ()) -> Iterator[Path]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, inner in cast("dict[str, object]", value).items():
            yield from paths(inner, (*path, key))
    if isinstance(value, list):
        for index, inner in enumerate(cast("list[object]", value)):
            yield from paths(inner, (*path, index))


def parsed(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


@given(text=documents())
def test_every_key_that_the_parser_knows_has_a_place(text: str) -> None:
    members = parsed(text)
    if members is None:
        return
    places = find_places(text)
    expected = {*paths(members)}
    # An item of an array of tables stands at the key of its array.
    assert {path for path in expected if isinstance(path[-1], str)} == {
        path for path in places if isinstance(path[-1], str)
    }
    assert {*places} <= expected
    for path, place in places.items():
        if isinstance(path[-1], str) and path[-1].isalnum():
            start = text[place.key :].lstrip("\"'")
            assert start.startswith((path[-1], "\\u0061"))
    for path, place in places.items():
        # What follows a value that is no table is its spelling.
        value: object = members
        for key in path:
            value = cast("dict[str | int, object]", value)[key]
        if isinstance(value, bool):
            assert text[place.value :].startswith(str(value).lower())


@pytest.mark.parametrize(
    ("path", "key", "value"),
    [
        (("name",), (1, 1), (1, 8)),
        (("servers",), (2, 3), (2, 3)),
        (("servers", "a b"), (2, 13), (2, 13)),
        (("servers", "a b", "args"), (3, 3), (3, 10)),
        (("servers", "a b", "args", 1), (4, 2), (4, 2)),
        (("servers", "a b", "env", "x"), (5, 10), (5, 14)),
        (("list", 1, "y"), (9, 1), (9, 5)),
        (("list", 1, "z", "w"), (11, 1), (11, 5)),
    ],
)
def test_a_place_is_a_line_and_a_column(
    path: Path, key: tuple[int, int], value: tuple[int, int]
) -> None:
    text = (
        'name = "é # no"\n'
        ' [servers . "a b"] # x = 1\n'
        "  args = [ 'one',\n"
        "\t'two', ]\n"
        "  env = {x = 'v'}\n"
        "[[list]]\n"
        "y = 0\n"
        "[[list]]\n"
        "y = 1\n"
        "[list.z]\n"
        "w = 2\n"
    )
    place = find_places(text)[path]
    assert line_and_column(text, place.key) == key
    assert line_and_column(text, place.value) == value


def test_what_is_nested_too_deep_has_no_place() -> None:
    assert find_places("x = " + "[" * 3000 + "]" * 3000) == {}
