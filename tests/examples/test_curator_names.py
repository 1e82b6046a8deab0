"""Names in the curator's library: which are judged, and how they are shown."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from curator.library import FindingKind, Survey, check_names, find_duplicates, survey
from curator.library.printable import from_printable, shorten, to_printable


def ignore(completed: float = 0, *, total: float | None = None, message: str | None = None) -> None:
    pass


def write(root: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


async def judge(*names: str) -> list[tuple[FindingKind, str]]:
    surveyed = Survey(
        root="/library",
        files=(),
        other_paths=tuple(map(to_printable, names)),
        directories=1,
        total_bytes=0,
        findings=(),
        problems=(),
    )
    return [(f.kind, from_printable(f.path)) for f in await check_names(surveyed)]


async def test_names_of_files_folders_and_links_are_judged(tmp_path: Path) -> None:
    write(tmp_path, {"con": b"", "sub:folder/ok": b""})
    (tmp_path / "link.").symlink_to("con")
    findings = await check_names(await survey(tmp_path, ignore))
    assert {(finding.kind, finding.path) for finding in findings} == {
        ("reserved-name", "con"),
        ("reserved-character", "sub:folder"),
        ("trailing-dot-or-space", "link."),
    }


@pytest.mark.parametrize("name", ["CON", "nul.txt", "Aux .tar.gz", "com1", "LPT\u00b3.x", "conIN$"])
async def test_names_that_windows_reserves_are_found(name: str) -> None:
    assert await judge(name) == [("reserved-name", name)]


@pytest.mark.parametrize("name", ["console", "com0", "my con", "lpt10", ".con", "Größe 1 (ok).txt"])
async def test_ordinary_names_are_not_found(name: str) -> None:
    assert await judge(name) == []


@pytest.mark.parametrize("character", '<>:"|?*\\')
async def test_characters_that_windows_refuses_are_found(character: str) -> None:
    assert await judge(f"a{character}b") == [("reserved-character", f"a{character}b")]


@pytest.mark.parametrize("character", ["\n", "\x1b", "\x7f", "\x85"])
async def test_control_characters_are_found(character: str) -> None:
    assert await judge(f"a{character}b") == [("control-character", f"a{character}b")]


@pytest.mark.parametrize("name", ["a" * 256, "\u00e4" * 128, "\U0001f600" * 64])
async def test_names_over_255_bytes_or_units_are_found(name: str) -> None:
    assert await judge(name, name[:-1]) == [("name-too-long", name)]


async def test_names_that_differ_only_in_case_collide_within_one_directory(tmp_path: Path) -> None:
    write(tmp_path, {"Read": b"", "READ": b"", "read": b"", "other/read": b"", "Other/x": b""})
    findings = await check_names(await survey(tmp_path, ignore))
    assert [(f.kind, f.path, f.detail) for f in findings] == [
        ("case-collision", "Read", "differs from READ only in case"),
        ("case-collision", "read", "differs from READ only in case"),
        ("case-collision", "other", "differs from Other only in case"),
    ]


async def test_names_that_differ_only_in_composition_collide(tmp_path: Path) -> None:
    write(tmp_path, {"\u00e9": b"", "e\u0301": b"", "E\u0301": b"", "e": b""})
    findings = await check_names(await survey(tmp_path, ignore))
    # In the order of code points: E + accent, e + accent, composed.
    assert [(f.kind, f.path) for f in findings] == [
        ("case-collision", "e\u0301"),
        ("unicode-collision", "\u00e9"),
    ]


async def test_names_that_are_not_utf8_are_found_shown_and_read(tmp_path: Path) -> None:
    for name in (b"caf\xe9", b"caf\\xe9"):
        (tmp_path / os.fsdecode(name)).write_bytes(b"same")
    surveyed = await survey(tmp_path, ignore)
    (group,) = (await find_duplicates(surveyed, ignore)).groups
    assert group.paths == (r"caf\\xe9", r"caf\xe9")
    kinds = {(finding.kind, finding.path) for finding in await check_names(surveyed)}
    assert kinds == {("not-utf-8", r"caf\xe9"), ("reserved-character", r"caf\\xe9")}


@given(raw=st.binary().filter(lambda raw: b"\0" not in raw))
def test_a_printable_name_prints_and_leads_back(raw: bytes) -> None:
    name = os.fsdecode(raw)
    shown = to_printable(name)
    assert shown.isprintable()
    shown.encode()
    assert os.fsencode(from_printable(shown)) == raw


@given(name=st.text(st.characters(codec="utf-8")), limit=st.integers(40, 200))
def test_a_shortened_text_keeps_both_ends_whole_and_its_limit(name: str, limit: int) -> None:
    text = to_printable(name)
    short = shorten(text, max_json_bytes=limit)
    assert len(json.dumps(short)) - 2 <= limit
    if short != text:
        assert len(json.dumps(text)) - 2 > limit
        head, _, tail = short.partition(r"\...")
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len(json.dumps(short)) - 2 > limit - 40
        # Halves of an escape would not survive the way back and forth.
        assert [to_printable(from_printable(end)) for end in (head, tail)] == [head, tail]
