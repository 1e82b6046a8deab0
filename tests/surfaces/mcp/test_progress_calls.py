"""Progress of whole invocations, from `context.progress` to the notifications of a call."""

import pytest
import trio
from trio.testing import MockClock

from trio_agent import Agent, AgentDocument, Node, Runtime, Suspense, agent, component
from trio_agent.errors import ContractError
from trio_agent.surfaces.mcp.results.policy import NATIVE
from trio_agent.surfaces.mcp.results.progress import ProgressReport
from trio_agent.surfaces.mcp.results.projection import ToolProjection
from trio_agent.testing import SingleTree, make_invocation
from trio_agent.vocabulary.event import CompleteEvent
from trio_agent.vocabulary.leaf import ProgressNode
from trio_agent.vocabulary.result import ResultNode


async def reports_of(tree: Node) -> list[ProgressReport]:
    taken: list[ProgressReport] = []

    async def take(report: ProgressReport) -> None:
        taken.append(report)

    projection = ToolProjection(NATIVE, reports=True)
    await Runtime(SingleTree(tree)).invoke(make_invocation(), projection, take)
    return taken


async def test_messages_without_numbers_reach_the_client_as_steps(
    autojump_clock: MockClock,
) -> None:
    @component
    async def Talks() -> Node:
        for message in ("Connecting", "Asking", "Asking"):
            await trio.sleep(1)
            agent().progress.report(message=message)
        await trio.sleep(1)
        return Agent.Text("done")

    assert await reports_of(Suspense(Talks(), fallback=Agent.Progress(message="Waiting"))) == [
        ProgressReport(0, None, "Waiting"),
        ProgressReport(1, None, "Connecting"),
        ProgressReport(2, None, "Asking"),
        ProgressReport(3, None, "Asking"),
    ]


async def test_a_number_that_was_reported_again_is_no_step(autojump_clock: MockClock) -> None:
    @component
    async def Counts() -> Node:
        for number, message in ((5, "a"), (5, "b"), (4, "c"), (6, "d")):
            await trio.sleep(1)
            agent().progress.report(number, message=message)
        await trio.sleep(1)
        return Agent.Text("done")

    assert await reports_of(Suspense(Counts(), fallback=None)) == [
        ProgressReport(5, None, "a"),
        ProgressReport(6, None, "d"),
    ]


async def test_named_sources_come_as_one_number(autojump_clock: MockClock) -> None:
    @component
    async def Counts() -> Node:
        hashing, reading = (agent().progress.named(name) for name in ("hashing", "reading"))
        await trio.sleep(1)
        hashing.report(1, total=4)
        await trio.sleep(1)
        reading.report(3, total=6)
        await trio.sleep(1)
        return Agent.Text("done")

    assert await reports_of(Suspense(Counts(), fallback=None)) == [
        ProgressReport(1, 4),
        ProgressReport(4, 10),
    ]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -0.5])
async def test_br_10_a_number_that_json_has_not_never_gets_that_far(number: float) -> None:
    @component
    async def Counts() -> Node:
        with pytest.raises(ContractError, match="progress completed is a finite number"):
            agent().progress.report(number)
        return None

    assert await reports_of(Counts()) == []


def test_case_101_a_node_that_only_complete_shows_is_no_notification() -> None:
    root = ResultNode.of([ProgressNode(3, 4, "left over")])
    event = CompleteEvent(0, AgentDocument.build(root))

    assert ToolProjection(NATIVE, reports=True).feed(event) == ()
