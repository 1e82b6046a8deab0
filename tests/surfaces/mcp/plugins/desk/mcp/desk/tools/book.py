"""A tool that asks twice, in one call or over several rounds."""

import attrs

from trio_agent import Agent, Node, ToolContext, tool


@attrs.frozen
class Guest:
    name: str
    nights: int = 1


@attrs.frozen
class Agreement:
    agreed: bool


@attrs.frozen
class Booked:
    guest: str
    nights: int
    agreed: bool


@tool(result=Booked)
async def book(room: int, context: ToolContext) -> Node:
    """Book a room."""
    guest = await context.elicit("Who is coming?", Guest)
    if guest.content is None:
        return Agent.Error(code="E_NOT_BOOKED", message=f"The guest said {guest.action}.")
    agreed = await context.elicit(f"Room {room} for {guest.content.name}?", Agreement)
    booked = Booked(
        guest.content.name,
        guest.content.nights,
        agreed.content is not None and agreed.content.agreed,
    )
    return Agent.Result(Agent.Text("Booked."), value=booked)
