"""The resources `curator://report/{kind}`: one section of an audit of the server's library."""

from typing import Annotated, Literal

from curator.access import find_directory
from curator.audit import compare, judge_names, walk
from curator.sections import Conspicuous, Duplicated, Inventory
from trio_agent import Agent, Description, Node, ResourceContext, Suspense, resource


@resource(
    uri="curator://report/{kind}",
    mime_type="text/markdown",
    description="A report on the library of the server, made when it is read.",
    render={"max_elapsed_s": 3600.0},
)
async def report(
    context: ResourceContext,
    kind: Annotated[Literal["inventory", "findings", "duplicates"], Description("Which.")],
) -> Node:
    """Only the work that the section needs is begun."""
    surveyed = walk(await find_directory(context, None), context)
    section: Node
    match kind:
        case "inventory":
            section = Inventory(surveyed)
        case "findings":
            section = Conspicuous(surveyed, context.defer(judge_names, surveyed))
        case "duplicates":
            section = Duplicated(compare(surveyed, context))
    return Suspense(section, fallback=Agent.Progress(message="Looking at the library"))
