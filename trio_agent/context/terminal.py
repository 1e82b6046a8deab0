"""The terminal axis: what the two output streams can show, decided by us and by nobody else.

Two halves.  The decisions (`decide_color`, `decide_size`, `decide_repainting`,
`decide_sharing`) are pure: the facts and the environment as a mapping go in, a value comes out.
`probe_terminal` and `current_size` ask the operating system for the facts, nothing else.

Not known here: escape codes, rich, layouts, how often anything is painted.  The command line
above hands these values to its printer explicitly, so that no library reads the environment a
second time and comes to another answer.  Below are only the errors.

Rules kept here:
* A stream that does not exist has no colour, whatever the environment asks for.
* `mcp`, `hook` and `workbench` own no terminal: they report two absent streams, always, and
  nothing is asked on their behalf, not even when the process was started from a terminal.
* A probe never raises.  What cannot be found out is absent, unknown or false.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar, final, get_args

import attrs

from trio_agent.context.terminal_rules import decide_color, is_on, stated_extent
from trio_agent.errors import RequestError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HostSurface: TypeAlias = Literal["cli", "mcp", "hook", "script", "workbench"]
"""Which door the invocation came in by."""

StreamKind: TypeAlias = Literal["tty", "pipe", "none"]
"""A terminal; anything else that is open (a pipe, a file, a device); nothing."""

ColorDepth: TypeAlias = Literal["none", "basic", "256", "truecolor"]

PROBED_SURFACES: Final[frozenset[HostSurface]] = frozenset({"cli", "script"})

AGENT_SHELL_VARIABLES: Final = ("CLAUDECODE", "CURSOR_AGENT", "CODEX_CLI")
"""Set by coding agents in the shells they run: the reader is a model, even on a terminal."""

ChoiceT = TypeVar("ChoiceT", bound=str)


def refusal(place: str, expectation: str, received: object) -> RequestError:
    """Make the one error for a value that may not be part of a request."""
    return RequestError("invalid-invocation", f"{place} is {expectation}, received {received!r}")


def one_of(
    choices: tuple[ChoiceT, ...],
) -> Callable[[object, attrs.Attribute[ChoiceT], object], None]:
    """Make a field validator that refuses what a closed list does not have.

    The validator raises the `refusal`, with the whole list.
    """

    def check(instance: object, field: attrs.Attribute[ChoiceT], value: object) -> None:
        if value not in choices:
            place = f"{type(instance).__name__}.{field.name}"
            raise refusal(place, f"one of {', '.join(choices)}", value)

    return check


def _extent(instance: object, field: attrs.Attribute[int | None], value: object) -> None:
    if value is not None and (type(value) is not int or value < 1):
        place = f"{type(instance).__name__}.{field.name}"
        raise refusal(place, "a positive integer or None", value)


@final
@attrs.frozen(kw_only=True)
class TerminalSize:
    """A size in character cells.  None: nobody knows."""

    columns: int | None = attrs.field(default=None, validator=_extent)
    rows: int | None = attrs.field(default=None, validator=_extent)

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class TerminalStream:
    """What one output stream is and can show.

    Attributes:
        kind: a terminal, something else that is open, or nothing.
        color: the deepest colour that may be written to it.
        columns: width in cells; a pipe has one when `COLUMNS` says so.
        rows: height in cells; likewise with `LINES`.
    """

    kind: StreamKind = attrs.field(validator=one_of(get_args(StreamKind)))
    color: ColorDepth = attrs.field(default="none", validator=one_of(get_args(ColorDepth)))
    columns: int | None = attrs.field(default=None, validator=_extent)
    rows: int | None = attrs.field(default=None, validator=_extent)

    __repr__ = shown

    def to_wire(self) -> dict[str, object]:
        """The wire form; an unknown extent has no key."""
        wire: dict[str, object] = {"kind": self.kind, "color": self.color}
        if self.columns is not None:
            wire["columns"] = self.columns
        if self.rows is not None:
            wire["rows"] = self.rows
        return wire


_ABSENT: Final = TerminalStream(kind="none")


@final
@attrs.frozen(kw_only=True)
class Terminal:
    """Where the output of this process goes, as one value.

    Attributes:
        host_surface: the door the invocation came in by.
        stdout: the stream the document goes to.
        stderr: the stream the live part goes to.
        shares_target: both streams end in the same file or device.
        repaints: something may be drawn over itself on stderr.  A fact for whoever paints in
            this process, so it is not part of the wire form.

    Raises:
        RequestError: `invalid-invocation`, for a surface that owns no terminal but claims one.
    """

    host_surface: HostSurface = attrs.field(validator=one_of(get_args(HostSurface)))
    stdout: TerminalStream
    stderr: TerminalStream
    shares_target: bool = False
    repaints: bool = False

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        if self.host_surface in PROBED_SURFACES:
            return
        claims = (self.stdout, self.stderr, self.shares_target, self.repaints)
        if claims != (_ABSENT, _ABSENT, False, False):
            place = f"Terminal of the {self.host_surface} surface"
            raise refusal(place, "always Terminal.absent", self)

    @classmethod
    def absent(cls, host_surface: HostSurface) -> Terminal:
        """Two streams that are not there, without looking."""
        return cls(host_surface=host_surface, stdout=_ABSENT, stderr=_ABSENT)

    @classmethod
    def synthetic(cls, host_surface: HostSurface = "cli") -> Terminal:
        """For tests: one terminal of 80 by 24 in basic colour, on both streams."""
        stream = TerminalStream(kind="tty", color="basic", columns=80, rows=24)
        return cls(
            host_surface=host_surface,
            stdout=stream,
            stderr=stream,
            shares_target=True,
            repaints=True,
        )

    @classmethod
    def pipes(cls, host_surface: HostSurface = "cli") -> Terminal:
        """For tests: two separate pipes without colour or size."""
        stream = TerminalStream(kind="pipe")
        return cls(host_surface=host_surface, stdout=stream, stderr=stream)

    def to_wire(self) -> dict[str, object]:
        """The wire form."""
        return {
            "hostSurface": self.host_surface,
            "stdout": self.stdout.to_wire(),
            "stderr": self.stderr.to_wire(),
            "sharesTarget": self.shares_target,
        }


def decide_size(reported: TerminalSize, environ: Mapping[str, str]) -> TerminalSize:
    """Decide the size of a stream from what its device reports.

    `COLUMNS` and `LINES` each win when they are positive integers of at most six digits, on a
    pipe too; any other value of theirs is ignored.
    """
    return TerminalSize(
        columns=stated_extent(environ, "COLUMNS") or reported.columns,
        rows=stated_extent(environ, "LINES") or reported.rows,
    )


def decide_repainting(
    *, stdout: StreamKind, stderr: StreamKind, environ: Mapping[str, str]
) -> bool:
    """Decide whether the live part may be drawn over itself.

    Both streams are terminals (otherwise `| less` and `> file` would not be silent), and a
    person is watching.  Colour has no say in this.
    """
    return stdout == stderr == "tty" and is_watched(environ)


def is_watched(environ: Mapping[str, str]) -> bool:
    """Whether a terminal is one that a person looks at, and that can move its cursor.

    It cannot where `TERM` is `dumb`.
    """
    return environ.get("TERM") != "dumb" and has_person(environ)


def has_person(environ: Mapping[str, str]) -> bool:
    """Whether a person is there, who may read and type, on whatever terminal.

    Nobody is in a build (`CI` set, and not empty, `0` or `false`) or in an agent's shell (one of
    `AGENT_SHELL_VARIABLES` set and not empty).
    """
    return not is_on(environ, "CI") and not any(environ.get(name) for name in AGENT_SHELL_VARIABLES)


def decide_sharing(stdout: os.stat_result | None, stderr: os.stat_result | None) -> bool:
    """Decide whether two streams end in the same place; of an unknown one nothing is known."""
    if stdout is None or stderr is None:
        return False
    # Inode 0 is the platform saying that it has none to tell.
    return stdout.st_ino != 0 and (stdout.st_dev, stdout.st_ino) == (stderr.st_dev, stderr.st_ino)


def probe_terminal(
    host_surface: HostSurface,
    environ: Mapping[str, str],
    stdout_fd: int | None,
    stderr_fd: int | None,
) -> Terminal:
    """Ask the operating system what the two streams are.  Never raises, never writes.

    Args:
        host_surface: only `cli` and `script` are probed; the others get `Terminal.absent`.
        environ: the environment of the process.
        stdout_fd: descriptor of the output; None or a closed one is a stream of kind `none`.
        stderr_fd: likewise of the error output.
    """
    if host_surface not in PROBED_SURFACES:
        return Terminal.absent(host_surface)
    stdout = _probe_stream(stdout_fd, environ)
    stderr = _probe_stream(stderr_fd, environ)
    return Terminal(
        host_surface=host_surface,
        stdout=stdout,
        stderr=stderr,
        shares_target=decide_sharing(_status(stdout_fd), _status(stderr_fd)),
        repaints=decide_repainting(stdout=stdout.kind, stderr=stderr.kind, environ=environ),
    )


def current_size(fd: int | None, environ: Mapping[str, str]) -> TerminalSize:
    """Ask for the size once more, after a resize.  Never raises.

    The rules are those of the probe, so an exported `COLUMNS` keeps winning over the window.
    """
    return decide_size(_reported_size(fd), environ)


def _probe_stream(fd: int | None, environ: Mapping[str, str]) -> TerminalStream:
    kind = _probe_kind(fd)
    size = current_size(fd, environ)
    return TerminalStream(
        kind=kind, color=decide_color(kind, environ), columns=size.columns, rows=size.rows
    )


def _probe_kind(fd: int | None) -> StreamKind:
    if fd is None or _status(fd) is None:
        return "none"
    return "tty" if os.isatty(fd) else "pipe"


def _status(fd: int | None) -> os.stat_result | None:
    if fd is None:
        return None
    try:
        return os.fstat(fd)
    except (OSError, OverflowError):  # closed, or a number that no descriptor can have
        return None


def _reported_size(fd: int | None) -> TerminalSize:
    if fd is None:
        return TerminalSize()
    try:
        columns, rows = os.get_terminal_size(fd)
    except (OSError, OverflowError):  # not a terminal, closed, or no descriptor at all
        return TerminalSize()
    # A terminal that was never told its size reports zero.
    return TerminalSize(columns=columns or None, rows=rows or None)
