"""Trees with a host: a slow one, and one that answers with another invocation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import trio

from tests.trees import Reader
from trio_agent import Node, Runtime
from trio_agent.context.host import ReplayChannel
from trio_agent.context.input_required import InputRequiredError
from trio_agent.testing import SingleTree, make_invocation

if TYPE_CHECKING:
    from trio_agent.context.host import HostChannel, Notice
    from trio_agent.context.question import Question

Answer = Mapping[str, object]

ANYTHING: dict[str, object] = {"type": "object", "properties": {"it": {"type": "string"}}}


class SlowHost:
    """Takes its time for each answer and each notice."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.cancelled = 0
        self.told: list[Notice] = []

    async def ask(self, key: str, question: Question) -> Answer:
        try:
            await trio.sleep(self.seconds)
        except trio.Cancelled:
            self.cancelled += 1
            raise
        return {"action": "accept", "content": {"it": "late"}}

    async def tell(self, notice: Notice) -> None:
        await trio.sleep(self.seconds)
        self.told.append(notice)


async def invoke(tree: Node, host: HostChannel | None) -> Reader:
    """Run a tree with a host; what was read of it."""
    reader = Reader()
    await Runtime(SingleTree(tree)).invoke(make_invocation(), reader, reader.sink, host=host)
    return reader


async def invoke_in_rounds(
    tree: Node, answer: Callable[[Question], Answer], *, most: int = 10
) -> tuple[Reader, list[list[str]]]:
    """Run a tree again and again with all the answers so far; the messages of each round."""
    answers: dict[str, Answer] = {}
    rounds: list[list[str]] = []
    for _ in range(most):
        try:
            return await invoke(tree, ReplayChannel(answers)), rounds
        except InputRequiredError as error:
            rounds.append([question.message for question in error.questions.values()])
            answers |= {key: answer(one) for key, one in error.questions.items()}
    raise AssertionError(f"still asking after {most} rounds: {rounds}")
