"""URI templates: what matches, what the variables are, and the way back."""

import re

import pytest
from hypothesis import assume, given, strategies as st

from trio_agent.errors import ContractError
from trio_agent.protocol.uri_template import UriTemplate, Variable


def match(template: str, uri: str) -> dict[str, str] | None:
    return UriTemplate.parse(template).match(uri)


@pytest.mark.parametrize(
    ("template", "uri", "values"),
    [
        ("x://all", "x://all", {}),
        ("x://all", "x://all/", None),
        ("x://{id}", "x://7", {"id": "7"}),
        ("x://{id}", "x://", None),
        ("x://{id}", "y://7", None),
        ("x://{id}", "x://7/8", None),
        ("x://{id}", "x://7?a", None),
        ("x://{id}", "x://7#a", None),
        ("x://{id}/pages", "x://7/pages", {"id": "7"}),
        ("x://{id}/pages", "x://7/8/pages", None),
        ("x://{id}/pages", "x:///pages", None),
        ("x://{a}/{b}", "x://1/2", {"a": "1", "b": "2"}),
        ("x://{a}/{b}", "x://1/2/3", None),
        ("x://{name}.{ext}", "x://a.b.c", {"name": "a", "ext": "b.c"}),
        ("x://{a}ab", "x://aabab", {"a": "aab"}),
        ("x://{a}-{b}?full", "x://1-2-3?full", {"a": "1", "b": "2-3"}),
        ("x://{+path}", "x://a/b?c#d", {"path": "a/b?c#d"}),
        ("x://{+path}", "x://", None),
        ("x://{+path}/raw", "x://a/raw/b/raw", {"path": "a/raw/b"}),
        ("x://{+path}/raw", "x:///raw", None),
        ("x://{id}/{+path}", "x://7/a/b", {"id": "7", "path": "a/b"}),
        ("x://{id}/{+path}", "x://7/", None),
        ("x://{+path}/{id}", "x://a/b/7", {"path": "a/b", "id": "7"}),
        ("x://{+path}/{id}.{ext}", "x://a/b/c.d.e", {"path": "a/b", "id": "c.d", "ext": "e"}),
        ("x://{a}/{+path}/{b}", "x://1/2", None),
        ("x://{a}/{+path}/{b}", "x://1/2/3/4", {"a": "1", "path": "2/3", "b": "4"}),
    ],
)
def test_what_matches(template: str, uri: str, values: dict[str, str] | None) -> None:
    assert match(template, uri) == values


@pytest.mark.parametrize(
    ("uri", "value"),
    [
        ("x://a%20b", "a b"),
        ("x://a%2Fb%2fc", "a/b/c"),
        ("x://%C3%A9", "é"),
        ("x://é+", "é+"),
        ("x://100%25", "100%"),
        ("x://100%", None),
        ("x://%zz", None),
        ("x://%ff", None),
        ("x://\ud800", None),
    ],
)
def test_values_are_decoded_and_have_to_be_utf_8(uri: str, value: str | None) -> None:
    assert match("x://{id}", uri) == (None if value is None else {"id": value})
    assert match("x://{+id}", uri) == (None if value is None else {"id": value})


def test_a_template_knows_its_variables() -> None:
    template = UriTemplate.parse("x://{id}/{+path}")
    assert template.variables == ("id", "path")
    assert template.parts == (
        "x://",
        Variable("id", is_reserved=False),
        "/",
        Variable("path", is_reserved=True),
    )
    assert UriTemplate.parse("x://all").variables == ()


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("x://{?q}", r"'x://{\?q}' has {\?q}, and takes {name} and {\+name} only"),
        ("x://{}", "has {}, and takes"),
        ("x://{a,b}", "has {a,b}, and takes"),
        ("x://{a*}", r"has {a\*}, and takes"),
        ("x://{a:3}", "has {a:3}, and takes"),
        ("x://{1a}", "has {1a}, and takes"),
        ("x://{a", "has a brace without its other one"),
        ("x://a}", "has a brace without its other one"),
        ("x://{a}/{+a}", "has {a} twice"),
        ("x://{+a}/{+b}", r"has more than one {\+name}"),
        ("x://{a}{b}", "has nothing between {a} and {b}"),
    ],
)
def test_what_has_no_one_reading_is_refused(template: str, message: str) -> None:
    with pytest.raises(ContractError, match=message) as caught:
        UriTemplate.parse(template)
    assert caught.value.code == "invalid-element"


def test_expanding_encodes_what_would_be_read_otherwise() -> None:
    values = {"id": "a/b ?é%", "path": "c/d ?é%"}
    uri = UriTemplate.parse("x://{id}/{+path}").expand(values)
    assert uri == "x://a%2Fb%20%3F%C3%A9%25/c/d%20?%C3%A9%25"
    assert match("x://{id}/{+path}", uri) == values


def test_a_hostile_uri_takes_no_time() -> None:
    # With a regular expression and backtracking this test would never end.
    template = UriTemplate.parse("x://{a}-{b}-{c}-{d}-{e}-{f}/{+g}/{h}-{i}-{j}!")
    assert template.match("x://" + "-" * 200_000 + "/" + "-" * 200_000) is None


VALUES = st.text(st.sampled_from("ab-./é %?#"), min_size=1, max_size=6)


@given(values=st.fixed_dictionaries({"a": VALUES, "b": VALUES, "c": VALUES}))
def test_what_expands_matches_and_means_the_same(values: dict[str, str]) -> None:
    template = UriTemplate.parse("x://{a}/at/{+b}/to/{c}")
    found = template.match(template.expand(values))
    assert found is not None
    assert template.expand(found) == template.expand(values)
    assert (found["a"], found["c"]) == (values["a"], values["c"])


@given(
    literals=st.lists(st.text("ab-/", min_size=1, max_size=2), min_size=2, max_size=4),
    middle=st.booleans(),
    uri=st.text("ab-/", max_size=14),
    tail=st.booleans(),
)
def test_it_matches_what_backtracking_would(
    literals: list[str], middle: bool, uri: str, tail: bool
) -> None:
    names = [f"v{index}" for index in range(len(literals) - 1 + tail)]
    reserved = names[len(names) // 2] if middle and names else None
    assume(names)
    text, pattern = literals[0], re.escape(literals[0])
    for name, literal in zip(names, [*literals[1:], ""], strict=False):
        is_reserved = name == reserved
        text += f"{{{'+' * is_reserved}{name}}}{literal}"
        pattern += f"(?P<{name}>{'.' if is_reserved else '[^/?#]'}+){re.escape(literal)}"
    uri = literals[0] + uri
    found = UriTemplate.parse(text).match(uri)
    assert (found is not None) == (re.fullmatch(pattern, uri) is not None)
    if found is not None:
        assert UriTemplate.parse(text).expand(found) == uri
