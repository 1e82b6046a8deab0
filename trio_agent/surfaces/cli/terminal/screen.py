"""The live picture: what a terminal shows while an invocation runs.  Pure.

Events go in, lines for a given width, height and moment come out.  There is one line for each
placeholder of the current document, in its order, then one for each source of progress, in the
order of their first reports:

    Working          [======>                 ]  1/4 12s      a total is known
    | Inspecting files (3) 1:05                               it is not
      | Reading tags 4s                                       within what has settled
    hashing          [=======>                ] 3/10          a source

A placeholder has the time since it became visible; which are nested is told in `placeholders`.
As long as there was no event at all, one line says what is waited for, if anything is.

Rules of the lines:
* None is wider than asked for, counted in cells: a CJK character and most emoji take two.  What
  terminals disagree about, such as a family of joined emoji, counts as its widest form.
* There are never more of them than asked for; the last then says how many are not shown.
* A message is data: one line, nothing in it is obeyed by a terminal, and it is cut before the
  counter is.
* A narrow line has no time, and one that is narrower still no indentation: the width alone
  decides that, so that nothing jumps while a time grows.
* Beside the messages there is only ASCII: bars of any other character are twice as wide where
  "ambiguous" characters are.

Not here: escape sequences, the terminal's size, and when to look.  Above: `painter`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import attrs
from rich.cells import cell_len

from trio_agent.protocol.output import encodable, printable
from trio_agent.shown import shown
from trio_agent.surfaces.cli.terminal.placeholders import following
from trio_agent.vocabulary.event import ProgressEvent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trio_agent.surfaces.cli.terminal.placeholders import Placeholder
    from trio_agent.vocabulary.document import AgentDocument
    from trio_agent.vocabulary.event import RenderEvent

_SPINNER: Final = "|/-\\"
_TURN_S: Final = 0.125
"""Seconds that a position of the spinner stays."""

_WIDEST_BAR: Final = 26
_NARROWEST_BAR: Final = 8
"""Brackets included.  A shorter bar says less than the counter beside it."""

_LEAST_LABEL: Final = 16
"""Cells of a label that a bar may not take."""

_TIMED: Final = 24
"""Cells of a line that has room for a time."""

_INDENTED: Final = 40
"""Cells of a line that has room for indentation, at most a quarter of it."""

_STEP: Final = 2
"""Cells of one level of nesting."""

_EXACT: Final = 1e15
"""Above it, a float has no digits behind the point."""

_UNNAMED: Final = "working"


@final
@attrs.frozen
class _Meter:
    """One line before it is fitted into a width."""

    label: str
    completed: float
    total: float | None
    depth: int = 0
    since: float | None = None

    __repr__ = shown

    @property
    def counter(self) -> str:
        done = _number(self.completed)
        return done if self.total is None else f"{done}/{_number(self.total)}"


@final
@attrs.frozen
class _Moment:
    """What all lines of one picture have in common."""

    width: int
    now: float

    __repr__ = shown

    @property
    def spinner(self) -> str:
        return _SPINNER[int(self.now / _TURN_S) % len(_SPINNER)]

    def time_of(self, meter: _Meter) -> str:
        """How long there has been something to wait for, with a space before it."""
        if meter.since is None or self.width < _TIMED:
            return ""
        return f" {elapsed(self.now - meter.since)}"

    def indentation_of(self, meter: _Meter) -> str:
        if self.width < _INDENTED:
            return ""
        return " " * min(meter.depth * _STEP, self.width // 4)


@final
class LivePicture:
    """What there is to see of one invocation at any moment.

    Args:
        encoding: of the terminal; what it cannot carry is measured as what is shown instead.
    """

    __slots__ = (
        "_began",
        "_document",
        "_encoding",
        "_has_begun",
        "_meters",
        "_placeholders",
        "_sources",
        "_waiting",
    )

    def __init__(self, encoding: str = "utf-8") -> None:
        self._encoding: Final = encoding
        self._document: AgentDocument | None = None
        self._began = 0.0
        self._placeholders: Sequence[Placeholder] = ()
        self._meters: Sequence[_Meter] = ()
        self._sources: Final[dict[str | None, _Meter]] = {}
        self._waiting: Sequence[_Meter] = ()
        self._has_begun = False

    def wait_for(self, what: str, since: float) -> None:
        """Show *what* until the first event; nothing happens when there was one."""
        if not self._has_begun:
            self._waiting = (_Meter(self._shown(what), 0, None, since=since),)

    def feed(self, event: RenderEvent, now: float) -> None:
        """Take the next event; costs nothing, however large its document is."""
        self._has_begun, self._waiting = True, ()
        if not isinstance(event, ProgressEvent):
            self._document = event.document or self._document
            self._began = now
            return
        named = (event.source, event.message)
        label = ": ".join(self._shown(part) for part in named if part is not None)
        self._sources[event.source] = _Meter(label, event.completed, event.total)

    def lines(self, width: int, height: int, now: float) -> list[str]:
        """The picture.

        Args:
            width: cells that a line may take.
            height: lines that there may be.
            now: seconds of the clock that `feed` was told of; turns the spinners.
        """
        meters = [*self._waiting, *self._read_placeholders(), *self._sources.values()]
        shown = meters if len(meters) <= height else meters[: max(height - 1, 0)]
        lines = list(_fit(shown, _Moment(width, now)))
        if len(shown) < len(meters) and height > 0:
            lines.append(cut(f"... and {len(meters) - len(shown)} more", width))
        return lines

    def _read_placeholders(self) -> Sequence[_Meter]:
        """Those of the current document; each document is walked at most once."""
        if self._document is not None:
            self._placeholders = following(self._placeholders, self._document.root, self._began)
            self._meters = [
                _Meter(
                    self._shown(one.node.message or ""),
                    one.node.completed,
                    one.node.total,
                    one.depth,
                    one.since,
                )
                for one in self._placeholders
            ]
            self._document = None
        return self._meters

    def _shown(self, text: str) -> str:
        one_line = printable(" ".join(text.split()))
        return encodable(one_line, self._encoding).decode(self._encoding)


def _fit(meters: Sequence[_Meter], moment: _Moment) -> Iterator[str]:
    """One line for each meter; bars stand below each other."""
    measured = [meter for meter in meters if meter.total is not None]
    column = max(
        (len(moment.indentation_of(meter)) + cells(meter.label) for meter in measured), default=0
    )
    digits = max((len(meter.counter) for meter in measured), default=0)
    for meter in meters:
        if meter.total is None:
            yield _spinning(meter, moment)
        else:
            part = meter.completed / meter.total if meter.total else 1.0
            yield _measured(meter, moment, part, (column, digits))


def _spinning(meter: _Meter, moment: _Moment) -> str:
    counter = f" ({meter.counter})" if meter.completed else ""
    end = counter + moment.time_of(meter)
    indentation = moment.indentation_of(meter)
    room = max(moment.width - len(indentation) - len(end) - 2, 0)
    line = f"{indentation}{moment.spinner} {cut(meter.label or _UNNAMED, room)}{end}"
    return cut(line, moment.width)


def _measured(meter: _Meter, moment: _Moment, part: float, columns: tuple[int, int]) -> str:
    column, digits = columns
    time = moment.time_of(meter)
    width = moment.width - len(time)
    text = moment.indentation_of(meter) + meter.label
    room = max(width - digits - 1, 0)
    bar = min(_WIDEST_BAR, room - min(column + 1, _LEAST_LABEL + 1) if column else room)
    if bar < _NARROWEST_BAR:
        return cut(f"{cut(meter.label, room)} {meter.counter}".lstrip() + time, moment.width)
    label = cut(text, min(column, room - bar - 1))
    padding = " " * (min(column, room - bar - 1) - cells(label))
    gap = " " if column else ""
    return f"{label}{padding}{gap}{_bar(bar - 2, part)} {meter.counter.rjust(digits)}{time}"


def _bar(width: int, part: float) -> str:
    done = int(width * part)
    body = "=" * done if done >= width else "=" * done + ">"
    return f"[{body.ljust(width)}]"


def elapsed(seconds: float) -> str:
    """Seconds as people read them: `12s`, `1:05`, `1:00:05`."""
    whole = max(int(seconds), 0)
    if whole < 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _number(value: float) -> str:
    if abs(value) < _EXACT and value == int(value):
        return str(int(value))
    return f"{value:.4g}"


def cells(text: str) -> int:
    """How many cells *text* takes, at most; see the rules of this module."""
    # Each VARIATION SELECTOR-16 may make the character before it wide.
    return sum(map(cell_len, text)) + text.count("\ufe0f")


def cut(text: str, width: int) -> str:
    """*text* in at most *width* cells; dots stand for what is missing, where they fit."""
    if cells(text) <= width:
        return text
    dots = "..." if width > len("...") else ""
    room = width - len(dots)
    end = 0
    for character in text:
        room -= cells(character)
        if room < 0:
            break
        end += 1
    return text[:end].rstrip() + dots
