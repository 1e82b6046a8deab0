r"""A picture as sixels: what DEC printers drew, and terminals still do.  Pure.

A sixel is a character for six pixels below each other.  The picture goes in bands of six rows;
each colour of a band draws over it from its left edge: `#colour`, its sixels, `$` back to the
edge, and `-` down to the next band.  `!12A` is twelve times `A`.  What no colour draws is seen
through.  Above: `images`.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trio_agent.surfaces.cli.terminal.decoding import Raster

_BAND: Final = 6
_BLANK: Final = 0x3F
"""The character of six pixels that are not drawn; the bits are added to it."""

_LEAST_RUN: Final = 4
"""Shorter runs are as long when they are counted."""


def sixels(raster: Raster) -> str:
    """The sequence that draws *raster* at the cursor."""
    size = f'"1;1;{raster.width};{len(raster.pixels) // raster.width}'
    colors = "".join(
        [
            f"#{number};2;{_percent(red)};{_percent(green)};{_percent(blue)}"
            for number, (red, green, blue) in enumerate(raster.palette)
        ]
    )
    step = raster.width * _BAND
    bands = [
        _band(raster.pixels[start : start + step], raster.width)
        for start in range(0, len(raster.pixels), step)
    ]
    return f"\x1bP0;1q{size}{colors}{'-'.join(bands)}\x1b\\"


def _percent(value: int) -> int:
    return round(value * 100 / 255)


def _band(pixels: Sequence[int | None], width: int) -> str:
    layers: dict[int, bytearray] = {}
    for place, color in enumerate(pixels):
        if color is not None:
            row, column = divmod(place, width)
            if color not in layers:
                layers[color] = bytearray([_BLANK]) * width
            layers[color][column] += 1 << row
    return "$".join([f"#{color}{''.join(_runs(layer))}" for color, layer in layers.items()])


def _runs(layer: bytearray) -> Iterator[str]:
    for character, group in groupby(layer.rstrip(bytes([_BLANK])).decode("ascii")):
        count = len(list(group))
        yield f"!{count}{character}" if count >= _LEAST_RUN else character * count
