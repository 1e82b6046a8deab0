"""What the value of an observed axis is, and what its fields may hold.

Strings that are not blank, lists of them, and depths; each refusal names the class and the field.
Above: `observed`, which has the axes and the classes of their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from trio_agent.context.terminal import refusal

if TYPE_CHECKING:
    import attrs


class AxisValue(Protocol):
    """What an axis may hold: a frozen value that knows its wire form."""

    def to_wire(self) -> dict[str, object]:
        """The value as a fresh JSON object."""
        ...


def text(instance: object, field: attrs.Attribute[str], value: object) -> None:
    """Validate a string."""
    _check_text(f"{type(instance).__name__}.{field.name}", value)


def depth(instance: object, field: attrs.Attribute[int], value: object) -> None:
    """Validate a number of steps."""
    if type(value) is not int or value < 0:
        raise refusal(f"{type(instance).__name__}.{field.name}", "an integer from 0", value)


def texts(place: str, values: Sequence[str]) -> tuple[str, ...]:
    """Copy a list of strings."""
    _check_list(place, values)
    copied = tuple(values)
    for index, value in enumerate(copied):
        _check_text(f"{place}[{index}]", value)
    return copied


def _check_list(place: str, value: object) -> None:
    # A string is a sequence of strings too, and never the one that was meant.
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise refusal(place, "a list of strings", value)


def _check_text(place: str, value: object) -> None:
    if not isinstance(value, str) or not value.strip():
        raise refusal(place, "a string that is not blank", value)
