"""`.env` files as text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from trio_agent.context.dotenv import EnvText, parse_env


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("A=b", "b"),
        ("A = b c \t", "b c"),
        ("  export A=b", "b"),
        ("export\tA=b", "b"),
        ("A=", ""),
        ("A= # nothing", ""),
        ("A=b # a comment", "b"),
        ("A=b\t#a comment", "b"),
        ("A=b#c", "b#c"),
        ("A=#b", "#b"),
        ("A='b # c'", "b # c"),
        ("A='b' # c", "b"),
        ("A='b'#c", "b"),
        ("A= 'b \\n'  ", "b \\n"),
        ("A='b\nc'", "b\nc"),
        ('A="b # c"', "b # c"),
        ('A="b\\n\\t\\r\\\\\\"\\$"', 'b\n\t\r\\"$'),
        ('A="\\x"', "\\x"),
        ('A="b\nc"', "b\nc"),
        ("A=$HOME/${B}", "$HOME/${B}"),
        ('A="${B}"', "${B}"),
        ("A=it's", "it's"),
        ("A=é", "é"),
        ("A=b\r\n", "b"),
        ("\ufeffA=b", "b"),
        ("A=c\nA=b", "b"),
    ],
)
def test_a_value_is_read_as_a_shell_would_but_for_variables(text: str, value: str) -> None:
    assert parse_env(text) == EnvText({"A": value})


def test_comments_and_blank_lines_say_nothing() -> None:
    assert parse_env("\n# A=b\n   \n\t# x\n\n") == EnvText({})
    assert parse_env("") == EnvText({})


@pytest.mark.parametrize(
    "line",
    ["A", "=b", "1A=b", "A B=c", "A.B=c", "exportA", "A='b", 'A="b', "A='b'c", 'A="b"c', "A=b\0c"],
)
def test_a_line_that_is_neither_is_a_fault_by_its_number_and_others_count(line: str) -> None:
    assert parse_env(f"X=1\n\n{line}\nY=2") == EnvText({"X": "1", "Y": "2"}, (3,))


def test_after_a_value_of_several_lines_the_numbers_are_right() -> None:
    assert parse_env("A='x\ny'\nB") == EnvText({"A": "x\ny"}, (3,))


names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*", fullmatch=True)
values = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"))


@given(st.dictionaries(names, values))
def test_what_is_quoted_is_read_as_it_was(wanted: dict[str, str]) -> None:
    def quote(value: str) -> str:
        return '"' + re.sub(r'(["\\$])', r"\\\1", value) + '"'

    text = "\n".join(f"{name}={quote(value)}" for name, value in wanted.items())
    assert parse_env(text) == EnvText(wanted)


@given(st.text(st.sampled_from("A=' \"#\n\\$x\0\t\r")))
def test_any_text_can_be_read(text: str) -> None:
    found = parse_env(text)
    lines = text.replace("\r\n", "\n").count("\n") + 1
    assert list(found.faults) == sorted(set(found.faults))
    assert all(1 <= line <= lines for line in found.faults)
    assert "\0" not in "".join(found.values.values())
