"""A number that JSON has not, in every place where an author can put one."""

import math
from typing import Literal

from trio_agent import Agent, Node, ToolContext, tool

Place = Literal["value", "json", "progress", "metadata"]


@tool()
async def number(place: Place, context: ToolContext, sign: Literal["nan", "inf"] = "nan") -> Node:
    """Put it there."""
    bad = math.nan if sign == "nan" else -math.inf
    if place == "value":
        return Agent.Result(Agent.Text("x"), value={"deep": [1, bad]})
    if place == "json":
        return Agent.Json({"deep": [1, bad]})
    if place == "metadata":
        return Agent.Result(Agent.Text("x"), metadata={"deep": [1, bad]})
    context.progress.report(bad, message="half")
    return Agent.Text("never said")
