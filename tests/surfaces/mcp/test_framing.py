import json

from hypothesis import given, strategies as st

from trio_agent.surfaces.mcp.stdio.framing import MAX_FRAME_BYTES, Frame, Oversized, Splitter

LINES = st.lists(
    st.one_of(
        st.binary(max_size=12),
        st.sampled_from([b"", b"\r", b"  ", b"\xef\xbb\xbf", b"\xef\xbb\xbf{}", b"{}\r", b"\t{} "]),
    ),
    max_size=12,
)


def split(pieces: list[bytes], max_bytes: int = MAX_FRAME_BYTES) -> list[Frame]:
    splitter = Splitter(max_bytes)
    return [frame for piece in pieces for frame in splitter.feed(piece)] + splitter.finish()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places})
    return [data[a:b] for a, b in zip([0, *ends], [*ends, len(data)], strict=True)]


@given(lines=LINES, places=st.lists(st.integers(0, 400), max_size=20), limit=st.integers(0, 15))
def test_how_the_bytes_were_split_makes_no_difference(
    lines: list[bytes], places: list[int], limit: int
) -> None:
    data = b"\n".join(lines)

    whole = split([data], limit)
    assert split(cut(data, places), limit) == whole
    assert split([bytes([byte]) for byte in data], limit) == whole


@given(lines=LINES, limit=st.integers(0, 15))
def test_frames_are_what_remains_of_the_lines_and_no_longer_than_the_limit(
    lines: list[bytes], limit: int
) -> None:
    expected: list[Frame] = []
    for line in b"\n".join(lines).split(b"\n"):
        frame = line.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r")
        if len(line) > limit:
            expected.append(Oversized(max_bytes=limit))
        elif frame:
            expected.append(frame)

    assert split([b"\n".join(lines)], limit) == expected


@given(st.lists(st.recursive(st.text() | st.integers(), st.lists), max_size=5))
def test_what_is_inside_of_strings_ends_no_frame(values: list[object]) -> None:
    lines = [json.dumps({"v": value}, ensure_ascii=False) for value in values]
    data = "\r\n".join(lines).encode(errors="surrogatepass")

    frames = split([data])
    assert [frame for frame in frames if isinstance(frame, bytes)] == [
        line.encode(errors="surrogatepass") for line in lines
    ]


def test_a_byte_order_mark_is_dropped_before_any_frame() -> None:
    assert split([b"\xef\xbb\xbf{}\n\xef", b"\xbb\xbf[]\r", b"\n"]) == [b"{}", b"[]"]


def test_the_last_frame_needs_no_end_of_line_and_a_blank_one_is_none() -> None:
    assert split([b"\r\n{}\n\n[", b"]"]) == [b"{}", b"[]"]
    assert split([b"{}\n", b""]) == [b"{}"]
    assert split([]) == []


def test_a_frame_beyond_the_limit_is_dropped_while_it_is_read() -> None:
    splitter = Splitter(10)

    assert splitter.feed(b"x" * 10) == []
    assert splitter.feed(b"x") == [Oversized(max_bytes=10)]
    for _ in range(1000):
        assert splitter.feed(b"x" * 1000) == []
    assert splitter.feed(b"x\n{}\n") == [b"{}"]


def test_a_frame_of_the_limit_is_read_and_the_splitter_reads_on_after_a_larger_one() -> None:
    assert split([b"x" * 10 + b"\n" + b"y" * 11 + b"\nz"], 10) == [
        b"x" * 10,
        Oversized(max_bytes=10),
        b"z",
    ]
    assert split([b"y" * 11], 10) == [Oversized(max_bytes=10)]
