"""Parcels: what travels on a link besides plain values, and what Trio's complaints mean there.

Only `Mark` is for users, who see it where a value could have been. There is no envelope around
ordinary values: it would cost an allocation for each.
"""

from __future__ import annotations

import enum
from typing import Final, final

import trio

from actors.errors import ActorError, EndClosedError, LinkTruncatedError, PeerGoneError

CLOSED: Final = "this end of the link has been closed by its owner"


@final
class Mark(enum.Enum):
    """What a receiver may get instead of a value. Match it as ``case Mark.FINISHED:``."""

    FINISHED = enum.auto()
    """The sender has nothing more to say, and this is no crash."""
    WOKEN = enum.auto()
    """The link has nothing yet, but the `Latest` is full."""


@final
class Last:
    """A value on its way together with the end."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value: Final[object] = value


def to_actor_error(
    error: trio.BrokenResourceError | trio.ClosedResourceError | trio.EndOfChannel,
) -> ActorError:
    """Say in the words of the kernel what a memory channel raised."""
    if isinstance(error, trio.BrokenResourceError):
        return PeerGoneError("the receiving actor closed its inbox")
    if isinstance(error, trio.EndOfChannel):
        return LinkTruncatedError("the sending actor left before it was finished")
    return EndClosedError(CLOSED)
