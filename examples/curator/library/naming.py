"""Judging names: which of them will not survive a move to another file system.

A name is judged by itself and against its neighbours in one directory; no file is looked at. The
rules are those of Windows (reserved names and characters), of file systems that ignore case or
normalise Unicode (NTFS, APFS), and of the common limit of 255 units per name. What a file system
really does depends on its version and options, so every finding says "may" in spirit: the
comparison is the widest in use, full case folding after canonical decomposition.

Above: receipt. Below: printable, values.
"""

import os
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final
from unicodedata import normalize

import trio

from curator.library.printable import from_printable, to_printable
from curator.library.values import Finding, FindingKind, Survey

MAX_NAME_UNITS: Final = 255
"""Bytes on ext4 and most of POSIX, UTF-16 units on NTFS and APFS."""

_RESERVED_NAME: Final = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[1-9\u00b9\u00b2\u00b3])\ *(?:\.|$)",
    re.IGNORECASE,
)
_RESERVED_CHARACTERS: Final = re.compile(r'[<>:"|?*\\]')
_CONTROL_CHARACTERS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")


async def check_names(survey: Survey) -> tuple[Finding, ...]:
    """Judge the names of everything in `survey`: files, directories, links and special files.

    Findings about single names come first, in the order of the survey, then the collisions. Runs in
    a worker thread and notices cancellation at the next name.
    """
    paths = [*(file.path for file in survey.files), *survey.other_paths]
    return await trio.to_thread.run_sync(_judge, paths)


def judge_name(path: str) -> tuple[Finding, ...]:
    """Judge the last part of one printable path by itself."""
    name = from_printable(path.rpartition("/")[2])
    return tuple(Finding(kind=kind, path=path, detail=detail) for kind, detail in _judge_name(name))


def _judge(paths: Iterable[str]) -> tuple[Finding, ...]:
    findings: list[Finding] = []
    neighbours: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        trio.from_thread.check_cancelled()
        parent, _, shown = path.rpartition("/")
        name = from_printable(shown)
        neighbours.setdefault((parent, _fold(name)), []).append(path)
        findings.extend(
            Finding(kind=kind, path=path, detail=detail) for kind, detail in _judge_name(name)
        )
    groups = (sorted(group) for group in neighbours.values() if len(group) > 1)
    return (*findings, *chain.from_iterable(map(_judge_neighbours, groups)))


def _judge_name(name: str) -> Iterator[tuple[FindingKind, str]]:
    if reserved := _RESERVED_NAME.match(name):
        yield "reserved-name", f"Windows keeps the name {reserved[1].upper()} to itself"
    if characters := _RESERVED_CHARACTERS.findall(name):
        yield "reserved-character", f"contains {_list(characters)}, which Windows refuses"
    if characters := _CONTROL_CHARACTERS.findall(name):
        yield "control-character", f"contains the control character {_list(characters)}"
    if name.endswith((".", " ")):
        yield "trailing-dot-or-space", "ends with a dot or a space, which Windows drops"
    if name.isascii() and len(name) <= MAX_NAME_UNITS:
        return
    name_bytes = len(os.fsencode(name))
    name_units = len(name.encode("utf-16-le", "surrogatepass")) // 2
    if max(name_bytes, name_units) > MAX_NAME_UNITS:
        lengths = f"{name_bytes} bytes, {name_units} UTF-16 units"
        yield "name-too-long", f"has {lengths}; the common limit is {MAX_NAME_UNITS}"
    if not _is_utf8(name):
        yield "not-utf-8", "is not UTF-8, which macOS refuses and other programs misread"


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _list(characters: Iterable[str]) -> str:
    return " ".join(map(to_printable, sorted(set(characters))))


def _fold(name: str) -> str:
    """Map names to one text if some file system may take them for the same name."""
    if name.isascii():
        return name.lower()
    return normalize("NFD", normalize("NFD", name).casefold())


def _judge_neighbours(paths: list[str]) -> Iterator[Finding]:
    """Tell why the paths, whose names fold to one text, collide; the first of them is blameless."""
    composed: dict[str, str] = {}
    for path in paths:
        twin = composed.setdefault(normalize("NFC", _to_name(path)), path)
        if twin != path:
            detail = f"differs from {_last(twin)} only in how Unicode composes its characters"
            yield Finding(kind="unicode-collision", path=path, detail=detail)
        elif path != paths[0]:
            detail = f"differs from {_last(paths[0])} only in case"
            yield Finding(kind="case-collision", path=path, detail=detail)


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _to_name(path: str) -> str:
    return from_printable(_last(path))
