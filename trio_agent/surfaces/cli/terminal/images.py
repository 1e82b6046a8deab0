r"""Images as the three ways of terminals to show one.  Pure.

    kitty    PNG as it is; anything else is made a PNG
    iterm2   any format as it is
    sixel    decoded, and drawn in at most 256 colours

Rules kept here:
* A picture keeps its shape, is never larger than its own pixels say, and never larger than the
  `Box`: the columns of the terminal, and a number of rows.
* It ends where its last row ends; the page goes on in the next line.
* It is ASCII, and everything in it but base64 and numbers is ours.
* What cannot be shown is None: then the declared text is.

Decoding needs Pillow, which is optional, see `decoding`.  Above: `watching`.
"""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING, Final, assert_never, final

import attrs

from trio_agent.shown import shown
from trio_agent.surfaces.cli.terminal.decoding import decoded_png, decoded_raster
from trio_agent.surfaces.cli.terminal.sixel import sixels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trio_agent.surfaces.cli.terminal.graphics import Protocol
    from trio_agent.vocabulary.media import ImageNode

MOST_ROWS: Final = 20
"""A picture that is higher than that leaves nothing of what is said about it on the screen."""

CELL: Final = (10, 20)
"""Pixels of a cell, where the terminal does not tell."""

_CHUNK: Final = 4096
"""Characters of base64 that kitty takes at once."""

_PNG: Final = b"\x89PNG\r\n\x1a\n"
_GIF: Final = (b"GIF87a", b"GIF89a")
_JPEG: Final = b"\xff\xd8"


@final
@attrs.frozen(kw_only=True)
class Box:
    """What a picture has to fit into.

    Attributes:
        columns: cells.
        rows: cells.
        cell: pixels of one, width and height.
    """

    columns: int
    rows: int
    cell: tuple[int, int] = CELL

    __repr__ = shown

    @classmethod
    def of_screen(cls, columns: int, rows: int, cell: tuple[int, int] | None) -> Box:
        """The box of a terminal of that size; a line of text stays visible beside a picture."""
        return cls(columns=columns, rows=max(min(rows - 1, MOST_ROWS), 1), cell=cell or CELL)

    def fitted(self, size: tuple[int, int]) -> tuple[int, int]:
        """Columns and rows of a picture of so many pixels."""
        width, height = self.scaled(size)
        columns, rows = -(-width // self.cell[0]), -(-height // self.cell[1])
        return min(columns, self.columns), min(rows, self.rows)

    def scaled(self, size: tuple[int, int]) -> tuple[int, int]:
        """Pixels of a picture that fits, of one of so many."""
        width, height = max(size[0], 1), max(size[1], 1)
        most = self.columns * self.cell[0], self.rows * self.cell[1]
        factor = min(most[0] / width, most[1] / height, 1.0)
        return max(int(width * factor), 1), max(int(height * factor), 1)


def drawn_image(image: ImageNode, protocol: Protocol, box: Box) -> str | None:
    """What shows the image, in *protocol*; None when nothing can."""
    data = base64.b64decode(image.data)
    match protocol:
        case "kitty":
            return _kitty(data, box)
        case "iterm2":
            return _iterm2(data, box)
        case "sixel":
            raster = decoded_raster(data, box.scaled)
            return None if raster is None else sixels(raster)
        case _:
            assert_never(protocol)


def pixels_of(data: bytes) -> tuple[int, int] | None:
    """Width and height of an image, by its header; None when it is none that we read."""
    try:
        if data.startswith(_PNG) and data[12:16] == b"IHDR":
            return struct.unpack_from(">II", data, 16)
        if data.startswith(_GIF):
            return struct.unpack_from("<HH", data, 6)
        if data.startswith(_JPEG):
            return _jpeg_pixels(data)
    except struct.error:  # it ends too soon
        pass
    return None


def _jpeg_pixels(data: bytes) -> tuple[int, int] | None:
    position = len(_JPEG)
    while True:
        marker, length = struct.unpack_from(">HH", data, position)
        if 0xFFC0 <= marker <= 0xFFCF and marker not in (0xFFC4, 0xFFC8, 0xFFCC):
            height, width = struct.unpack_from(">HH", data, position + 5)
            return width, height
        if marker < 0xFF00 or length < 2:
            return None
        position += 2 + length


def _kitty(data: bytes, box: Box) -> str | None:
    png = data if data.startswith(_PNG) else decoded_png(data)
    size = None if png is None else pixels_of(png)
    if png is None or size is None:
        return None
    columns, rows = box.fitted(size)
    # It is told not to answer: nobody would read it, and the shell would take it for keys.
    return "".join(_chunks(png, f"a=T,f=100,q=2,c={columns},r={rows}"))


def _chunks(png: bytes, head: str) -> Iterator[str]:
    text = base64.b64encode(png).decode("ascii")
    for start in range(0, len(text), _CHUNK):
        goes_on = int(start + _CHUNK < len(text))
        keys = f"{head},m={goes_on}" if start == 0 else f"q=2,m={goes_on}"
        yield f"\x1b_G{keys};{text[start : start + _CHUNK]}\x1b\\"


def _iterm2(data: bytes, box: Box) -> str:
    size = pixels_of(data)
    # One that we cannot measure is given the whole box, and keeps its shape within.
    columns, rows = (box.columns, box.rows) if size is None else box.fitted(size)
    place = f"width={columns};height={rows};preserveAspectRatio=1"
    text = base64.b64encode(data).decode("ascii")
    return f"\x1b]1337;File=inline=1;size={len(data)};{place}:{text}\x07"
