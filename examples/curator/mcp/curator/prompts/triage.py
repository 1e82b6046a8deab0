"""The prompt `triage`: what to ask a model that has these tools."""

import enum
from typing import Annotated

from curator.library import rules_page
from trio_agent import Agent, Description, Message, prompt


class Focus(enum.Enum):
    """What somebody wants to get done."""

    SPACE = "space"
    NAMES = "names"
    BACKUP = "backup"


TASKS = {
    Focus.SPACE: (
        "Call `list_largest` and `find_duplicates`. Name what could go, with the bytes that it"
        " would free, the safest first. Call `plan_cleanup` when I agree."
    ),
    Focus.NAMES: (
        "Call `audit_library`. For every finding about a name propose a new one, as a table of"
        " the old and the new. The rules are attached."
    ),
    Focus.BACKUP: (
        "Ask me where the backup is, and call `compare_folders`. Say first whether anything"
        " would be lost if only the backup were left."
    ),
}


@prompt(title="Triage a library", description="Begin to tidy up a directory of files.")
async def triage(
    focus: Annotated[Focus, Description("What it is about.")],
    directory: Annotated[str, Description("Which; by default the library of the server.")] = "",
) -> list[Message]:
    """One message, and the rules where they are needed."""
    where = f"the directory {directory}" if directory else "the library of the server"
    asked = Message("user", f"Look at {where}. {TASKS[focus]} Change nothing yourself.")
    if focus is not Focus.NAMES:
        return [asked]
    attached = Agent.Resource(
        "curator://rules", "rules", mime_type="text/markdown", text=rules_page()
    )
    return [asked, Message("user", attached)]
