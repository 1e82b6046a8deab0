"""Comparing two trees: what one has and the other has not, and what differs.

Files are compared under the same path. Contents are read only where both are equally long, so two
copies of a backup cost as much reading as both have bytes, and two unrelated trees next to none.

Above: whoever asked. Below: hashing, printable, values.
"""

from collections.abc import Iterable
from typing import Final, Self, final

import attrs

from curator.library.hashing import digest_files
from curator.library.printable import shorten
from curator.library.selection import MAX_PATH_JSON_BYTES
from curator.library.values import Digests, FileRecord, Problem, Report, Survey

MAX_PATHS: Final = 50
"""Of one list in a comparison; the counts are complete."""

MAX_PROBLEMS: Final = 40


@final
@attrs.frozen(kw_only=True)
class PathList:
    """How many paths there are, and the first of them, sorted."""

    count: int
    first: tuple[str, ...]

    @classmethod
    def of(cls, paths: Iterable[str]) -> Self:
        """All of *paths*, of which the first are shown."""
        ordered = sorted(paths)
        return cls(
            count=len(ordered),
            first=tuple(
                shorten(path, max_json_bytes=MAX_PATH_JSON_BYTES) for path in ordered[:MAX_PATHS]
            ),
        )


@final
@attrs.frozen(kw_only=True)
class Comparison:
    """How two trees differ.

    Attributes:
        same: files with the same path and content.
        different: files with the same path and another content.
        only_left: files that only the left tree has.
        only_right: files that only the right tree has.
        unknown: files with the same path of which one cannot be read.
        problems: the first of what could not be read, the left tree's first.
        omitted_problems: how many are not shown.
    """

    same: int
    different: PathList
    only_left: PathList
    only_right: PathList
    unknown: PathList
    problems: tuple[Problem, ...]
    omitted_problems: int


@final
@attrs.frozen
class _Side:
    """One tree: what the walk saw, by path, and what its files hold."""

    survey: Survey
    digests: Digests

    @property
    def problems(self) -> tuple[Problem, ...]:
        found = (*self.survey.problems, *self.digests.problems)
        return tuple(
            attrs.evolve(
                one,
                path=shorten(f"{self.survey.root}/{one.path}", max_json_bytes=MAX_PATH_JSON_BYTES),
            )
            for one in found
        )

    def digest(self, file: FileRecord) -> str | None:
        return "" if file.size == 0 else self.digests.by_identity.get(file.identity)


async def compare_trees(
    left: Survey, right: Survey, left_report: Report, right_report: Report
) -> Comparison:
    """Compare what two surveys saw, reading what has to be read.

    The reports hear the bytes that have been read of each tree, one tree after the other, since
    two trees are most often on one disk.
    """
    lefts, rights = _by_path(left), _by_path(right)
    shared = [path for path in lefts if path in rights]
    alike = [path for path in shared if lefts[path].size == rights[path].size > 0]
    readable = [path for path in alike if lefts[path].readable and rights[path].readable]
    one = _Side(left, await digest_files(left.root, _pick(lefts, readable), left_report))
    other = _Side(right, await digest_files(right.root, _pick(rights, readable), right_report))

    same = 0
    different: list[str] = []
    unknown: list[str] = []
    for path in shared:
        if lefts[path].size != rights[path].size:
            different.append(path)
            continue
        digests = one.digest(lefts[path]), other.digest(rights[path])
        if None in digests:
            unknown.append(path)
        elif digests[0] == digests[1]:
            same += 1
        else:
            different.append(path)
    problems = (*one.problems, *other.problems)
    return Comparison(
        same=same,
        different=PathList.of(different),
        only_left=PathList.of(path for path in lefts if path not in rights),
        only_right=PathList.of(path for path in rights if path not in lefts),
        unknown=PathList.of(unknown),
        problems=problems[:MAX_PROBLEMS],
        omitted_problems=max(0, len(problems) - MAX_PROBLEMS),
    )


def _by_path(survey: Survey) -> dict[str, FileRecord]:
    return {file.path: file for file in survey.files}


def _pick(files: dict[str, FileRecord], paths: Iterable[str]) -> list[FileRecord]:
    return [files[path] for path in paths]
