"""The tool `audit_library`: what the command of that name does, for a host."""

from curator.access import find_directory
from curator.audit import audit_page
from curator.inputs import Directory
from curator.library import AuditReceipt
from trio_agent import Node, ToolContext, tool


@tool(
    description=(
        "Audit a directory: duplicates, broken links, fragile names, what cannot be read."
        " Changes nothing. Large directories take minutes."
    ),
    read_only=True,
    idempotent=True,
    open_world=False,
    result=AuditReceipt,
    render={"max_elapsed_s": 3600.0},
)
async def audit_library(context: ToolContext, directory: Directory = None) -> Node:
    """Refuse what cannot be audited at all before anything is promised, and audit the rest."""
    return audit_page(await find_directory(context, directory), context)
