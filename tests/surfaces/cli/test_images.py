import base64
import io
import re
import struct
import sys

import pytest
from hypothesis import given, strategies as st
from PIL import Image

from trio_agent import Agent
from trio_agent.surfaces.cli.terminal import decoding
from trio_agent.surfaces.cli.terminal.decoding import Raster, decoded_raster
from trio_agent.surfaces.cli.terminal.graphics import Protocol
from trio_agent.surfaces.cli.terminal.images import CELL, MOST_ROWS, Box, drawn_image, pixels_of
from trio_agent.surfaces.cli.terminal.sixel import sixels
from trio_agent.vocabulary.media import ImageNode

BOX = Box(columns=80, rows=20)
RED = (255, 0, 0, 255)
GREEN = (0, 255, 0, 255)
CLEAR = (0, 0, 0, 0)


def picture(kind: str = "PNG", size: tuple[int, int] = (20, 13)) -> bytes:
    data = io.BytesIO()
    image = Image.new("RGBA", size, RED)
    image.putpixel((0, 0), GREEN)
    image.convert("RGBA" if kind == "PNG" else "RGB").save(data, kind)
    return data.getvalue()


def node(data: bytes) -> ImageNode:
    return Agent.Image(data=base64.b64encode(data).decode(), mime_type="image/x")


def keys_of(chunk: str) -> dict[str, str]:
    found = re.fullmatch(r"_G([^;]*);[A-Za-z0-9+/=]*", chunk)
    assert found is not None
    return dict(key.split("=") for key in found[1].split(","))


def chunks_of(drawn: str | None) -> list[str]:
    assert drawn is not None
    return [chunk.removeprefix("\x1b") for chunk in drawn.split("\x1b\\") if chunk]


def test_kitty_gets_a_png_as_it_is_and_is_told_not_to_answer() -> None:
    (chunk,) = chunks_of(drawn_image(node(picture()), "kitty", BOX))

    assert keys_of(chunk) == {"a": "T", "f": "100", "q": "2", "c": "2", "r": "1", "m": "0"}
    assert base64.b64decode(chunk.partition(";")[2]) == picture()


def test_kitty_gets_a_large_picture_in_pieces() -> None:
    data = picture() + bytes(9000)
    chunks = chunks_of(drawn_image(node(data), "kitty", BOX))

    assert [keys_of(chunk)["m"] for chunk in chunks] == ["1", "1", "0"]
    assert all(keys_of(chunk)["q"] == "2" for chunk in chunks)
    assert all(len(chunk.partition(";")[2]) <= 4096 for chunk in chunks)
    assert base64.b64decode("".join(chunk.partition(";")[2] for chunk in chunks)) == data


@pytest.mark.parametrize("kind", ["GIF", "JPEG", "WEBP", "BMP"])
def test_kitty_gets_other_formats_as_a_png(kind: str) -> None:
    (chunk,) = chunks_of(drawn_image(node(picture(kind)), "kitty", BOX))
    sent = Image.open(io.BytesIO(base64.b64decode(chunk.partition(";")[2])))

    assert (sent.format, sent.size) == ("PNG", (20, 13))


def test_iterm2_gets_any_format_as_it_is() -> None:
    data = picture("JPEG")
    assert drawn_image(node(data), "iterm2", BOX) == (
        f"\x1b]1337;File=inline=1;size={len(data)};width=2;height=1;preserveAspectRatio=1:"
        f"{base64.b64encode(data).decode()}\x07"
    )
    unknown = drawn_image(node(b"<svg/>"), "iterm2", BOX)
    assert unknown is not None
    assert "width=80;height=20;preserveAspectRatio=1" in unknown


def painted(drawn: str) -> list[list[str | None]]:
    """The colours of all pixels, as a terminal would draw them."""
    head = re.fullmatch(r'\x1bP0;1q"1;1;(\d+);(\d+)(.*)\x1b\\', drawn)
    assert head is not None
    width, height = int(head[1]), int(head[2])
    pixels: list[list[str | None]] = [[None] * width for _ in range(height)]
    colors: dict[str, str] = {}
    color = ""
    x = y = 0
    for found in re.finditer(r"#(\d+)(?:;2;([\d;]+))?|!(\d+)(.)|([$-])|([?-~])", head[3]):
        number, definition, count, repeated, move, single = found.groups()
        if number is not None and definition is not None:
            colors[number] = definition
        elif number is not None:
            color = colors[number]
        elif move is not None:
            x, y = 0, y + (6 if move == "-" else 0)
        else:
            end = x + int(count or 1)
            for row in range(6):
                if (ord(repeated or single) - 0x3F) >> row & 1:
                    pixels[y + row][x:end] = [color] * (end - x)
            x = end
    return pixels


