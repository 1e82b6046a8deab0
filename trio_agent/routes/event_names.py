"""The events of hosts that a plugin can answer, and the files that answer them.

    session/start          events/session/start.py
    model-switch/before    events/model_switch/before.py
    stop                   events/stop.py
    stop/failure           events/stop_failure.py

A host has its own word for each; that is for the hook surface.  Pure.  Above: `discovery`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

EVENTS: Final = (
    "agent/idle",
    "agent/start",
    "agent/stop",
    "compact/after",
    "compact/before",
    "config/change",
    "file/change",
    "model-switch/after",
    "model-switch/before",
    "permission/denied",
    "permission/request",
    "prompt/submit",
    "session/end",
    "session/start",
    "stop",
    "stop/failure",
    "task/complete",
    "task/create",
    "tool/after",
    "tool/before",
    "tool/failure",
    "workspace/open",
)
"""All 22, by name; those of the reference."""


def event_file(event: str) -> str:
    """The file that answers an event, below `events/`."""
    # A module `stop` and a folder `stop` cannot stand side by side.
    stem = "stop_failure" if event == "stop/failure" else event.replace("-", "_")
    return f"{stem}.py"


_BY_FILE: Final[Mapping[str, str]] = {event_file(event): event for event in EVENTS}
_BY_LETTERS: Final[Mapping[str, str]] = {
    "".join(filter(str.isalpha, event)): event for event in EVENTS
}


def event_of(file: str) -> str | None:
    """The event that a file below `events/` answers; None when there is none."""
    return _BY_FILE.get(file)


def advice_for(file: str) -> str:
    """What to do with a file below `events/` that answers none."""
    letters = "".join(filter(str.isalpha, file.removesuffix(".py"))).casefold()
    meant = _BY_LETTERS.get(letters)
    if meant is not None:
        return f"{meant} is answered by events/{event_file(meant)}"
    return f"there are {', '.join(EVENTS)}"
