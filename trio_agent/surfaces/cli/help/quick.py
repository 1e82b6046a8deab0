"""Help that lists commands, and the version: answered before anything else is imported.

A person who asks what there is should not wait for what none of it needs.  So this looks at the
plugin with a `glance`, and says nothing of what takes more than that, nor of any mistake: then
the answer is None, and `shell` or `plugin_program` find the same text, or tell what is wrong, at
their own pace.  A property holds the two together.

Imports neither attrs nor typing.  Above: `__main__`, `console`.
"""

from __future__ import annotations

import os
import sys

from trio_agent.context.terminal_rules import decide_color, stated_extent
from trio_agent.routes.glance import describe_group, list_commands, read_settings
from trio_agent.routes.packages import find_folders, is_package_name
from trio_agent.surfaces.cli.help import overview
from trio_agent.surfaces.cli.help.listing import (
    COMPLETION_ROW,
    group_page,
    root_page,
    with_headings,
)
from trio_agent.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

_HELP: Final = frozenset({"-h", "--help"})
_STDOUT: Final = 1
_COLUMNS: Final = 80


def answer_quickly(
    words: Sequence[str], program: str = overview.PROGRAM, package: str | None = None
) -> int | None:
    """Print help or the version, if that is what is asked for; the exit code.

    Args:
        words: after the program's own name.
        program: its name.
        package: dotted name of the plugin that is a program of its own; None for `trio-agent`.

    Returns:
        None when nothing was printed: something else is asked for, or it takes more to tell.
    """
    if words and _HELP.isdisjoint(words) and words[0] not in {"--version", "run"}:
        return None
    columns = stated_extent(os.environ, "COLUMNS") or _reported_columns() or _COLUMNS
    if package is None:
        text = program_text(words, columns)
    else:
        text = package_text(package, program, words, columns)
    return None if text is None else _print(text)


def program_text(words: Sequence[str], columns: int) -> str | None:
    """What `trio-agent` prints for these words; None when that is not so easily told."""
    first = words[0] if words else "--help"
    if first in _HELP:
        return root_page(
            overview.PROGRAM,
            __version__,
            overview.PROGRAM,
            description=overview.DESCRIPTION,
            commands=overview.COMMANDS,
            options=(COMPLETION_ROW,),
            columns=columns,
        )
    if first == "--version":
        return f"{overview.PROGRAM} {__version__}\n"
    if first != "run" or len(words) == 1:
        return None
    reference = words[1]
    path = f"{overview.PROGRAM} run {reference}"
    if not os.path.isdir(reference):
        is_path = os.sep in reference or reference.startswith(".")
        return None if is_path else package_text(reference, path, words[2:], columns)
    root = os.path.abspath(reference)
    name = os.path.basename(root)
    return _plugin_text(root, name, "", path, words[2:], columns) if is_package_name(name) else None


def package_text(package: str, path: str, words: Sequence[str], columns: int) -> str | None:
    """The same for the words after an installed plugin.

    Args:
        package: its dotted name.
        path: what was typed to get there, `trio-agent run curator` or `curator`.
        words: after that.
        columns: what it is wrapped to.
    """
    parts = package.split(".")
    folders = find_folders(parts) if all(map(is_package_name, parts)) else []
    if len(folders) != 1:
        return None
    # Its version is that of its distribution, unless it says one itself.
    return _plugin_text(os.path.abspath(folders[0]), package, None, path, words, columns)


def _plugin_text(
    root: str, name: str, version: str | None, path: str, words: Sequence[str], columns: int
) -> str | None:
    group = [*words]
    for position, word in enumerate(words):
        if word.startswith("-"):
            group = [*words[:position]]
            if word not in _HELP:
                return None
            break
    if (group and len(group) == len(words)) or (settings := read_settings(root)) is None:
        return None
    commands = list_commands(root, group)
    version = settings.get("version", version)
    if commands is None or (version is None and not group):
        return None
    if group:
        return group_page(
            " ".join((path, *group)),
            description=describe_group(root, group),
            commands=commands.items(),
            columns=columns,
        )
    return root_page(
        settings.get("name", name),
        version or "",
        path,
        description=settings.get("description", ""),
        commands=commands.items(),
        options=() if " " in path else (COMPLETION_ROW,),
        columns=columns,
    )


def _reported_columns() -> int | None:
    try:
        return os.get_terminal_size(_STDOUT).columns or None
    except OSError:
        return None


def _print(text: str) -> int | None:
    stdout = sys.stdout
    # A terminal would obey what is not printable, and what an encoding cannot carry is escaped.
    if stdout is None or not all(line.isprintable() for line in text.split("\n")):
        return None
    if os.isatty(_STDOUT) and decide_color("tty", os.environ) != "none":
        text = with_headings(text)
    try:
        data = text.encode(stdout.encoding)
        written = os.write(_STDOUT, data)
    except (OSError, UnicodeError, LookupError):
        # Whoever comes next tells why, or writes it all the same.
        return None
    while written < len(data):
        # Whoever shares a pipe may have made it non-blocking, and then it takes what has room.
        try:
            written += os.write(_STDOUT, data[written:])
        except BlockingIOError:
            _wait_for_room()
        except OSError:
            return None
    return 0


def _wait_for_room() -> None:
    # lazy: help seldom fills a pipe.
    import select  # noqa: PLC0415

    select.select([], [_STDOUT], [])
