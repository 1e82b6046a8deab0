"""Telling: what a component passes on to its host without waiting for anything.

It checks what is told on the author's own line, makes a `Notice` of it and leaves the sending to
the invocation.  Where there is no host, a line for its log goes to Python's logging instead, so
that it is not lost on a command line; the others concern nobody there and are dropped.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, final, get_args

from trio_agent.context.host import (
    ListChanged,
    ListKind,
    LogLevel,
    LogNotice,
    ResourceUpdated,
    StreamEnd,
)
from trio_agent.vocabulary.field import check_not_blank, refuse
from trio_agent.vocabulary.json import Json

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.context.host import Notice

_log: Final = logging.getLogger("trio_agent.author")

_SEVERITIES: Final[dict[str, int]] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "notice": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
    "alert": logging.CRITICAL,
    "emergency": logging.CRITICAL,
}
"""What Python has for the eight levels."""


def log_notice(notice: Notice) -> None:
    """Give a line for the host's log to Python's logging, where there is no such host."""
    if not isinstance(notice, LogNotice):
        return
    data = notice.data.value
    if notice.logger is None:
        _log.log(_SEVERITIES[notice.level], "%s", data)
    else:
        _log.log(_SEVERITIES[notice.level], "%s: %s", notice.logger, data)


@final
class Telling:
    """What one invocation tells its host.

    Args:
        send: takes a notice, in any thread, and never waits; None where there is no host.
    """

    __slots__ = ("_send",)

    def __init__(self, send: Callable[[Notice], None] | None) -> None:
        self._send: Final = send

    def log(self, level: LogLevel, data: object, logger: str | None) -> None:
        """See `AgentRequest.log`."""
        if level not in _SEVERITIES:
            refuse("the level of log()", f"one of {', '.join(_SEVERITIES)}", level)
        if logger is not None:
            check_not_blank("the logger of log()", logger)
        json = Json.of(data, "data")
        notice = LogNotice(level, json, logger)
        if self._send is None:
            log_notice(notice)
        else:
            self._send(notice)

    def resource_updated(self, uri: str) -> None:
        """See `AgentRequest.resource_updated`."""
        check_not_blank("the URI of resource_updated()", uri)
        self._pass_on(ResourceUpdated(uri))

    def list_changed(self, kind: ListKind) -> None:
        """See `AgentRequest.list_changed`."""
        kinds = get_args(ListKind)
        if kind not in kinds:
            refuse("the kind of list_changed()", f"one of {', '.join(kinds)}", kind)
        self._pass_on(ListChanged(kind))

    def end_stream(self) -> None:
        """See `AgentRequest.end_stream`."""
        self._pass_on(StreamEnd())

    def _pass_on(self, notice: Notice) -> None:
        if self._send is not None:
            self._send(notice)
