"""What the command line writes when nobody watches: Markdown, one JSON value, or all events.

Three projections and the text of a failure.  They decide which text goes to which stream; the
sink of the surface above writes it, one `Output` at a time, and flushes after each, so that a
reader of NDJSON sees an event when it happens.  Not here: layouts, colours and repainting, which
are the terminal's, and exit codes, which the shell chooses from the `Ending`.

    mode       standard output                     standard error
    data       a string, or one line of JSON       likewise, as for Markdown
    markdown   the document, after `complete`      `[code] message` for each error event, at once
    json       the value, or null, in one line     likewise
    ndjson     each event in one line              nothing

Rules of the bytes, kept by `Output.encoded` and the two functions that it is made of:
* A pipe or a file gets the author's text as it is; a terminal gets it `printable`.
* Encoding never fails.  On a Unicode stream a lone surrogate becomes U+FFFD; on any other, what
  the encoding cannot carry becomes a backslash escape.
* JSON stays JSON: on a UTF-8 stream it is UTF-8, on any other it is ASCII with JSON escapes.
"""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

import attrs

from trio_agent.errors import StreamError
from trio_agent.protocol.markdown import document_markdown
from trio_agent.shown import shown
from trio_agent.vocabulary.event import CompleteEvent, ErrorEvent, Failure
from trio_agent.vocabulary.json import Json, escape_surrogates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.errors import InvocationError
    from trio_agent.vocabulary.document import AgentDocument, Status
    from trio_agent.vocabulary.event import RenderEvent

Stream: TypeAlias = Literal["stdout", "stderr"]

OutputMode: TypeAlias = Literal["tty", "markdown", "json", "ndjson"]

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]")
_OBEYED: Final = re.compile(
    r"\r(?!\n)"  # before a line feed it only goes where the line feed goes anyway
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    "\u202a-\u202e\u2066-\u2069]"
)
"""Control characters but tab and line end, and the characters that reorder a line (UAX #9)."""


@final
@attrs.frozen
class Output:
    """A piece of text for one of the two streams; to be written whole, and flushed.

    Attributes:
        stream: where it goes.
        text: ends with a line feed.
        is_json: JSON lines, and nothing else.
    """

    stream: Stream
    text: str
    is_json: bool = attrs.field(default=False, kw_only=True)

    __repr__ = shown

    def encoded(self, encoding: str, *, on_terminal: bool = False) -> bytes:
        """The bytes to write; never fails, by the rules of this module.

        Args:
            encoding: that of the stream, as Python calls it.
            on_terminal: the stream is a terminal, so nothing in the text may be obeyed by it.

        Raises:
            LookupError: Python knows no such encoding.
        """
        if not self.is_json:
            return encodable(printable(self.text) if on_terminal else self.text, encoding)
        text = _OBEYED.sub(_json_escape, self.text) if on_terminal else self.text
        if not text.isascii() and codecs.lookup(encoding).name != "utf-8":
            text = _NOT_ASCII.sub(_json_escape, text)
        return encodable(text, encoding)


@final
@attrs.frozen
class Ending:
    """How the document of an invocation came out, for the choice of an exit code."""

    status: Status
    value: Json | None

    __repr__ = shown


def encodable(text: str, encoding: str) -> bytes:
    r"""Encode *text*, whatever is in it.

    In an encoding of Unicode only lone surrogates cannot be carried, and each becomes U+FFFD.
    In any other, what cannot be carried becomes a Python escape such as `\u2713`.

    Raises:
        LookupError: Python knows no such encoding.
    """
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        pass
    if codecs.lookup(encoding).name.startswith("utf"):
        return _SURROGATE.sub("\ufffd", text).encode(encoding)
    return text.encode(encoding, "backslashreplace")


def printable(text: str) -> str:
    r"""*text* with everything that a terminal would obey shown as an escape such as `\x1b`.

    Tabs and line ends (`\n` and `\r\n`) stay.
    """
    return _OBEYED.sub(_visible, text)


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _json_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join([f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2)])


@final
class MarkdownProjection:
    """The final document as one piece of Markdown; errors of boundaries as they happen."""

    __slots__ = ("_ending",)

    def __init__(self) -> None:
        self._ending: Ending | None = None

    def feed(self, event: RenderEvent) -> Sequence[Output]:
        """Take the next event; only an error and a `complete` that is not empty say anything."""
        if isinstance(event, ErrorEvent):
            return (_error_line(event.error.code, event.error.message),)
        if not isinstance(event, CompleteEvent):
            return ()
        self._ending = _ending_of(event.document)
        text = document_markdown(event.document)
        return (Output("stdout", text),) if text else ()

    def finish(self) -> Ending:
        """How it ended.

        Raises:
            StreamError: `stream-incomplete`, there was no `complete`.
        """
        return _known(self._ending)


