import pytest
from hypothesis import given, strategies as st

from trio_agent import Agent
from trio_agent.context.terminal import ColorDepth
from trio_agent.surfaces.cli.terminal.page import page
from trio_agent.surfaces.cli.terminal.screen import cells
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.node import LeafNode
from trio_agent.vocabulary.result import ResultNode


def drawn(
    *nodes: LeafNode, width: int = 40, color: ColorDepth = "none", encoding: str = "utf-8"
) -> str:
    document = AgentDocument.build(ResultNode.of(nodes))
    data = page(document, width=width, color=color, encoding=encoding)
    return data.decode(encoding)


def test_an_empty_document_is_no_page() -> None:
    assert drawn() == ""
    assert drawn(Agent.Progress(message="x")) == ""


def test_markdown_is_laid_out_and_text_is_not() -> None:
    assert drawn(Agent.Markdown("# Title\n\n* **one**\n* `two`"), Agent.Text("**as is** #")) == (
        "                 Title\n\n • one\n • two\n\n**as is** #\n"
    )


def test_blocks_are_one_blank_line_apart() -> None:
    page_of_three = drawn(Agent.Json({"a": 1}), Agent.Context("quoted"), Agent.Error("c", "m"))

    assert page_of_three == ' {\n   "a": 1\n }\n\n▌ quoted\n\n[c] m\n'


def test_data_is_never_markup_and_never_obeyed() -> None:
    text = "[red]x[/red] [/home/x] :smile: \x1b[2J \x1b]8;;http://evil\x07 \x9b \u202e"

    shown = drawn(Agent.Text(text), width=120)

    assert shown == (
        "[red]x[/red] [/home/x] :smile: \\x1b[2J \\x1b]8;;http://evil\\x07 \\x9b \\u202e\n"
    )
    assert "[red]x[/red] [/home/x] :smile: \\x1b[2J" in drawn(Agent.Markdown(text), width=120)


def test_the_address_of_a_link_is_shown_not_hidden() -> None:
    shown = drawn(Agent.Markdown("[here](http://evil.example/)"), width=80, color="256")

    assert "http://evil.example/" in shown
    assert "\x1b]8" not in shown


@pytest.mark.parametrize("color", ["basic", "256", "truecolor"])
def test_colour_comes_from_the_terminal_axis(
    color: ColorDepth, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")

    assert "\x1b[1m" in drawn(Agent.Markdown("**x**"), color=color)


def test_without_colour_there_is_no_escape_sequence_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "3")
    nodes: list[LeafNode] = [
        Agent.Markdown("# x\n\n**b** `c`\n\n> q\n\n```py\nx = 1\n```"),
        Agent.Json([1, "s"]),
    ]

    assert "\x1b" not in drawn(*nodes)


def test_the_width_is_the_one_that_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")

    assert drawn(Agent.Text("ab " * 30), width=20) == "ab ab ab ab ab ab ab\n" * 4 + "ab ab\n"


def test_very_narrow_terminals_get_ten_columns() -> None:
    assert drawn(Agent.Text("abcdefgh"), width=3) == "abcdefgh\n"


def test_media_are_mentioned_not_dumped() -> None:
    shown = drawn(
        Agent.Image(data="aGk=", mime_type="image/png", alt="a cat"),
        Agent.Audio(data="aGk=", mime_type="audio/wav"),
        Agent.Resource(uri="file:///x", name="x", blob="aGkh"),
        Agent.Resource(uri="file:///y", name="y", text="inside"),
        width=80,
    )

    assert shown == (
        "[image image/png, 2 bytes] a cat\n\n[audio audio/wav, 2 bytes]\n\n"
        "x (file:///x)\n[blob, 3 bytes]\n\ny (file:///y)\n\ninside\n"
    )


def test_other_encodings_get_simpler_drawings_and_escapes() -> None:
    shown = drawn(Agent.Markdown("* ✓ x\n\n> q"), encoding="ascii")

    assert shown == " * \\u2713 x\n\n| q\n"


@given(
    texts=st.lists(st.text(max_size=80), max_size=4),
    width=st.integers(10, 60),
    encoding=st.sampled_from(["utf-8", "ascii", "cp1252"]),
)
def test_any_text_can_be_shown_and_obeys_nothing(
    texts: list[str], width: int, encoding: str
) -> None:
    shown = drawn(*[Agent.Text(text) for text in texts], width=width, encoding=encoding)

    assert not any(c in shown for c in "\x1b\x07\x9b\x00\u202e")
    if encoding == "utf-8" and "\ufe0f" not in shown and "\u200d" not in shown:
        assert all(cells(line) <= width for line in shown.split("\n"))
