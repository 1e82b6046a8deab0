"""A terminal for tests: real child processes on real pseudo terminals, modelled by pyte.

`Watched` runs `trio-agent` with its streams on a terminal and follows what is on the screen.
Nothing sleeps: a test waits for what it expects to see, and fails by name if that does not come
within half a minute.  `run` is for pipes and files.
"""

import fcntl
import os
import selectors
import signal
import struct
import subprocess
import sys
import termios
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pyte

from trio_agent.surfaces.cli.terminal.graphics import QUESTION

PATIENCE_S = 30.0

# A terminal only sends signals to the session that it controls.
_TAKE_TERMINAL = (
    "import fcntl, os, sys, termios;"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.argv[1], sys.argv[1:])"
)
_KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "VIRTUAL_ENV")


def environment(settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment without anything that says what a terminal can do, but `TERM`."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or name.startswith(("COV", "PYTHONWARN"))
    }
    return kept | {"TERM": "xterm-256color"} | dict(settings or {})


def program(*words: str) -> list[str]:
    """The command line of `trio-agent` with these words."""
    return [sys.executable, "-P", "-m", "trio_agent", *words]


def write_plugin(folder: Path, commands: Mapping[str, str], *, name: str = "demo") -> Path:
    """A plugin of these commands, by file name below `cli`."""
    root = folder / name
    for path, text in commands.items():
        file = root / "cli" / f"{path}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")
    return root


def run(
    words: Sequence[str],
    *,
    cwd: Path,
    stdin: int | None = subprocess.DEVNULL,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
    settings: Mapping[str, str] | None = None,
) -> "subprocess.CompletedProcess[bytes]":
    """Run `trio-agent` without a terminal, to its end."""
    return subprocess.run(
        program(*words),
        cwd=cwd,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=environment(settings),
        timeout=PATIENCE_S,
        check=False,
    )


class Screen(pyte.Screen):
    """A screen that wraps its lines anew when it becomes narrower, as most terminals do."""

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        narrower = columns or self.columns
        if narrower >= self.columns:
            super().resize(lines, columns)
            return
        old, row, column = self.display, self.cursor.y, self.cursor.x
        used = [text.rstrip() for text in old[: row + 1]]
        pieces = [
            text[start : start + narrower]
            for text in used
            for start in range(0, max(len(text), 1), narrower)
        ]
        super().resize(lines, columns)
        self.reset()
        pieces = pieces[-self.lines :]
        for position, piece in enumerate(pieces):
            self.cursor_position(position + 1, 1)
            self.draw(piece)
        self.cursor_position(len(pieces), min(column % narrower, narrower - 1) + 1)


class Watched:
    """`trio-agent` on a terminal.

    Args:
        words: of the command line.
        cwd: where it runs.
        columns: width of the terminal.
        rows: height of the terminal.
        piped_stdout: standard output is a pipe; what comes out is in `piped`.
        settings: environment variables.
        shell: what a shell with job control does; `"$@"` is the program.
        answer: what the terminal says when it is asked what it can draw.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        cwd: Path,
        columns: int = 80,
        rows: int = 24,
        piped_stdout: bool = False,
        settings: Mapping[str, str] | None = None,
        shell: str | None = None,
        answer: bytes = b"",
    ) -> None:
        self.screen = Screen(columns, rows)
        self.raw = b""
        self.piped = b""
        self._answer = answer
        self._stream = pyte.ByteStream(self.screen)
        self._terminal, inner = os.openpty()
        self._set_size(columns, rows)
        stdout = subprocess.PIPE if piped_stdout else inner
        shell_words = [] if shell is None else ["/bin/bash", "-c", f"set -m\n{shell}", "bash"]
        taken = [*shell_words, *program(*words)]
        command = [sys.executable, "-I", "-S", "-c", _TAKE_TERMINAL, *taken]
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=inner,
            stdout=stdout,
            stderr=inner,
            env=environment(settings),
            start_new_session=True,
        )
        os.close(inner)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._terminal, selectors.EVENT_READ)
        if self.process.stdout is not None:
            self._selector.register(self.process.stdout, selectors.EVENT_READ)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.wait()
        self._selector.close()
        os.close(self._terminal)
        if self.process.stdout is not None:
            self.process.stdout.close()

    @property
    def lines(self) -> list[str]:
        """What is on the screen, without the blank end."""
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip().split("\n")

    @property
    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.lines)

    @property
    def was_asked(self) -> bool:
        """Whether the program has asked what the terminal can draw."""
        return QUESTION in self.raw

    @property
    def echoes_lines(self) -> bool:
        """Whether the terminal treats keys as a shell expects it."""
        flags: int = termios.tcgetattr(self._terminal)[3]
        return flags & termios.ECHO != 0 and flags & termios.ICANON != 0

    def wait_for(self, expected: str | Callable[[str], bool]) -> None:
        """Follow the screen until it shows *expected*."""
        deadline = time.monotonic() + PATIENCE_S
        while not self._shows(expected):
            assert time.monotonic() < deadline, f"not seen: {expected!r}; but:\n{self.text}"
            goes_on = self._read()
            assert goes_on or self._shows(expected), f"ended without {expected!r}:\n{self.text}"

    def follow_until(self, has_happened: Callable[[], bool]) -> None:
        """Follow the screen until something else has happened."""
        self.wait_for(lambda _: has_happened())

    def _shows(self, expected: str | Callable[[str], bool]) -> bool:
        return expected in self.text if isinstance(expected, str) else expected(self.text)

    def finish(self) -> int:
        """Follow to the end; the exit code."""
        deadline = time.monotonic() + PATIENCE_S
        while self._read():
            assert time.monotonic() < deadline, f"still running:\n{self.text}"
        return self.process.wait(PATIENCE_S)

    def _read(self) -> bool:
        """Take what there is; False when all streams have ended."""
        for key, _ in self._selector.select(0.2):
            try:
                data = os.read(key.fd, 65536)
            except OSError:  # how Linux says that nobody has the terminal open any more
                data = b""
            if not data:
                self._selector.unregister(key.fileobj)
            elif key.fd == self._terminal:
                was_asked = self.was_asked
                self.raw += data
                self._stream.feed(data)
                if self.was_asked and not was_asked:
                    self.type(self._answer)
            else:
                self.piped += data
        return bool(self._selector.get_map())

    def type(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self._terminal, keys)

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process alone."""
        self.process.send_signal(number)

    def resize(self, columns: int, rows: int) -> None:
        """Make the window another size."""
        self.screen.resize(rows, columns)
        self._set_size(columns, rows)

    def _set_size(self, columns: int, rows: int) -> None:
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, size)
