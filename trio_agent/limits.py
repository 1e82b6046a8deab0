"""Every budget of an invocation, in one frozen class.

All comparisons are "strictly more than the limit fails".  What each limit is charged with, and
where, is told in `protocol.ledger` and `protocol.gate`; this module only holds and checks the
numbers.  It sits at the bottom beside `errors`.
"""

from __future__ import annotations

import sys
from typing import Final, TypedDict, cast, final

import attrs

from trio_agent.errors import ContractError, abridge
from trio_agent.shown import shown

DEEPEST: Final = 256
"""No depth limit may be larger: the walks over JSON and over trees are recursive, two frames a
level at most, and Python stops at 1,000 frames of which the caller has used some."""

DAY_S: Final = 24 * 60 * 60.0
"""The ceiling a route may ask for; the reference's 86,400,000 ms."""

_NUMBERS: Final = frozenset({int, float})


def _count(_: object, field: attrs.Attribute[int], value: object) -> None:
    if type(value) is not int or value < 1:
        raise ContractError(
            "invalid-limits", f"{field.name} is a positive integer, received {abridge(value)}"
        )


def _depth(instance: object, field: attrs.Attribute[int], value: object) -> None:
    _count(instance, field, value)
    if isinstance(value, int) and value > DEEPEST:
        raise ContractError(
            "invalid-limits", f"{field.name} is at most {DEEPEST}, received {abridge(value)}"
        )


def _seconds(_: object, field: attrs.Attribute[float], value: object) -> None:
    # Compared, since math.isfinite fails on an integer that no float holds; NaN compares false.
    if type(value) not in _NUMBERS or not 0 < cast("float", value) <= sys.float_info.max:
        raise ContractError(
            "invalid-limits",
            f"{field.name} is a positive number of seconds, received {abridge(value)}",
        )


class LimitOverrides(TypedDict, total=False):
    """Some limits by name; what is not named stays as it was."""

    max_document_bytes: int
    max_document_depth: int
    max_document_nodes: int
    max_media_bytes: int
    max_event_bytes: int
    max_event_rate: int
    max_events: int
    max_elapsed_s: float
    max_component_depth: int
    max_frame_bytes: int


@final
@attrs.frozen(kw_only=True)
class Limits:
    """The budgets of one invocation.

    Defaults are those of the reference runtime where it has the limit.

    Attributes:
        max_document_bytes: UTF-8 bytes of compact JSON, of everything held at a time.
        max_document_depth: the root is 1; JSON nests on where it hangs.  At most 256.
        max_document_nodes: nodes and JSON values together.
        max_media_bytes: base64 characters of images, audio and blobs; these count here and
            not in `max_document_bytes`, so that a real picture fits beside a document.
        max_event_bytes: one event as JSON, media left out.
        max_event_rate: events in any second.  It delays, it never kills.
        max_events: events of one invocation, `complete` included.
        max_elapsed_s: seconds from the start for rendering and deferred work; not delivery.
        max_component_depth: nesting of components, lists and elements.  At most 256.
        max_frame_bytes: one MCP frame; a larger one closes the official TypeScript client's
            connection, whose limit is 10 MiB.
    """

    max_document_bytes: int = attrs.field(default=1_048_576, validator=_count)
    max_document_depth: int = attrs.field(default=64, validator=_depth)
    max_document_nodes: int = attrs.field(default=10_000, validator=_count)
    max_media_bytes: int = attrs.field(default=8_388_608, validator=_count)
    max_event_bytes: int = attrs.field(default=1_049_600, validator=_count)
    max_event_rate: int = attrs.field(default=1_000, validator=_count)
    max_events: int = attrs.field(default=10_000, validator=_count)
    max_elapsed_s: float = attrs.field(default=60.0, validator=_seconds)
    max_component_depth: int = attrs.field(default=200, validator=_depth)
    max_frame_bytes: int = attrs.field(default=10_485_760, validator=_count)

    __repr__ = shown

    def overridden(self, overrides: LimitOverrides) -> Limits:
        """These limits with some replaced: runtime < dispatcher < one invocation.

        Args:
            overrides: by field name.

        Raises:
            ContractError: `invalid-limits`, an unknown name or a value out of range.
        """
        if not overrides:
            return self
        for name in overrides:
            if name not in _NAMES:
                raise ContractError(
                    "invalid-limits", f"{name!r} is not a limit; there are {', '.join(_NAMES)}"
                )
        return attrs.evolve(self, **overrides)


_NAMES: Final = tuple(field.name for field in attrs.fields(Limits))
