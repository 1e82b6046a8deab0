"""Images as pixels, by Pillow, which `trio-agent[images]` brings along.

Without Pillow nothing is decoded, and what it cannot read is no image: both are None.  An image
of more than `MOST_PIXELS` is not decoded either, since a small file may hold a very large one.
Of one that moves, the first picture is taken.  Above: `images`.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Final, TypeVar, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from PIL.Image import Image

MOST_PIXELS: Final = 2**25
"""Twice what a camera makes, or 128 MiB while it is decoded."""

COLORS: Final = 256
"""Of a palette."""

_OPAQUE: Final = 128
"""Where a pixel that is half transparent counts as seen."""

ResultT = TypeVar("ResultT")


@final
@attrs.frozen(kw_only=True)
class Raster:
    """Pixels of a picture with a palette.

    Attributes:
        width: of it.
        pixels: a number of the palette for each, row by row; None is seen through.
        palette: red, green and blue from 0 to 255.
    """

    width: int
    pixels: list[int | None]
    palette: list[tuple[int, int, int]]

    __repr__ = shown


def decoded_png(data: bytes) -> bytes | None:
    """The image as a PNG."""

    def encode(image: Image) -> bytes:
        png = io.BytesIO()
        image.convert("RGBA").save(png, "PNG")
        return png.getvalue()

    return _decoded(data, encode)


def decoded_raster(
    data: bytes, scaled: Callable[[tuple[int, int]], tuple[int, int]]
) -> Raster | None:
    """The image in at most `COLORS` colours.

    Args:
        data: in any format that Pillow reads.
        scaled: gives the pixels of the result for those of the image.
    """

    def read(image: Image) -> Raster:
        full = image.convert("RGBA")
        full.thumbnail(scaled(image.size))
        few = full.convert("RGB").quantize(COLORS)
        flat = few.getpalette() or []
        alpha = full.getchannel("A").tobytes()
        return Raster(
            width=full.width,
            pixels=[
                color if seen >= _OPAQUE else None
                for color, seen in zip(few.tobytes(), alpha, strict=True)
            ],
            palette=list(zip(flat[::3], flat[1::3], flat[2::3], strict=True)),
        )

    return _decoded(data, read)


def _decoded(data: bytes, use: Callable[[Image], ResultT]) -> ResultT | None:
    try:
        # lazy: it is optional, and only images need it.
        from PIL import Image as pillow  # noqa: N813, PLC0415  # a module
    except ImportError:
        return None
    try:
        with warnings.catch_warnings():
            # It warns of large images; ours is the stricter limit.
            warnings.simplefilter("ignore")
            with pillow.open(io.BytesIO(data)) as image:
                if image.width * image.height > MOST_PIXELS:
                    return None
                return use(image)
    except Exception:  # noqa: BLE001  # boundary: Pillow reads bytes that anybody may have made
        return None
