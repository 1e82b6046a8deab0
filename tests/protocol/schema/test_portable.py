"""Regular expressions in two spellings: what is rewritten, what stays at home."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest
from hypothesis import given, strategies as st

from trio_agent.protocol.schema.constraint import Pattern
from trio_agent.protocol.schema.portable import portable

SHARED = [
    ("^a+$", "^a+$"),
    (r"\d{3}-\w*\s?", r"\d{3}-\w*\s?"),
    (r"\bword\B", r"\bword\B"),
    (r"a|(?:b)(?=c)(?!d)(?<=e)(?<!f)", r"a|(?:b)(?=c)(?!d)(?<=e)(?<!f)"),
    (r"(?P<year>\d+)", r"(\d+)"),
    (r"\Aa\Z", "^a$"),
    (r"a\-b\ c\'\"\#\@", "a-b c'\"#@"),
    (r"[\w\-.]", r"[\w\-.]"),
    (r"[]a]", r"[\]a]"),
    (r"[^]a]", r"[^\]a]"),
    (r"[$^a\b\.\&]", r"[$^a\b\.&]"),
    (r"\x41\u0042\t\n\r\f\v", r"\x41\u0042\t\n\r\f\v"),
    (r"a{2}b{2,}c{2,3}d{,3}", r"a{2}b{2,}c{2,3}d{0,3}"),
    ("{a}b{}c{x", r"\{a\}b\{\}c\{x"),
    ("a]", r"a\]"),
    ("a*?b+?c??", "a*?b+?c??"),
    (re.escape("a/b (c) {d}"), r"a/b \(c\) \{d\}"),
    ("é.", "é."),
]
AT_HOME = [
    "(?i)a",
    "(?i:a)",
    "(?m)^a$",
    "(?#note)a",
    r"(a)\1",
    "(?P<x>a)(?P=x)",
    "(a)?(?(1)b|c)",
    "a++",
    "a*+",
    "a?+",
    "a{2}+",
    "(?>a)",
    r"\N{DIGIT ONE}",
    r"\U00000041",
    r"\a",
    r"\012",
    r"[\a]",
]


@pytest.mark.parametrize(("regex", "ecma"), SHARED)
def test_what_both_can_read_is_rewritten_for_the_other(regex: str, ecma: str) -> None:
    assert portable(regex).ecma == ecma
    re.compile(ecma)


@pytest.mark.parametrize("regex", AT_HOME)
def test_what_only_python_can_read_is_not_published(regex: str) -> None:
    re.compile(regex)
    assert portable(regex).ecma is None


def test_a_dollar_is_the_very_end_unless_lines_are_meant() -> None:
    assert Pattern("^a$").accepts("a")
    assert not Pattern("^a$").accepts("a\n")
    assert Pattern("^[a$]$").accepts("$")
    assert Pattern(r"\$").accepts("$a")
    assert Pattern("(?i)^a$").accepts("A")
    assert not Pattern("(?i)^a$").accepts("A\n")
    assert Pattern("(?m)^a$").accepts("a\nb")
    assert Pattern("(?i:x)(?sm-i:^a$)").regex


@given(st.sampled_from([regex for regex, _ in SHARED]), st.text("abcé12 -_.\"'#@$^]{}()/\n\t"))
def test_the_published_spelling_accepts_what_we_accept(regex: str, text: str) -> None:
    spelling = portable(regex)
    assert spelling.ecma is not None
    if Pattern(regex).accepts(text):
        assert re.search(spelling.ecma, text)
    elif not text.endswith("\n"):
        assert not re.search(spelling.ecma, text)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_node_can_read_every_published_spelling() -> None:
    spellings = [portable(regex).ecma for regex, _ in SHARED]
    code = (
        "for (const one of JSON.parse(process.argv[1])) {"
        " try { new RegExp(one, 'u') } catch (error) { console.log(error.message) } }"
    )
    ended = subprocess.run(
        ["node", "-e", code, json.dumps(spellings)],
        capture_output=True,
        check=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    assert ended.stdout == ""
