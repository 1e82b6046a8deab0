"""BR-50: whatever is in the data, it is shown; nothing is obeyed but what we write ourselves."""

import pytest
from hypothesis import given, strategies as st

from tests.surfaces.cli.hostile import PIECES, obeyed, texts
from trio_agent import Agent
from trio_agent.context.terminal import ColorDepth
from trio_agent.errors import TrioAgentError
from trio_agent.surfaces.cli.terminal.page import page
from trio_agent.surfaces.cli.terminal.screen import LivePicture
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.event import ProgressEvent, ShellEvent
from trio_agent.vocabulary.node import LeafNode
from trio_agent.vocabulary.result import ResultNode

COLORS: list[ColorDepth] = ["none", "basic", "256", "truecolor"]
ENCODINGS = ["utf-8", "ascii", "cp1252", "utf-16-le", "shift_jis"]


@st.composite
def leaves(draw: st.DrawFn) -> LeafNode:
    text = draw(texts).replace("\ud800", "")
    said = text if text.strip() else "x"
    nodes: list[LeafNode] = [
        Agent.Markdown(text),
        Agent.Text(text),
        Agent.Context(text),
        Agent.Error(said, text),
        Agent.Json({said: text}),
        Agent.Resource(uri=said, name=said, text=text),
        Agent.Resource(uri=f"http://x.example/{text}", name="x", blob="aGk=", alt=text),
        Agent.Image(data="aGk=", mime_type="image/png", alt=text),
        Agent.Audio(data="aGk=", mime_type="audio/wav", alt=text),
    ]
    return draw(st.sampled_from(nodes))


@given(
    nodes=st.lists(leaves(), min_size=1, max_size=3),
    width=st.integers(1, 200),
    color=st.sampled_from(COLORS),
    encoding=st.sampled_from(ENCODINGS),
    has_links=st.booleans(),
)
def test_a_page_holds_no_sequence_but_ours(
    nodes: list[LeafNode], width: int, color: ColorDepth, encoding: str, has_links: bool
) -> None:
    document = AgentDocument.build(ResultNode.of(nodes))
    shown = page(document, width=width, color=color, encoding=encoding, has_links=has_links)

    text = shown.decode(encoding)
    assert obeyed(text) == []
    assert color != "none" or "\x1b" not in text
    assert has_links or "\x1b]" not in text


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("width", [1, 20, 80])
def test_every_piece_can_be_shown_in_every_place(piece: str, width: int) -> None:
    text = f"a{piece}b".replace("\ud800", "\ufffd")
    document = AgentDocument.build(
        ResultNode.of([Agent.Markdown(piece.replace("\ud800", "x")), Agent.Markdown(text)])
    )
    for encoding in ("utf-8", "cp1252"):
        shown = page(document, width=width, color="256", encoding=encoding, has_links=True)
        assert obeyed(shown.decode(encoding)) == []


@given(message=texts, source=texts, width=st.integers(0, 120))
def test_a_live_picture_holds_no_sequence_at_all(message: str, source: str, width: int) -> None:
    picture = LivePicture("utf-8")
    try:
        shell = ShellEvent(
            0, AgentDocument.build(ResultNode.of([Agent.Progress(1, total=2, message=message)]))
        )
        report = ProgressEvent(1, 1, None, message, source)
    except TrioAgentError:
        return  # such as a message that is blank
    for event in (shell, report):
        picture.feed(event, 0.0)

    for line in picture.lines(width, 9, 0.0):
        assert obeyed(line) == []
        assert "\n" not in line


def test_markup_and_emoji_codes_are_letters() -> None:
    text = "[red]x[/red] [/home/x] :smile: [slug].tsx"
    document = AgentDocument.build(
        ResultNode.of([Agent.Markdown(f"| a |\n|-|\n| {text} |\n\n{text}"), Agent.Error("c", text)])
    )
    shown = page(document, width=80, color="none", encoding="utf-8").decode()

    assert shown.count(text) == 3


def test_an_entity_is_shown_like_what_it_stands_for() -> None:
    document = AgentDocument.build(ResultNode.of([Agent.Markdown("a &#x202e; b &#13; c")]))

    assert page(document, width=80, color="none", encoding="utf-8") == b"a \\u202e b \\x0d c\n"
