import re

import pytest
from hypothesis import given, strategies as st

from tests.surfaces.cli.hostile import texts
from trio_agent import Agent
from trio_agent.context.terminal import ColorDepth
from trio_agent.surfaces.cli.terminal.page import page
from trio_agent.surfaces.cli.terminal.screen import cells
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.result import ResultNode


def drawn(
    text: str, width: int = 60, *, color: ColorDepth = "none", has_links: bool = False
) -> str:
    document = AgentDocument.build(ResultNode.of([Agent.Markdown(text)]))
    data = page(document, width=width, color=color, encoding="utf-8", has_links=has_links)
    return data.decode()


def link(number: int, address: str, text: str) -> str:
    return f"\x1b]8;id={number};{address}\x1b\\\x1b[4;34m{text}\x1b[0m\x1b]8;;\x1b\\"


# ---------------------------------------------------------------------------------- links


def test_without_links_the_address_stands_beside_the_text() -> None:
    shown = drawn("[here](http://x.example/a) and [**b** `c`](mailto:a@b.example 'title')")

    assert shown.split() == [
        "here",
        "(http://x.example/a)",
        "and",
        "b",
        "c",
        "(mailto:a@b.example)",
    ]


def test_an_address_that_is_its_own_text_is_shown_once() -> None:
    assert drawn("<http://x.example/a>, <a@b.example>") == "http://x.example/a, a@b.example\n"


def test_a_link_hides_its_address_where_the_terminal_shows_where_it_leads() -> None:
    shown = drawn("[here](http://x.example/a).", color="basic", has_links=True)

    assert shown == link(1, "http://x.example/a", "here") + ".\n"


def test_all_lines_of_a_link_are_one_link() -> None:
    shown = drawn("[one two three](file:///x) [one](file:///y)", 10, color="basic", has_links=True)

    assert shown == (
        f"{link(1, 'file:///x', 'one two')}\n{link(1, 'file:///x', 'three')}"
        f" {link(2, 'file:///y', 'one')}\n"
    )


def test_a_text_that_looks_like_another_address_has_both() -> None:
    shown = drawn("[http://good.example](http://evil.example)", color="basic", has_links=True)

    assert shown == (
        link(1, "http://evil.example", "http://good.example") + " (http://evil.example)\n"
    )


@pytest.mark.parametrize(
    "address", ["javascript:alert%281%29", "data:text/html,x", "ssh://x", "../x", "http://x%1b"]
)
def test_what_may_be_no_link_is_readable(address: str) -> None:
    shown = drawn(f"[here]({address})", color="basic", has_links=True)

    assert "\x1b]8" not in shown
    assert f"({address})" in re.sub(r"\x1b\[[0-9;]*m", "", shown)


def test_a_picture_elsewhere_is_a_link_to_it() -> None:
    text = "![a cat](http://x.example/c.png) ![](c.png) ![in it](data:image/png;base64,AAAA)"
    assert drawn(text).split() == (
        ["[a", "cat]", "(http://x.example/c.png)", "[image]", "(c.png)", "[in", "it]"]
    )
    assert drawn("[![ci](http://x.example/ci.svg)](http://x.example)") == (
        "[ci] (http://x.example)\n"
    )
    shown = drawn("![a cat](http://x.example/c.png)", color="basic", has_links=True)
    assert shown == link(1, "http://x.example/c.png", "[a cat]") + "\n"


def test_a_link_without_an_address_is_its_text() -> None:
    assert drawn("[here]()") == "here\n"


# ---------------------------------------------------------------------------------- tables

WIDE = (
    "| name | artist | album | year | length | plays | rating | file |\n"
    "|-|-|-|-|-|-|-|-|\n"
    "| Song | 漢字 🎉 | [b](http://x.example) | 1975 | 5:55 | 12 | `5` | a.flac |\n"
)


def test_a_table_that_fits_is_a_table() -> None:
    assert drawn("| a | b |\n|-|-:|\n| 漢字 | 1 |\n| 🎉 | 22 |\n", 20) == (
        " a      b\n ────────\n 漢字   1\n 🎉    22\n"
    )


def test_a_table_that_does_not_fit_is_read_row_by_row() -> None:
    assert drawn(WIDE, 20) == (
        "name Song\nartist 漢字 🎉\nalbum b\n(http://x.example)\nyear 1975\nlength 5:55\n"
        "plays 12\nrating 5\nfile a.flac\n"
    )
    assert drawn("| | one word |\n|-|-|\n| alphabetical | orders |\n", 16) == (
        "alphabetical\none word orders\n"
    )


def test_a_head_alone_is_read_as_a_row() -> None:
    assert drawn("| first | second | third |\n|-|-|-|\n", 10) == "first\nsecond\nthird\n"


def test_a_table_without_anything_in_it_is_nothing() -> None:
    assert drawn("| | |\n|-|-|\n| | |\n") == ""


_words = st.text("abcdefgh漢", min_size=1, max_size=5)


@given(
    rows=st.integers(1, 8).flatmap(
        lambda columns: st.lists(
            st.lists(
                st.lists(_words, min_size=1, max_size=4).map(" ".join),
                min_size=columns,
                max_size=columns,
            ),
            min_size=2,
            max_size=4,
        )
    ),
    width=st.integers(10, 100),
)
def test_no_word_of_a_table_is_cut_off(rows: list[list[str]], width: int) -> None:
    head, *body = ["|" + "|".join(row) + "|" for row in rows]
    shown = drawn("\n".join([head, "|" + "-|" * len(rows[0]), *body]), width)

    assert "…" not in shown
    assert {word for row in rows for cell in row for word in cell.split()} <= set(shown.split())


# ---------------------------------------------------------------------------------- nesting


@pytest.mark.parametrize("marker", ["> ", "* ", "1. ", "> * "])
@pytest.mark.parametrize("width", [1, 10, 20, 80])
def test_what_is_nested_too_deeply_is_as_deep_as_there_is_room(marker: str, width: int) -> None:
    assert "deep" in drawn(marker * 30 + "deep", width)


def test_as_deep_as_a_reader_can_tell_apart() -> None:
    assert drawn("> " * 12 + "x", 80) == "▌ " * 8 + "x\n"
    assert drawn("* a\n  * b\n", 20) == " • a\n    • b\n"


def test_a_number_that_leaves_no_room_is_left_out() -> None:
    assert drawn("999999999. x", 20) == "  999999999 x\n"
    assert drawn("999999999. x", 10) == "x\n"


def test_html_is_text() -> None:
    assert drawn("List<int> <b>x</b>\n\n<!-- c -->") == "List<int> <b>x</b>\n\n<!-- c -->\n"


def test_code_that_is_too_wide_is_wrapped_not_cut() -> None:
    code = "```py\nresult = compute(alpha, beta)  # 漢字漢字漢字\n```"

    assert "".join(drawn(code, 16).split()) == "result=compute(alpha,beta)#漢字漢字漢字"
    assert all(cells(line) <= 16 for line in drawn(code, 16).split("\n"))


@given(text=texts, width=st.integers(1, 200))
def test_any_markdown_fits_into_any_terminal(text: str, width: int) -> None:
    shown = drawn(text.replace("\ud800", ""), width)

    if not any(joiner in shown for joiner in "\ufe0f\u200d"):
        assert all(cells(line) <= max(width, 10) for line in shown.split("\n"))