@final
class DataProjection:
    """The answer of a command that returns data, as one line; errors as they happen.

    Args:
        is_json: a string is quoted, too.
    """

    __slots__ = ("_ending", "_is_json")

    def __init__(self, *, is_json: bool) -> None:
        self._ending: Ending | None = None
        self._is_json: Final = is_json

    def feed(self, event: RenderEvent) -> Sequence[Output]:
        """Take the next event; only an error and `complete` say anything."""
        if isinstance(event, ErrorEvent):
            return (_error_line(event.error.code, event.error.message),)
        if not isinstance(event, CompleteEvent):
            return ()
        self._ending = _ending_of(event.document)
        return (data_line(event.document.value, is_json=self._is_json),)

    def finish(self) -> Ending:
        """How it ended.

        Raises:
            StreamError: `stream-incomplete`, there was no `complete`.
        """
        return _known(self._ending)


def data_line(value: Json | None, *, is_json: bool) -> Output:
    """Data as it is printed: a string as it is, anything else in canonical JSON, one line.

    Args:
        value: of the document.
        is_json: a string is JSON, too.
    """
    plain = None if value is None else value.value
    if isinstance(plain, str) and not is_json:
        return Output("stdout", f"{plain}\n")
    text = json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return _json_line("stdout", escape_surrogates(text))


@final
class JsonProjection:
    """The final value as one line of JSON; errors of boundaries as they happen."""

    __slots__ = ("_ending",)

    def __init__(self) -> None:
        self._ending: Ending | None = None

    def feed(self, event: RenderEvent) -> Sequence[Output]:
        """Take the next event; only an error and `complete` say anything."""
        if isinstance(event, ErrorEvent):
            return (_error_line(event.error.code, event.error.message),)
        if not isinstance(event, CompleteEvent):
            return ()
        self._ending = _ending_of(event.document)
        value = event.document.value
        return (_json_line("stdout", "null" if value is None else value.text),)

    def finish(self) -> Ending:
        """How it ended.

        Raises:
            StreamError: `stream-incomplete`, there was no `complete`.
        """
        return _known(self._ending)


@final
class NdjsonProjection:
    """Every event as one line of JSON, as it happens.

    A snapshot is put together from the texts that its unchanged parts kept from the one before.

    Attributes:
        sequence: of the event that would come next.
    """

    __slots__ = ("_ending", "sequence")

    def __init__(self) -> None:
        self._ending: Ending | None = None
        self.sequence: int = 0

    def feed(self, event: RenderEvent) -> Sequence[Output]:
        """Take the next event: exactly one line."""
        self.sequence = event.sequence + 1
        if isinstance(event, CompleteEvent):
            self._ending = _ending_of(event.document)
        return (_json_line("stdout", event.wire_text()),)

    def finish(self) -> Ending:
        """How it ended.

        Raises:
            StreamError: `stream-incomplete`, there was no `complete`.
        """
        return _known(self._ending)


def failure_lines(error: InvocationError, mode: OutputMode) -> Sequence[Output]:
    """What is written when the invocation failed, after the outputs of its events.

    Args:
        error: what `Runtime.invoke` raised; its terminal event was not fed to a projection.
        mode: `ndjson` writes the terminal event to standard output and nothing else; `json` one
            line `{"error":{"code":...,"message":...}}` to standard error; the others
            `[code] message` to standard error.
    """
    if mode == "ndjson":
        return (_json_line("stdout", Json.of(error.event.to_wire(), "event").text),)
    if mode == "json":
        failure = Failure(error.code, error.message)
        return (_json_line("stderr", f'{{"error":{failure.wire_text()}}}'),)
    return (_error_line(error.code, error.message),)


def _error_line(code: str, message: str) -> Output:
    return Output("stderr", f"[{code}] {message}".rstrip() + "\n")


def _json_line(stream: Stream, text: str) -> Output:
    return Output(stream, f"{text}\n", is_json=True)


def _ending_of(document: AgentDocument) -> Ending:
    return Ending(document.status, document.value)


def _known(ending: Ending | None) -> Ending:
    if ending is None:
        raise StreamError("stream-incomplete", "the events ended without `complete`")
    return ending
