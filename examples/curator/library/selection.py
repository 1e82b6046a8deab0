"""Questions that a survey alone answers: what is largest, what is called like this.

Above: whoever asked. Below: printable, values.
"""

import heapq
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from typing import Final, final

import attrs

from curator.library.printable import from_printable, shorten
from curator.library.values import Survey

MAX_INTEGER: Final = 2**53 - 1
"""The largest integer that all JSON readers agree on; a sparse file can claim to be larger."""

MAX_PATH_JSON_BYTES: Final = 240

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@final
@attrs.frozen(kw_only=True)
class LargeFile:
    """One file, and when its content was changed last; None where a calendar has no such day."""

    path: str
    size: int
    modified: datetime | None


@final
@attrs.frozen(kw_only=True)
class LargestFiles:
    """The largest files of a tree, the largest first.

    Attributes:
        files: how many different files there are; hard links to one are one.
        total_bytes: of all of them.
        largest: at most as many as were asked for.
        largest_bytes: of these.
    """

    files: int
    total_bytes: int
    largest: tuple[LargeFile, ...]
    largest_bytes: int


def select_largest(survey: Survey, count: int) -> LargestFiles:
    """The `count` largest files of a survey, each under the first of its names."""
    files = {file.identity: file for file in reversed(survey.files)}
    largest = heapq.nsmallest(count, files.values(), key=lambda file: (-file.size, file.path))
    return LargestFiles(
        files=len(files),
        total_bytes=min(survey.total_bytes, MAX_INTEGER),
        largest=tuple(
            LargeFile(
                path=shorten(file.path, max_json_bytes=MAX_PATH_JSON_BYTES),
                size=min(file.size, MAX_INTEGER),
                modified=to_datetime(file.modified_us),
            )
            for file in largest
        ),
        largest_bytes=min(sum(file.size for file in largest), MAX_INTEGER),
    )


def count_matching(survey: Survey, pattern: str) -> int:
    """How many names of files fit a pattern such as `*.flac`; capitals count."""
    return sum(
        fnmatchcase(from_printable(file.path.rpartition("/")[2]), pattern) for file in survey.files
    )


def to_datetime(microseconds: int) -> datetime | None:
    """A time of the file system, if it is one that a calendar has."""
    try:
        return _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return None
