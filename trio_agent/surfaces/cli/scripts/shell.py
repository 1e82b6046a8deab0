"""Becoming a shell script: what it is started with, and the step that does not return.

A file that may be executed and begins with `#!` is started as the system starts it; any other is
given to `bash`, and where there is none a `.sh` to `sh`.
"""

from __future__ import annotations

import os
import shutil
import signal
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LONGEST_LINE: Final = 256
"""Bytes of the first line that Linux reads."""

_IGNORED: Final = frozenset({"SIGPIPE", "SIGXFSZ"})
"""Signals that Python ignores.  What is ignored stays so in the next program, where `yes | head`
would complain."""


def become(path: str, argv: Sequence[str]) -> str:
    """Become the shell script at *path*.

    Returns:
        Why that is not possible; otherwise it does not return.
    """
    interpreted = read_interpreter(path) if os.access(path, os.X_OK) else None
    command = shell_command(path, interpreted)
    if command is None:
        wanted = "bash" if path.endswith(".bash") else "bash or sh"
        return f"{path}: there is no {wanted} on the PATH to run it with"
    try:
        _replace_process([*command, *argv])
    except OSError as error:
        with_it = "" if interpreted is None else f", it begins with {interpreted!r}"
        return f"{path}: cannot be started: {error.strerror}{with_it}"


def read_interpreter(path: str) -> str | None:
    """The first line of the file, if it names an interpreter."""
    try:
        with open(path, "rb") as file:
            line = file.readline(_LONGEST_LINE)
    except OSError:
        # May be executed, may not be read: the interpreter will say so.
        return None
    return line.rstrip(b"\n").decode("utf-8", "replace") if line.startswith(b"#!") else None


def shell_command(
    path: str,
    interpreted: str | None,
    find: Callable[[str], str | None] = shutil.which,
) -> list[str] | None:
    """The program to start and its first words; None when there is no shell.

    Args:
        path: of the script.
        interpreted: its `#!` line, if the system obeys it.
        find: where a program is.
    """
    if interpreted is not None:
        return [path]
    shell = find("bash")
    if shell is None and not path.endswith(".bash"):
        shell = find("sh")
    return None if shell is None else [shell, path]


def _replace_process(command: list[str]) -> NoReturn:
    for number in [one for one in signal.Signals if one.name in _IGNORED]:
        signal.signal(number, signal.SIG_DFL)
    if os.name == "nt":  # pragma: no cover  # it cannot, and has no signals that would be lost
        # lazy: nobody else needs it.
        import subprocess  # noqa: PLC0415

        raise SystemExit(subprocess.run(command, check=False).returncode)  # noqa: S603  # the author's
    os.execv(command[0], command)  # noqa: S606  # the author's program, and no shell is wanted
