"""The script `nightly [DIRECTORY]...`: what became of each library since yesterday, in a line.

Made for cron: the exit code is 1 if anything could not be read, and `--json` is for whoever keeps
the numbers.  Without words it looks at the library of the server, `CURATOR_ROOT`.
"""

from collections.abc import Sequence
from pathlib import Path

from attrs import frozen

from curator.access import check_directory, find_directory
from curator.library import AuditReceipt, audit
from curator.sections import amount, code, counted
from trio_agent import Agent, Deferred, Node, ScriptContext, Suspense, component, script


@frozen
class NightReport:
    """The value of the document: one receipt for each library, in the order of the words."""

    libraries: tuple[AuditReceipt, ...]


@script(
    description="Audit libraries by night: a line for each, and an exit code for cron.",
    result=NightReport,
    render={"max_elapsed_s": 21600.0},
)
async def nightly(argv: Sequence[str], context: ScriptContext) -> Node:
    """Refuse what cannot be audited before anything is promised, and audit the rest."""
    directories = [Path(word) for word in argv] or [await find_directory(context, None)]
    for directory in directories:
        await check_directory(directory)
    receipts: list[Deferred[AuditReceipt]] = []
    for directory in directories:
        receipts.append(context.defer(audit_after, receipts[-1:], directory, context))
    return [
        Agent.Markdown("# Tonight"),
        [
            Suspense(Line(receipt), fallback=Agent.Progress(message=f"Auditing {directory}"))
            for directory, receipt in zip(directories, receipts, strict=True)
        ],
        Suspense(Report(receipts)),
    ]


async def audit_after(
    before: Sequence[Deferred[AuditReceipt]], directory: Path, context: ScriptContext
) -> AuditReceipt:
    """One library at a time: two on one disk would only be in each other's way."""
    for receipt in before:
        await receipt
    return await audit(directory, context.progress.report)


@component
async def Line(receipt: Deferred[AuditReceipt]) -> Node:
    """One library, and an error for what could not be read in it."""
    made = await receipt
    unread = len(made.problems) + made.omitted_problems
    return [
        Agent.Markdown(
            f"{code(made.root)}: {counted(made.files, 'file')}, {amount(made.total_bytes)}, of"
            f" which {amount(made.duplicates.reclaimable_bytes)} in duplicates;"
            f" {counted(sum(one.count for one in made.counts), 'finding')}."
        ),
        Agent.Error("unread", f"{made.root}: {counted(unread, 'problem')}") if unread else None,
    ]


@component
async def Report(receipts: Sequence[Deferred[AuditReceipt]]) -> Node:
    """The value, when all are done."""
    return Agent.Result(value=NightReport(tuple([await receipt for receipt in receipts])))
