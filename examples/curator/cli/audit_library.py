"""`audit-library DIRECTORY`: look at everything in a directory, and say what is odd about it."""

from pathlib import Path
from typing import Annotated

from attrs import frozen

from curator.access import check_directory
from curator.audit import audit_page
from curator.library import AuditReceipt
from trio_agent import CommandContext, Description, Node, Positional, command


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
    """Refuse what cannot be audited at all before anything is promised, and audit the rest."""
    await check_directory(params.directory)
    return audit_page(params.directory, context)