def test_sixels_draw_every_pixel_in_its_colour() -> None:
    image = Image.new("RGBA", (9, 14), RED)
    for place in ((0, 0), (8, 13), (4, 6)):
        image.putpixel(place, GREEN)
    image.putpixel((3, 3), CLEAR)
    data = io.BytesIO()
    image.save(data, "PNG")
    drawn = drawn_image(node(data.getvalue()), "sixel", BOX)

    assert drawn is not None
    pixels = painted(drawn)
    assert (pixels[0][0], pixels[13][8], pixels[6][4]) == ("0;100;0",) * 3
    assert pixels[3][3] is None
    assert sum(row.count("100;0;0") for row in pixels) == 9 * 14 - 4


@given(
    width=st.integers(1, 12),
    colors=st.lists(st.none() | st.integers(0, 2), min_size=1, max_size=200),
)
def test_sixels_are_what_they_were_made_of(width: int, colors: list[int | None]) -> None:
    pixels = colors + [None] * (-len(colors) % width)
    palette = [(255, 0, 0), (0, 255, 0), (0, 0, 255)]
    names = ["100;0;0", "0;100;0", "0;0;100"]
    drawn = painted(sixels(Raster(width=width, pixels=pixels, palette=palette)))

    flat = [color for row in drawn for color in row]
    assert flat == [None if one is None else names[one] for one in pixels]


def test_a_picture_is_never_larger_than_its_pixels_or_the_box() -> None:
    assert BOX.fitted((1, 1)) == (1, 1)
    assert BOX.fitted((100, 100)) == (10, 5)
    assert BOX.fitted((8000, 100)) == (80, 1)
    assert BOX.fitted((100, 8000)) == (1, 20)
    raster = decoded_raster(picture(size=(3000, 300)), Box(columns=10, rows=5).scaled)
    assert raster is not None
    assert (raster.width, len(raster.pixels)) == (100, 1000)


@given(st.integers(0, 2**31), st.integers(0, 2**31), st.integers(1, 300), st.integers(1, 99))
def test_any_picture_fits_into_any_box(width: int, height: int, columns: int, rows: int) -> None:
    box = Box.of_screen(columns, rows, None)
    fitted = box.fitted((width, height))

    assert 1 <= fitted[0] <= columns
    assert 1 <= fitted[1] <= max(min(rows - 1, MOST_ROWS), 1)


def test_a_cell_that_is_not_told_has_a_usual_size() -> None:
    assert Box.of_screen(80, 24, None) == Box(columns=80, rows=20, cell=CELL)
    assert Box.of_screen(80, 1, (8, 16)) == Box(columns=80, rows=1, cell=(8, 16))


@pytest.mark.parametrize("kind", ["PNG", "GIF", "JPEG"])
def test_the_size_is_read_from_the_header(kind: str) -> None:
    data = picture(kind, (300, 200))
    assert pixels_of(data) == (300, 200)
    for end in range(0, 40, 3):
        assert pixels_of(data[:end]) in (None, (300, 200))


def test_what_is_no_picture_has_no_size() -> None:
    assert pixels_of(b"") is None
    assert pixels_of(b"\x89PNG\r\n\x1a\n" + bytes(40)) is None
    assert pixels_of(b"\xff\xd8" + bytes(40)) is None
    assert pixels_of(b"\xff\xd8\xff\xe0\x00\x01" + bytes(40)) is None


@pytest.mark.parametrize("protocol", ["kitty", "sixel"])
@pytest.mark.parametrize(
    "data", [b"hi", picture("JPEG")[:50], b"\x89PNG\r\n\x1a\n", b"GIF89a" + bytes(20)]
)
def test_what_cannot_be_decoded_is_not_drawn(data: bytes, protocol: Protocol) -> None:
    assert drawn_image(node(data), protocol, BOX) is None


def test_a_small_file_with_a_very_large_picture_is_not_decoded() -> None:
    ihdr = b"IHDR" + struct.pack(">IIBBBBB", 100_000, 100_000, 8, 6, 0, 0, 0)
    bomb = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + ihdr + bytes(4)

    assert drawn_image(node(bomb), "sixel", BOX) is None


def test_a_picture_of_too_many_pixels_is_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "MOST_PIXELS", 20 * 13 - 1)

    assert drawn_image(node(picture()), "sixel", BOX) is None


def test_without_pillow_only_what_needs_no_decoding_is_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    png, gif = node(picture()), node(picture("GIF"))
    monkeypatch.setitem(sys.modules, "PIL", None)

    assert drawn_image(png, "kitty", BOX) is not None
    assert drawn_image(png, "iterm2", BOX) is not None
    assert drawn_image(gif, "kitty", BOX) is None
    assert drawn_image(png, "sixel", BOX) is None


@pytest.mark.parametrize("protocol", ["kitty", "iterm2", "sixel"])
def test_what_is_drawn_is_ascii(protocol: Protocol) -> None:
    drawn = drawn_image(node(picture()), protocol, BOX)

    assert drawn is not None
    assert drawn.isascii()
