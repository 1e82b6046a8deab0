import pytest
from hypothesis import given, strategies as st

from trio_agent import Agent
from trio_agent.surfaces.cli.terminal.screen import LivePicture, cells, cut, elapsed
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.event import (
    CompleteEvent,
    ErrorEvent,
    Failure,
    ProgressEvent,
    ReplaceEvent,
    ShellEvent,
)
from trio_agent.vocabulary.leaf import ProgressNode
from trio_agent.vocabulary.node import LeafNode
from trio_agent.vocabulary.result import ResultNode


def shell(*nodes: "LeafNode | ResultNode") -> ShellEvent:
    return ShellEvent(0, AgentDocument.build(ResultNode.of(nodes)))


def lines(*events: "ShellEvent | ProgressEvent", width: int = 60, height: int = 9) -> list[str]:
    picture = LivePicture()
    for event in events:
        picture.feed(event, 0.0)
    return picture.lines(width, height, 0.0)


def test_before_any_event_there_is_nothing_to_see() -> None:
    assert lines() == []


def test_what_is_waited_for_spins_until_the_first_event() -> None:
    picture = LivePicture()
    picture.wait_for("audit\x1b library", 0.0)
    assert picture.lines(60, 9, 0.375) == ["\\ audit\\x1b library 0s"]
    assert picture.lines(12, 9, 0.0) == ["| audit\\x..."]
    assert picture.lines(60, 0, 0.0) == []

    picture.feed(shell(Agent.Text("x")), 0.0)
    assert picture.lines(60, 9, 0.0) == []
    picture.wait_for("audit", 0.0)
    assert picture.lines(60, 9, 0.0) == []


def test_a_report_before_the_first_document_is_an_event() -> None:
    picture = LivePicture()
    picture.wait_for("audit", 0.0)
    picture.feed(ProgressEvent(1, 3, message="Reading"), 0.0)

    assert picture.lines(60, 9, 0.0) == ["| Reading (3)"]


def test_a_placeholder_without_a_total_spins() -> None:
    picture = LivePicture()
    picture.feed(shell(Agent.Progress(message="Inspecting files")), 0.0)

    assert [picture.lines(60, 9, now / 8)[0] for now in range(5)] == [
        "| Inspecting files 0s",
        "/ Inspecting files 0s",
        "- Inspecting files 0s",
        "\\ Inspecting files 0s",
        "| Inspecting files 0s",
    ]


def test_a_count_without_a_total_follows_the_message() -> None:
    assert lines(ProgressEvent(1, 3, message="Reading")) == ["| Reading (3)"]


def test_what_says_nothing_is_working() -> None:
    assert lines(ProgressEvent(1, 0)) == ["| working"]


def test_a_total_makes_a_bar_and_a_counter() -> None:
    assert lines(ProgressEvent(1, 3, 10, "Hashing")) == ["Hashing [=======>                ] 3/10"]


@pytest.mark.parametrize(
    ("completed", "total", "bar"),
    [
        (0, 4, "[>      ] 0/4"),
        (1, 4, "[=>     ] 1/4"),
        (3, 4, "[=====> ] 3/4"),
        (4, 4, "[=======] 4/4"),
        (0, 0, "[=======] 0/0"),
    ],
)
def test_a_bar_is_full_when_all_is_done(completed: float, total: float, bar: str) -> None:
    assert lines(ProgressEvent(1, completed, total), width=13) == [bar]


def test_bars_stand_below_each_other() -> None:
    shown = lines(ProgressEvent(1, 3, 10, "a"), ProgressEvent(2, 10, 10, "long", "b"))

    assert shown == [
        "a       [=======>                ]  3/10",
        "b: long [========================] 10/10",
    ]


def test_a_bar_without_a_message_has_the_line_for_itself() -> None:
    assert lines(ProgressEvent(1, 1, 2)) == ["[============>           ] 1/2"]


def test_a_long_message_leaves_room_for_a_bar_where_there_is_room() -> None:
    assert lines(ProgressEvent(1, 1, 2, "m" * 99), width=40) == [
        "mmmmmmmmmmmmm... [========>        ] 1/2"
    ]


