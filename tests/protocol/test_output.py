"""What the command line writes: which text to which stream, and which bytes for it."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, strategies as st

from trio_agent.errors import InvocationError, StreamError
from trio_agent.protocol.output import (
    DataProjection,
    Ending,
    JsonProjection,
    MarkdownProjection,
    NdjsonProjection,
    Output,
    OutputMode,
    data_line,
    encodable,
    failure_lines,
    printable,
)
from trio_agent.protocol.projection import Projection
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.event import (
    CompleteEvent,
    ErrorEvent,
    Failure,
    ProgressEvent,
    RenderEvent,
    ReplaceEvent,
    ShellEvent,
)
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import ErrorNode, MarkdownNode, ProgressNode, TextNode
from trio_agent.vocabulary.result import Chunk, DocumentNode, ResultNode

ENCODINGS = ["utf-8", "utf-16-le", "ascii", "cp1252", "latin-1", "cp437", "shift_jis", "gb18030"]
SPECIAL = "\x00\x07\x08\x0b\x0c\x1b\x7f\x85\x9b\u202a\u202e\u2066\u2069\t\n\r\ud800\udfff☃😀é$\\"

any_text = st.text(st.characters() | st.sampled_from(SPECIAL), max_size=20)


def document_of(*nodes: DocumentNode, value: object = None) -> AgentDocument:
    frozen = None if value is None else Json.of(value)
    return AgentDocument.build(ResultNode.of(nodes), value=frozen)


SHELL = document_of(ProgressNode(message="Working"))
FAILED = document_of(ErrorNode("boundary", "no such folder"), value={"files": 1})
STREAM: list[RenderEvent] = [
    ShellEvent(0, SHELL),
    ProgressEvent(1, 1, 2, "Half"),
    ReplaceEvent(2, "b:1", document_of(ProgressNode(), MarkdownNode("# Done"))),
    ErrorEvent(3, Failure("boundary", "no such folder"), "b:0", FAILED),
    CompleteEvent(4, FAILED),
]


def outputs_of(
    projection: Projection[Output, Ending], events: Sequence[RenderEvent]
) -> list[list[Output]]:
    return [list(projection.feed(event)) for event in events]


def test_markdown_says_nothing_on_stdout_before_complete_and_errors_at_once() -> None:
    projection = MarkdownProjection()
    assert outputs_of(projection, STREAM) == [
        [],
        [],
        [],
        [Output("stderr", "[boundary] no such folder\n")],
        [Output("stdout", "**[boundary]** no such folder\n")],
    ]
    assert projection.finish() == Ending("represented-error", Json.of({"files": 1}))


def test_an_empty_document_writes_nothing_as_markdown() -> None:
    projection = MarkdownProjection()
    assert outputs_of(projection, [CompleteEvent(0, document_of())]) == [[]]
    assert projection.finish() == Ending("success", None)


def test_json_is_the_value_in_one_line() -> None:
    projection = JsonProjection()
    assert outputs_of(projection, STREAM) == [
        [],
        [],
        [],
        [Output("stderr", "[boundary] no such folder\n")],
        [Output("stdout", '{"files":1}\n', is_json=True)],
    ]
    assert projection.finish() == Ending("represented-error", Json.of({"files": 1}))


def test_a_document_without_value_is_null_as_json() -> None:
    projection = JsonProjection()
    (outputs,) = outputs_of(projection, [CompleteEvent(0, document_of(TextNode("a")))])
    assert outputs == [Output("stdout", "null\n", is_json=True)]
    assert projection.finish() == Ending("success", None)


def test_data_is_one_canonical_line_and_errors_are_told_at_once() -> None:
    projection = DataProjection(is_json=False)
    assert outputs_of(projection, STREAM) == [
        [],
        [],
        [],
        [Output("stderr", "[boundary] no such folder\n")],
        [Output("stdout", '{"files":1}\n', is_json=True)],
    ]
    assert projection.finish() == Ending("represented-error", Json.of({"files": 1}))


@pytest.mark.parametrize(
    ("value", "plain", "quoted"),
    [
        (
            {"b": [True, None], "a": {"d": 1, "c": 2.5}},
            *['{"a":{"c":2.5,"d":1},"b":[true,null]}'] * 2,
        ),
        ("two\nlines \u2713", "two\nlines \u2713", '"two\\nlines \u2713"'),
        ("", "", '""'),
        ("lone \ud800", "lone \ud800", '"lone \\ud800"'),
        (["lone \ud800"], *['["lone \\ud800"]'] * 2),
        (None, "null", "null"),
    ],
)
def test_a_string_is_its_text_unless_json_is_asked_for(
    value: object, plain: str, quoted: str
) -> None:
    frozen = None if value is None else Json.of(value)
    is_text = isinstance(value, str)
    assert data_line(frozen, is_json=False) == Output("stdout", f"{plain}\n", is_json=not is_text)
    assert data_line(frozen, is_json=True) == Output("stdout", f"{quoted}\n", is_json=True)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(value=json_values, seed=st.randoms(use_true_random=False))
def test_equal_data_is_the_same_line_in_whatever_order_it_was_made(
    value: object, seed: random.Random
) -> None:
    def shuffled(part: object) -> object:
        if isinstance(part, dict):
            members = [(name, shuffled(member)) for name, member in part.items()]
            seed.shuffle(members)
            return dict(members)
        return [shuffled(item) for item in part] if isinstance(part, list) else part

    line = data_line(Json.of(value), is_json=True)
    assert line == data_line(Json.of(shuffled(value)), is_json=True)
    assert line.text.count("\n") == 1
    assert json.loads(line.text) == value


def test_ndjson_is_each_event_in_one_line_and_nothing_else() -> None:
    projection = NdjsonProjection()
    outputs = [one for outputs in outputs_of(projection, STREAM) for one in outputs]
    assert {(output.stream, output.is_json) for output in outputs} == {("stdout", True)}
    assert all(output.text.index("\n") == len(output.text) - 1 for output in outputs)
    assert [json.loads(output.text) for output in outputs] == [e.to_wire() for e in STREAM]
    assert projection.finish() == Ending("represented-error", Json.of({"files": 1}))


def test_a_snapshot_is_written_without_serialising_again_what_did_not_change() -> None:
    projection = NdjsonProjection()
    chunks = [Chunk((TextNode(str(number)),)) for number in range(3)]

    def feed(sequence: int) -> str:
        root = ResultNode(tuple(chunks), None, size=0, media=0, errors=0)
        document = AgentDocument(status="success", root=root)
        (output,) = projection.feed(ReplaceEvent(sequence, "b:0", document))
        return output.text

    feed(0)
    kept = [chunk.wire_text() for chunk in chunks]
    chunks[1] = Chunk((TextNode("new"),))
    assert '"0"},{"kind":"text","text":"new"},{"kind":"text","text":"2"' in feed(1)
    assert chunks[0].wire_text() is kept[0]
    assert chunks[2].wire_text() is kept[2]


@pytest.mark.parametrize(
    "make",
    [
        MarkdownProjection,
        JsonProjection,
        NdjsonProjection,
        functools.partial(DataProjection, is_json=True),
    ],
)
def test_a_stream_without_complete_has_no_ending(
    make: Callable[[], Projection[Output, Ending]],
) -> None:
    projection = make()
    outputs_of(projection, STREAM[:-1])
    with pytest.raises(StreamError, match="without `complete`") as caught:
        projection.finish()
    assert caught.value.code == "stream-incomplete"


@pytest.mark.parametrize("projection", [MarkdownProjection(), JsonProjection()])
def test_an_error_without_message_is_its_code(
    projection: MarkdownProjection | JsonProjection,
) -> None:
    (output,) = projection.feed(ErrorEvent(1, Failure("E_1", ""), "b:0"))
    assert output == Output("stderr", "[E_1]\n")


@pytest.mark.parametrize(
    ("mode", "output"),
    [
        ("tty", Output("stderr", "[render-failed] it's “over”\n")),
        ("markdown", Output("stderr", "[render-failed] it's “over”\n")),
        (
            "json",
            Output(
                "stderr",
                '{"error":{"code":"render-failed","message":"it\'s “over”"}}\n',
                is_json=True,
            ),
        ),
        (
            "ndjson",
            Output(
                "stdout",
                '{"type":"error","sequence":7,"error":'
                '{"code":"render-failed","message":"it\'s “over”","data":[1.0]}}\n',
                is_json=True,
            ),
        ),
    ],
)
def test_a_failed_invocation_is_told_once_in_the_form_of_its_mode(
    mode: OutputMode, output: Output
) -> None:
    failure = Failure("render-failed", "it's “over”", Json.of([1.0]))
    error = InvocationError(failure.code, failure.message, event=ErrorEvent(7, failure))
    assert list(failure_lines(error, mode)) == [output]


# ------------------------------------------------------------------------------------ bytes


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        ("é✓😀", "utf-8", "é✓😀".encode()),
        ("a\ud800b\udfffc", "utf-8", "a\ufffdb\ufffdc".encode()),
        ("a\udce9", "UTF8", "a\ufffd".encode()),
        ("\ud800", "utf-16-le", b"\xfd\xff"),
        ("é✓😀", "cp1252", b"\xe9\\u2713\\U0001f600"),
        ("é\ud800", "ascii", b"\\xe9\\ud800"),
    ],
)
def test_what_an_encoding_cannot_carry_is_replaced(
    text: str, encoding: str, expected: bytes
) -> None:
    assert encodable(text, encoding) == expected
    assert Output("stderr", text).encoded(encoding) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain é✓😀\n\ttext\r\n", "plain é✓😀\n\ttext\r\n"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("10%\r20%\r\r\n\r", "10%\\x0d20%\\x0d\r\n\\x0d"),
        ("\x9b31m\x85\x7f\x00\x08", "\\x9b31m\\x85\\x7f\\x00\\x08"),
        ("\u202eevil\u202c\u2066x\u2069", "\\u202eevil\\u202c\\u2066x\\u2069"),
        ("[red]x[/red] :smile: \u200f\u00a0", "[red]x[/red] :smile: \u200f\u00a0"),
    ],
)
def test_a_terminal_is_shown_what_it_would_obey(text: str, expected: str) -> None:
    assert printable(text) == expected
    output = Output("stdout", text)
    assert output.encoded("utf-8", on_terminal=True) == expected.encode()
    assert output.encoded("utf-8") == text.encode()


@pytest.mark.parametrize("is_json", [False, True])
def test_an_unknown_encoding_is_a_lookup_error(is_json: bool) -> None:
    with pytest.raises(LookupError):
        Output("stdout", "é", is_json=is_json).encoded("no-such-encoding")


@pytest.mark.parametrize(
    ("encoding", "on_terminal", "expected"),
    [
        ("utf-8", False, '["é\x9b😀"]'.encode()),
        ("utf-8", True, '["é\\u009b😀"]'.encode()),
        ("cp1252", False, b'["\\u00e9\\u009b\\ud83d\\ude00"]'),
        ("cp1252", True, b'["\\u00e9\\u009b\\ud83d\\ude00"]'),
        ("utf-16-le", False, '["\\u00e9\\u009b\\ud83d\\ude00"]'.encode("utf-16-le")),
    ],
)
def test_json_is_utf_8_or_escaped(encoding: str, on_terminal: bool, expected: bytes) -> None:
    output = Output("stdout", '["é\x9b😀"]', is_json=True)
    assert output.encoded(encoding, on_terminal=on_terminal) == expected


def test_json_made_by_hand_may_hold_a_lone_surrogate() -> None:
    output = Output("stdout", '["\ud800"]', is_json=True)
    assert output.encoded("ascii") == b'["\\ud800"]'
    assert output.encoded("utf-8") == '["\ufffd"]'.encode()


@given(text=any_text, encoding=st.sampled_from(ENCODINGS), on_terminal=st.booleans())
def test_encoding_text_never_fails_and_changes_only_what_it_must(
    text: str, encoding: str, on_terminal: bool
) -> None:
    encoded = Output("stdout", text).encoded(encoding, on_terminal=on_terminal)
    told = printable(text) if on_terminal else text
    try:
        assert encoded == told.encode(encoding)
    except UnicodeEncodeError:
        assert encoded.decode(encoding) not in {"", told}


@given(text=any_text)
def test_a_terminal_has_nothing_left_to_obey(text: str) -> None:
    told = printable(text)
    assert all(one.isprintable() or one in "\t\n\r" or ord(one) >= 0xA0 for one in told)
    assert "\r" not in told.replace("\r\n", "\n")
    assert not any(0x202A <= ord(one) <= 0x202E or 0x2066 <= ord(one) <= 0x2069 for one in told)
    assert printable(told) == told


@given(
    value=st.dictionaries(any_text, any_text | st.floats(-1, 1)),
    encoding=st.sampled_from(ENCODINGS),
    on_terminal=st.booleans(),
)
def test_a_json_line_means_the_same_in_every_encoding_and_on_a_terminal(
    value: object, encoding: str, on_terminal: bool
) -> None:
    document = document_of(value=value)
    assert document.value is not None
    (output,) = JsonProjection().feed(CompleteEvent(0, document))
    line = output.encoded(encoding, on_terminal=on_terminal).decode(encoding)
    assert line.index("\n") == len(line) - 1
    assert json.loads(line) == document.value.value
    assert not on_terminal or printable(line) == line
