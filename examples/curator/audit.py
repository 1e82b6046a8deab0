"""An audit as it is rendered: one page for the command and for the tool.

The work is deferred at once, so it runs while the document is being written; each section
appears when what it needs is there, and the value comes last.
"""

from pathlib import Path

from curator.library import (
    AuditReceipt,
    Duplicates,
    Finding,
    Report,
    Survey,
    check_names,
    find_duplicates,
    make_receipt,
    survey,
)
from curator.sections import Conspicuous, Duplicated, Inventory, Unread, Verdict
from trio_agent import Agent, Deferred, Node, Suspense, ToolContext


def audit_page(directory: Path, context: ToolContext) -> Node:
    """Defer the work, and lay out the sections that wait for it."""
    surveyed = walk(directory, context)
    named = context.defer(judge_names, surveyed)
    compared = compare(surveyed, context)
    receipt = context.defer(condense, surveyed, compared, named)
    return [
        Agent.Markdown("# Library audit"),
        Suspense(Inventory(surveyed), fallback=Agent.Progress(message="Walking the directory")),
        Suspense(
            Conspicuous(surveyed, named), fallback=Agent.Progress(message="Looking at the names")
        ),
        Suspense(Duplicated(compared), fallback=Agent.Progress(message="Comparing the contents")),
        Suspense(Unread(surveyed, compared)),
        Suspense(Verdict(receipt), fallback=Agent.Progress(message="Summing up")),
    ]


def walk(directory: Path, context: ToolContext, source: str = "walking") -> Deferred[Survey]:
    """Begin to walk; reports under the name *source*."""
    return context.defer(survey, directory, context.progress.named(source).report)


def compare(surveyed: Deferred[Survey], context: ToolContext) -> Deferred[Duplicates]:
    """Begin to compare contents as soon as all sizes are known."""
    return context.defer(read_contents, surveyed, context.progress.named("hashing").report)


async def read_contents(surveyed: Deferred[Survey], report: Report) -> Duplicates:
    """Contents are compared once all sizes are known."""
    return await find_duplicates(await surveyed, report)


async def judge_names(surveyed: Deferred[Survey]) -> tuple[Finding, ...]:
    """Names need the walk to be over: a collision is between neighbours."""
    return await check_names(await surveyed)


async def condense(
    surveyed: Deferred[Survey],
    compared: Deferred[Duplicates],
    named: Deferred[tuple[Finding, ...]],
) -> AuditReceipt:
    """The value of the document."""
    return make_receipt(await surveyed, await compared, await named)