def test_a_narrow_line_drops_the_bar_before_the_counter() -> None:
    assert lines(ProgressEvent(1, 3, 10, "Inspecting files"), width=19) == ["Inspecting... 3/10"]


def test_placeholders_come_first_in_the_order_of_the_document() -> None:
    inner = ResultNode.of([Agent.Text("x"), Agent.Progress(message="two")])

    assert lines(
        ProgressEvent(0, 1, message="report"),
        ProgressEvent(0, 1, message="m", source="named"),
        shell(
            Agent.Progress(message="one"), Agent.Text("x"), inner, Agent.Progress(message="three")
        ),
    ) == ["| one 0s", "  | two 0s", "| three 0s", "| report (1)", "| named: m (1)"]


def test_a_source_has_one_line_and_its_latest_report() -> None:
    assert lines(
        ProgressEvent(1, 1, source="s"),
        ProgressEvent(2, 2, source="t"),
        ProgressEvent(3, 3, source="s"),
    ) == ["| s (3)", "| t (2)"]


def test_a_settled_boundary_takes_its_placeholder_away() -> None:
    picture = LivePicture()
    two = Agent.Progress(message="two")
    picture.feed(shell(Agent.Progress(message="one"), two), 0.0)
    picture.lines(60, 9, 0)
    rest = AgentDocument.build(ResultNode.of([two]))
    picture.feed(ReplaceEvent(1, "b:0", rest), 0.0)
    assert picture.lines(60, 9, 0) == ["| two 0s"]

    none = AgentDocument.build(ResultNode.of([Agent.Error("boundary", "no")]))
    picture.feed(ErrorEvent(2, Failure("boundary", "no"), "b:1", none), 0.0)
    assert picture.lines(60, 9, 0) == []

    picture.feed(CompleteEvent(3, none), 0.0)
    assert picture.lines(60, 9, 0) == []


def test_a_terminal_error_leaves_the_picture_as_it_is() -> None:
    picture = LivePicture()
    picture.feed(shell(Agent.Progress(message="one")), 0.0)
    picture.feed(ErrorEvent(1, Failure("render-failed", "no")), 0.0)

    assert picture.lines(60, 9, 0) == ["| one 0s"]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0s"), (59.9, "59s"), (60, "1:00"), (65, "1:05"), (3599, "59:59"), (3605, "1:00:05")],
)
def test_a_time_is_written_as_people_do(seconds: float, shown: str) -> None:
    assert elapsed(seconds) == shown
    assert elapsed(-seconds) == "0s"


def test_a_placeholder_tells_since_when_it_has_been_there() -> None:
    picture = LivePicture()
    first, second = Agent.Progress(message="one"), Agent.Progress(1, total=4, message="two")
    picture.feed(shell(first), 10.0)
    assert picture.lines(60, 9, 22.0) == ["| one 12s"]

    picture.feed(shell(first, second), 20.0)
    assert picture.lines(60, 9, 85.0) == [
        "| one 1:15",
        "two [======>                 ] 1/4 1:05",
    ]


def test_a_growing_time_moves_nothing_to_its_left() -> None:
    picture = LivePicture()
    picture.feed(shell(Agent.Progress(1, total=4, message="two")), 0.0)
    shown = [picture.lines(60, 9, now)[0] for now in (9.0, 10.0, 59.0, 60.0, 600.0, 3600.0)]

    assert {line[: line.index("1/4")] for line in shown} == {"two [======>                 ] "}


def test_a_narrow_line_has_no_time() -> None:
    event = shell(Agent.Progress(message="Inspecting files"))

    assert lines(event, width=23) == ["| Inspecting files"]
    assert lines(event, width=24) == ["| Inspecting files 0s"]
    assert lines(shell(Agent.Progress(1, total=4, message="m" * 30)), width=24) == [
        "mmmmmmmmmmmmmm... 1/4 0s"
    ]


def test_what_a_settled_boundary_reveals_is_indented() -> None:
    picture = LivePicture()
    outer, other = Agent.Progress(message="outer"), Agent.Progress(message="other")
    picture.feed(shell(outer, other), 0.0)
    picture.lines(60, 9, 0)
    inner = Agent.Progress(1, total=4, message="inner")
    picture.feed(shell(Agent.Text("outer"), inner, other), 1.0)

    assert picture.lines(60, 9, 3) == [
        "  inner [======>                 ] 1/4 2s",
        "| other 3s",
    ]
    assert picture.lines(39, 9, 3)[0].startswith("inner ")


