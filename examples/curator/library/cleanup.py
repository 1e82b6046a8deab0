"""A plan for getting rid of duplicates: what to keep and what could go.  It removes nothing.

Above: whoever asked. Below: printable, values.
"""

from typing import Final, Literal, Self, final

import attrs

from curator.library.printable import shorten
from curator.library.selection import MAX_INTEGER, MAX_PATH_JSON_BYTES
from curator.library.values import DuplicateGroup, Duplicates, FileRecord, Survey

KeepRule = Literal["shortest-path", "oldest", "newest"]
"""Which of several equal files stays."""

MAX_ROOT_JSON_BYTES: Final = 4_096

MAX_STEPS: Final = 50
MAX_PATHS: Final = 20
"""Of one step; a group with more copies is cleaned up in several goes."""


@final
@attrs.frozen(kw_only=True)
class CleanupStep:
    """One group of equal files.

    Attributes:
        size: bytes of one copy.
        keep: a name of the copy that stays.
        remove: every name of the others; a copy goes when all its hard links do.
        omitted: how many more names would have to go.
    """

    size: int
    keep: str
    remove: tuple[str, ...]
    omitted: int


@final
@attrs.frozen(kw_only=True)
class CleanupPlan:
    """What could be removed, the most wasteful group first.

    Attributes:
        root: what the paths are relative to, printable.
        rule: by which the copies to keep were chosen; None when nobody wanted a plan.
        groups: how many groups of equal files there are.
        reclaimable_bytes: what removing all but one of each would free.
        steps: for the first of the groups.
        omitted_steps: how many groups have no step here.
    """

    root: str
    rule: KeepRule | None
    groups: int
    reclaimable_bytes: int
    steps: tuple[CleanupStep, ...]
    omitted_steps: int

    @classmethod
    def unwanted(cls, survey: Survey) -> Self:
        """No plan, because the user wanted none."""
        root = shorten(survey.root, max_json_bytes=MAX_ROOT_JSON_BYTES)
        return cls(root=root, rule=None, groups=0, reclaimable_bytes=0, steps=(), omitted_steps=0)


def plan_cleanup(survey: Survey, duplicates: Duplicates, rule: KeepRule) -> CleanupPlan:
    """Choose which copy of each group stays.  Equal by the rule: the first by its path."""
    records = {file.path: file for file in survey.files}
    names: dict[str, list[str]] = {}
    for file in survey.files:
        names.setdefault(file.identity, []).append(file.path)
    groups = duplicates.groups
    return CleanupPlan(
        root=shorten(survey.root, max_json_bytes=MAX_ROOT_JSON_BYTES),
        rule=rule,
        groups=len(groups),
        reclaimable_bytes=min(sum(group.reclaimable_bytes for group in groups), MAX_INTEGER),
        steps=tuple(_step(group, records, names, rule) for group in groups[:MAX_STEPS]),
        omitted_steps=max(0, len(groups) - MAX_STEPS),
    )


def _step(
    group: DuplicateGroup,
    records: dict[str, FileRecord],
    names: dict[str, list[str]],
    rule: KeepRule,
) -> CleanupStep:
    copies = sorted((records[path] for path in group.paths), key=lambda file: _rank(file, rule))
    kept, *others = copies
    remove = [name for copy in others for name in sorted(names[copy.identity])]
    return CleanupStep(
        size=min(group.size, MAX_INTEGER),
        keep=_short(kept.path),
        remove=tuple(map(_short, remove[:MAX_PATHS])),
        omitted=max(0, len(remove) - MAX_PATHS),
    )


def _rank(file: FileRecord, rule: KeepRule) -> tuple[int, str]:
    match rule:
        case "shortest-path":
            return len(file.path), file.path
        case "oldest":
            return file.modified_us, file.path
        case "newest":
            return -file.modified_us, file.path


def _short(path: str) -> str:
    return shorten(path, max_json_bytes=MAX_PATH_JSON_BYTES)
