"""The receipt: everything an audit found, in a size that a model or a terminal can take.

It selects and counts; it judges nothing. Above: whoever asked. Below: walk, hashing, naming.

Rule: whatever the tree, the receipt stays below 200 kB of JSON. The numbers of entries and the
lengths of their texts are bounded here, and the counts are always complete.
"""

from pathlib import Path
from typing import Final, TypeVar, get_args

import attrs

from curator.library.hashing import find_duplicates
from curator.library.naming import check_names
from curator.library.printable import shorten
from curator.library.values import (
    AuditReceipt,
    DuplicateGroup,
    Duplicates,
    DuplicateSummary,
    Finding,
    FindingKind,
    KindCount,
    Problem,
    Report,
    Survey,
)
from curator.library.walk import survey

FINDINGS_PER_KIND: Final = 20
MAX_PROBLEMS: Final = 40
MAX_GROUPS: Final = 20
PATHS_PER_GROUP: Final = 4

MAX_PATH_JSON_BYTES: Final = 240
MAX_DETAIL_JSON_BYTES: Final = 160
MAX_ROOT_JSON_BYTES: Final = 4_096
"""Texts are measured as ASCII JSON, the longest form there is, with the middle left out."""

MAX_INTEGER: Final = 2**53 - 1
"""The largest integer that all JSON readers agree on; a sparse file can claim to be larger."""

Entry = TypeVar("Entry", Finding, Problem)


async def audit(root: Path, report: Report) -> AuditReceipt:
    """Survey `root`, compare contents, judge names, and condense it all.

    `report` first hears entries without a total, then bytes with one.

    Raises:
        LibraryError: `root` does not exist, is not a directory or cannot be listed.
    """
    surveyed = await survey(root, report)
    duplicates = await find_duplicates(surveyed, report)
    return make_receipt(surveyed, duplicates, await check_names(surveyed))


def make_receipt(
    survey: Survey, duplicates: Duplicates, names: tuple[Finding, ...]
) -> AuditReceipt:
    r"""Condense the results of the three steps, which must be about the same tree.

    Shows the first `FINDINGS_PER_KIND` findings of each kind, `MAX_PROBLEMS` problems, and the
    `MAX_GROUPS` groups of duplicates that waste the most, with `PATHS_PER_GROUP` paths each. A text
    that is too long has a `\...` in it. Numbers of bytes end at `MAX_INTEGER`.
    """
    kinds: dict[FindingKind, list[Finding]] = {kind: [] for kind in get_args(FindingKind)}
    for finding in (*survey.findings, *names):
        kinds[finding.kind].append(finding)
    counts = [
        KindCount(kind=kind, count=len(all_), omitted=max(0, len(all_) - FINDINGS_PER_KIND))
        for kind, all_ in kinds.items()
        if all_
    ]
    problems = (*survey.problems, *duplicates.problems)
    return AuditReceipt(
        root=shorten(survey.root, max_json_bytes=MAX_ROOT_JSON_BYTES),
        files=len(survey.files),
        directories=survey.directories,
        total_bytes=min(survey.total_bytes, MAX_INTEGER),
        duplicates=summarise_duplicates(duplicates),
        counts=tuple(counts),
        findings=tuple(
            _shorten_texts(finding)
            for all_ in kinds.values()
            for finding in all_[:FINDINGS_PER_KIND]
        ),
        omitted_findings=sum(count.omitted for count in counts),
        problems=tuple(map(_shorten_texts, problems[:MAX_PROBLEMS])),
        omitted_problems=max(0, len(problems) - MAX_PROBLEMS),
    )


def summarise_duplicates(duplicates: Duplicates) -> DuplicateSummary:
    """The totals of all groups, and the largest of them as a receipt shows them."""
    groups = duplicates.groups
    return DuplicateSummary(
        groups=len(groups),
        copies=sum(group.copies for group in groups),
        reclaimable_bytes=min(sum(group.reclaimable_bytes for group in groups), MAX_INTEGER),
        hashed_files=duplicates.hashed_files,
        hashed_bytes=min(duplicates.hashed_bytes, MAX_INTEGER),
        largest=tuple(map(_sample, groups[:MAX_GROUPS])),
        omitted_groups=max(0, len(groups) - MAX_GROUPS),
    )


def _sample(group: DuplicateGroup) -> DuplicateGroup:
    shown = (
        shorten(path, max_json_bytes=MAX_PATH_JSON_BYTES) for path in group.paths[:PATHS_PER_GROUP]
    )
    return attrs.evolve(group, size=min(group.size, MAX_INTEGER), paths=tuple(shown))


def _shorten_texts(entry: Entry) -> Entry:
    return attrs.evolve(
        entry,
        path=shorten(entry.path, max_json_bytes=MAX_PATH_JSON_BYTES),
        detail=shorten(entry.detail, max_json_bytes=MAX_DETAIL_JSON_BYTES),
    )