def test_indentation_leaves_room_for_what_is_indented() -> None:
    node: LeafNode | ResultNode = Agent.Progress(message="deep")
    for _ in range(30):
        node = ResultNode.of([Agent.Text("x"), node])

    assert lines(shell(node), width=40) == [" " * 10 + "| deep 0s"]


def test_what_is_not_shown_is_counted() -> None:
    many = shell(*[Agent.Progress(message=str(number)) for number in range(5)])

    assert lines(many, height=3) == ["| 0 0s", "| 1 0s", "... and 3 more"]
    assert lines(many, height=1) == ["... and 5 more"]
    assert lines(many, height=0) == []


def test_a_message_is_one_line_and_nothing_in_it_is_obeyed() -> None:
    assert lines(ProgressEvent(1, 0, message="a\n b\t\x1b[2J [red]x[/red] \u202e")) == [
        "| a b \\x1b[2J [red]x[/red] \\u202e"
    ]


def test_what_the_terminal_cannot_show_is_measured_as_what_it_shows() -> None:
    picture = LivePicture("ascii")
    picture.feed(ProgressEvent(1, 0, message="\u6f22" * 4), 0.0)

    assert picture.lines(18, 9, 0) == ["| \\u6f22\\u6f22\\..."]


@pytest.mark.parametrize(
    ("number", "shown"),
    [(3, "3"), (3.0, "3"), (2.5, "2.5"), (1e15, "1e+15"), (123456, "123456"), (0.125, "0.125")],
)
def test_numbers_are_written_as_people_do(number: float, shown: str) -> None:
    assert lines(ProgressEvent(1, number, message="m")) == [f"| m ({shown})"]


def test_wide_characters_count_twice_and_are_never_halved() -> None:
    assert cells("漢字") == 4
    assert cut("漢字漢字", 7) == "漢字..."
    assert cut("漢字漢字", 6) == "漢..."
    assert cut("🎉🎉", 3) == "🎉"


def test_joined_emoji_count_as_their_widest_form() -> None:
    assert cells("👩\u200d👩\u200d👧") == 6
    assert cells("❤\ufe0f") == 2


def test_a_text_that_fits_is_not_touched() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "abc"
    assert cut("abcdef", 5) == "ab..."
    assert cut("abc", 0) == ""


_numbers = st.integers(0, 2**53 - 1) | st.floats(0, 2.0**53 - 1)
_messages = st.none() | st.text(min_size=1, max_size=60).filter(lambda text: bool(text.strip()))


@st.composite
def reports(draw: st.DrawFn) -> ProgressNode:
    completed = draw(_numbers)
    total = draw(st.none() | _numbers.filter(lambda total: total >= completed))
    return ProgressNode(completed, total, draw(_messages))


@given(
    nodes=st.lists(reports(), max_size=6),
    sources=st.lists(reports(), max_size=4),
    width=st.integers(0, 100),
    height=st.integers(0, 8),
    encoding=st.sampled_from(["utf-8", "ascii", "cp1252"]),
    now=st.floats(0, 1e6),
)
def test_no_picture_is_larger_than_asked_for(
    nodes: list[ProgressNode],
    sources: list[ProgressNode],
    width: int,
    height: int,
    encoding: str,
    now: float,
) -> None:
    picture = LivePicture(encoding)
    picture.feed(shell(*nodes), 0.0)
    for number, node in enumerate(sources):
        picture.feed(
            ProgressEvent(1, node.completed, node.total, node.message, f"source {number}"), 0.0
        )

    shown = picture.lines(width, height, now)

    assert len(shown) == min(len(nodes) + len(sources), height)
    for line in shown:
        assert cells(line) <= width
        assert line.isprintable() or not line.isascii()
        assert line.encode(encoding).decode(encoding) == line


@given(st.text(max_size=40), st.integers(0, 40))
def test_a_cut_is_never_wider_and_keeps_the_beginning(text: str, width: int) -> None:
    shorter = cut(text, width)

    assert cells(shorter) <= width
    assert text.startswith(shorter.removesuffix("...")) or shorter == text
