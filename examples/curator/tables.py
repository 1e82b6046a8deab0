"""What the smaller tools show: components that await what a tool deferred, and carry its value.

How an audit looks is in `sections`; what is found and how is the library's business.
"""

from datetime import datetime
from pathlib import Path

import attrs
import trio

from curator.access import told
from curator.library import (
    Checksums,
    CleanupPlan,
    Comparison,
    Duplicates,
    FileDescription,
    KeepRule,
    LargestFiles,
    PathList,
    Survey,
    count_matching,
    digest,
    plan_cleanup,
    select_largest,
    summarise_duplicates,
)
from curator.sections import MAX_ERRORS, amount, code, counted, listed, problem_node
from trio_agent import Agent, Deferred, Node, ToolContext, component
from trio_agent.errors import RequestError


@component
async def Totals(compared: Deferred[Duplicates]) -> Node:
    """The value of a search for duplicates, and what it took."""
    found = await compared
    return Agent.Result(
        Agent.Markdown(
            f"Read {counted(found.hashed_files, 'file')}, {amount(found.hashed_bytes)}; the rest"
            " have a size that no other file has."
        ),
        value=summarise_duplicates(found),
    )


@component
async def Largest(surveyed: Deferred[Survey], count: int) -> Node:
    """A table of the largest files."""
    found = select_largest(await surveyed, count)
    return Agent.Result(
        Agent.Markdown(
            f"**{counted(found.files, 'file')}**, {amount(found.total_bytes)};"
            f" the {counted(len(found.largest), 'largest', 'largest')} have"
            f" {amount(found.largest_bytes)}.\n\n",
            _rows(found),
        ),
        value=found,
    )


@component
async def Counted(surveyed: Deferred[Survey], pattern: str) -> Node:
    """A number of files, and nothing else."""
    number = count_matching(await surveyed, pattern)
    return Agent.Result(Agent.Text(number), value=number)


@component
def Described(described: FileDescription) -> Node:
    """What is known about one name."""
    return Agent.Result(Agent.Json(described), value=described)


@component
async def Hashed(path: Path, described: FileDescription, context: ToolContext) -> Node:
    """The same, when the file has been read; a thread is told between two chunks to stop."""
    report = context.progress.report
    with told():
        sha256 = await trio.to_thread.run_sync(
            digest, path, report, trio.from_thread.check_cancelled
        )
    return Described(attrs.evolve(described, sha256=sha256))


@component
async def Written(hashed: Deferred[Checksums]) -> Node:
    """Where the checksums are, and of how much."""
    with told():
        made = await hashed
    again = f", {made.resumed_files:,} of which were known" if made.resumed_files else ""
    return Agent.Result(
        Agent.Markdown(
            f"Wrote the checksums of **{counted(made.files, 'file')}**,"
            f" {amount(made.total_bytes)}{again}, to {code(made.output)}."
        ),
        [problem_node(problem) for problem in made.problems[:MAX_ERRORS]],
        value=made,
    )


@component
async def Compared(compared: Deferred[Comparison]) -> Node:
    """What two trees have in common, and what not."""
    found = await compared
    lists = (
        ("Different", found.different),
        ("Only on the left", found.only_left),
        ("Only on the right", found.only_right),
        ("Could not be compared", found.unknown),
    )
    return Agent.Result(
        Agent.Markdown(f"**{counted(found.same, 'file')}** are the same on both sides."),
        [Agent.Markdown(_section(title, paths)) for title, paths in lists if paths.count],
        [problem_node(problem) for problem in found.problems[:MAX_ERRORS]],
        value=found,
    )


@attrs.frozen
class Choice:
    """What the user is asked before anything is read."""

    keep: KeepRule = "shortest-path"


@component
async def Plan(
    surveyed: Deferred[Survey], compared: Deferred[Duplicates], context: ToolContext
) -> Node:
    """Let the user say which copies stay, and plan by that."""
    survey = await surveyed
    rule, remark = await _choose(survey, context)
    if rule is None:
        return Agent.Result(Agent.Markdown(remark), value=CleanupPlan.unwanted(survey))
    found = await compared
    plan = plan_cleanup(survey, found, rule)
    return Agent.Result(
        Agent.Markdown(remark),
        Agent.Markdown(_plan_lines(plan)),
        [problem_node(problem) for problem in found.problems[:MAX_ERRORS]],
        value=plan,
    )


async def _choose(survey: Survey, context: ToolContext) -> tuple[KeepRule | None, str]:
    # The number of files may have changed when the tool is called again: the key is what stays.
    question = f"Of {counted(len(survey.files), 'file')}, equal ones are found. Which one stays?"
    try:
        answer = await context.elicit(question, Choice, key="keep")
    except RequestError:
        # A host without forms; the default harms nobody, since nothing is removed.
        return "shortest-path", "Of equal files the one with the shortest path is kept."
    if answer.content is None:
        return None, "No plan was made."
    return answer.content.keep, f"Of equal files this one is kept: {answer.content.keep}."


def _rows(found: LargestFiles) -> str:
    rows = [
        f"| {amount(file.size)} | {_day(file.modified)} | {code(file.path).replace('|', '¦')} |"
        for file in found.largest
    ]
    return "\n".join(["| size | changed | path |", "|--:|---|---|", *rows])


def _day(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d}"


def _section(title: str, paths: PathList) -> str:
    lines = [code(path) for path in paths.first]
    return f"## {title} ({paths.count:,})\n\n{listed(lines, paths.count)}"


def _plan_lines(plan: CleanupPlan) -> str:
    if not plan.steps:
        return "No two files have the same content: there is nothing to clean up."
    lines = [
        f"{amount(step.size)}: keep {code(step.keep)}, remove"
        f" {', '.join(code(path) for path in step.remove[:3])}"
        + (" ..." if len(step.remove) > 3 or step.omitted else "")
        for step in plan.steps
    ]
    return (
        f"{counted(plan.groups, 'group')} of equal files; this would free"
        f" **{amount(plan.reclaimable_bytes)}**. Nothing has been removed.\n\n{listed(lines)}"
    )
