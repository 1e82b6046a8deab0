"""The sections of an audit as a reader sees them, each ready when what it needs is there.

Components only: they await what the command deferred and put it into words.  What is found and
how is the library's business.
"""

from collections.abc import Sequence

from curator.library import (
    AuditReceipt,
    DuplicateGroup,
    Duplicates,
    Finding,
    Problem,
    Survey,
)
from curator.library.printable import shorten
from trio_agent import Agent, Deferred, Node, component

SHOWN = 10
"""Lines of a list that a person still reads; the value has more."""

MAX_PATH_BYTES = 240
"""Of a path that is shown; a longer one loses its middle."""

MAX_ERRORS = 20
"""Error nodes for what could not be read; a tree of closed doors should not drown the rest."""


@component
async def Inventory(surveyed: Deferred[Survey]) -> Node:
    """What there is, as soon as the walk has ended."""
    survey = await surveyed
    return Agent.Markdown(
        "## Inventory\n\n",
        f"**{counted(len(survey.files), 'file')}** in"
        f" **{counted(survey.directories, 'directory', 'directories')}**,"
        f" {amount(survey.total_bytes)}.",
    )


@component
async def Duplicated(compared: Deferred[Duplicates]) -> Node:
    """Files with the same content, the most wasteful first."""
    found = await compared
    if not found.groups:
        return Agent.Markdown("## Duplicates\n\nNo two files have the same content.")
    spare = sum(group.reclaimable_bytes for group in found.groups)
    return Agent.Markdown(
        "## Duplicates\n\n",
        f"{counted(len(found.groups), 'group')} of equal files; keeping one of each would free"
        f" **{amount(spare)}**.\n\n",
        listed([duplicate_line(group) for group in found.groups]),
    )


@component
async def Conspicuous(surveyed: Deferred[Survey], named: Deferred[tuple[Finding, ...]]) -> Node:
    """Empty files, broken links, names that will not survive a move."""
    findings = [*(await surveyed).findings, *(await named)]
    if not findings:
        return Agent.Markdown("## Findings\n\nNothing conspicuous.")
    by_kind: dict[str, list[Finding]] = {}
    for finding in findings:
        by_kind.setdefault(finding.kind, []).append(finding)
    return [
        Agent.Markdown("## Findings"),
        [
            Agent.Markdown(
                f"### {kind.replace('-', ' ').capitalize()} ({len(ones):,})\n\n",
                listed([f"{code(one.path)} – {one.detail}" for one in ones]),
            )
            for kind, ones in by_kind.items()
        ],
    ]


@component
async def Unread(surveyed: Deferred[Survey], compared: Deferred[Duplicates]) -> Node:
    """What could not be judged: represented errors, while the rest of the audit stands."""
    problems = [*(await surveyed).problems, *(await compared).problems]
    if not problems:
        return None
    rest = len(problems) - MAX_ERRORS
    return [
        Agent.Markdown("## Not audited"),
        [problem_node(problem) for problem in problems[:MAX_ERRORS]],
        Agent.Markdown(f"... and {rest:,} more.") if rest > 0 else None,
    ]


@component
async def Verdict(receipt: Deferred[AuditReceipt]) -> Node:
    """One line for a person, and the value for a machine."""
    made = await receipt
    conspicuous = sum(count.count for count in made.counts)
    return Agent.Result(
        Agent.Markdown(
            f"Audited **{counted(made.files, 'file')}**:"
            f" {counted(made.duplicates.groups, 'group')} of duplicates,"
            f" {counted(conspicuous, 'finding')},"
            f" {counted(len(made.problems) + made.omitted_problems, 'problem')}."
        ),
        value=made,
    )


def problem_node(problem: Problem) -> Node:
    """The error that stands for one file or directory."""
    return Agent.Error(problem.kind, f"{problem.path}: {problem.detail}")


def duplicate_line(group: DuplicateGroup) -> str:
    """One group in a list."""
    first, *others = group.paths
    return (
        f"{amount(group.size)} × {group.copies}: {code(first)} = "
        + ", ".join(code(path) for path in others[:2])
        + (" ..." if len(others) > 2 else "")
    )


def listed(lines: Sequence[str], count: int | None = None) -> str:
    """The first lines as a Markdown list, and how many there are besides; *count* in all."""
    rest = (len(lines) if count is None else count) - SHOWN
    shown = [f"- {line}" for line in lines[:SHOWN]]
    return "\n".join([*shown, f"- ... and {rest:,} more"] if rest > 0 else shown)


def code(text: str) -> str:
    """A path as a code span, whatever backticks it holds."""
    text = shorten(text, max_json_bytes=MAX_PATH_BYTES)
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number of things, in words that fit it."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def amount(size: float) -> str:
    """Bytes for people, in powers of 1,000 as file managers count."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    raise AssertionError("the last unit takes everything")
