"""`audit-library DIRECTORY`: look at everything in a directory, and say what is odd about it.

The work is deferred at once, so it runs while the document is being written; each section
appears when what it needs is there, and the value comes last.
"""

from pathlib import Path
from typing import Annotated

from attrs import frozen

from curator.library import (
    AuditReceipt,
    Duplicates,
    Finding,
    LibraryError,
    Report,
    Survey,
    check_names,
    check_root,
    find_duplicates,
    make_receipt,
    survey,
)
from curator.sections import Conspicuous, Duplicated, Inventory, Unread, Verdict
from trio_agent import (
    Agent,
    AgentError,
    CommandContext,
    Deferred,
    Description,
    Node,
    Positional,
    Suspense,
    command,
)


@frozen
class AuditInput:
    """What to audit."""

    directory: Annotated[Path, Positional(), Description("The directory to audit.")]


@command(
    description="Audit a directory: duplicates, broken links, fragile names, what cannot be read.",
    result=AuditReceipt,
    render={"max_elapsed_s": 3600.0},
)
async def audit_library(params: AuditInput, context: CommandContext) -> Node:
    """Defer the work, and lay out the sections that wait for it."""
    await refuse_early(params.directory)
    progress = context.progress
    surveyed = context.defer(survey, params.directory, progress.named("walking").report)
    named = context.defer(judge_names, surveyed)
    compared = context.defer(compare, surveyed, progress.named("hashing").report)
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


async def refuse_early(directory: Path) -> None:
    """Refuse a directory that cannot be audited at all, before anything is promised."""
    try:
        await check_root(directory)
    except LibraryError as error:
        raise AgentError(error.code, str(error)) from error


async def judge_names(surveyed: Deferred[Survey]) -> tuple[Finding, ...]:
    """Names need the walk to be over: a collision is between neighbours."""
    return await check_names(await surveyed)


async def compare(surveyed: Deferred[Survey], report: Report) -> Duplicates:
    """Contents are compared once all sizes are known."""
    return await find_duplicates(await surveyed, report)


async def condense(
    surveyed: Deferred[Survey],
    compared: Deferred[Duplicates],
    named: Deferred[tuple[Finding, ...]],
) -> AuditReceipt:
    """The value of the document."""
    return make_receipt(await surveyed, await compared, await named)
