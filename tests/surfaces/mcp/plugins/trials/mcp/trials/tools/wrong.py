"""Returns something else than it declared."""

from typing import Literal

import attrs

from trio_agent import Agent, Node, tool


@attrs.frozen
class Num:
    n: int


class Mute:
    def __str__(self) -> str:
        raise RuntimeError("never")

    __repr__ = __str__


Way = Literal["missing", "type", "set", "lambda", "mute", "generator", "right"]


@tool(result=Num)
async def wrong(way: Way) -> Node:
    """Return it."""
    values: dict[Way, object] = {
        "missing": {},
        "type": {"n": "1"},
        "set": {"n": {1}},
        "lambda": lambda: 1,
        "mute": Mute(),
        "generator": (number for number in range(3)),
        "right": Num(3),
    }
    return Agent.Result(Agent.Text("x"), value=values[way])
