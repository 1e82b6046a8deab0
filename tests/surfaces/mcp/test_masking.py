"""What was thrown inside of boundaries: always in the log, and shown only where messages are."""

from __future__ import annotations

import re
from typing import Any

import pytest

from trio_agent import Agent, AgentError, Node, ProcessError, Runtime, Suspense, component
from trio_agent.errors import InvocationError
from trio_agent.surfaces.mcp.results.masking import BoundaryWatch
from trio_agent.surfaces.mcp.results.policy import NATIVE
from trio_agent.surfaces.mcp.results.projection import ToolProjection
from trio_agent.testing import SingleTree, make_invocation

SECRET = "postgres://ops:hunter2@db.internal/prod"
MASKED = re.compile(r"\[([a-z-]+)\] The log of the server has the details: error ([0-9a-f]{16})")


@component
async def Fails(error: Exception) -> Node:
    raise error


def part(error: Exception) -> Node:
    return Suspense(Fails(error), fallback=Agent.Progress(message="Looking"))


async def result_of(tree: Node, expose: Any) -> Any:
    async def take(output: object) -> None:
        raise AssertionError(output)

    watch = BoundaryWatch(ToolProjection(NATIVE, reports=False), expose, "tool:depot/look")
    return await Runtime(SingleTree(tree)).invoke(make_invocation(), watch, take)


async def test_br_38_the_text_of_a_part_is_hidden_and_found_by_its_id(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tree = Agent.Result(
        Agent.Markdown("before"),
        Agent.Result(part(ConnectionError(SECRET))),
        part(AgentError("E_CLOSED", "closed on Sundays")),
        Agent.Error("boundary", "said, not thrown"),
        value={"found": False},
        metadata={"of": "layout"},
    )
    result = await result_of(tree, "code")

    before, hidden, meant, said = (block["text"] for block in result["content"])
    assert (before, meant) == ("before", "[E_CLOSED] closed on Sundays")
    assert said == "[boundary] said, not thrown"
    found = MASKED.fullmatch(hidden)
    assert found is not None
    assert found.group(1) == "boundary"
    assert (result["isError"], result["structuredContent"]) == (True, {"found": False})
    assert result["_meta"] == {"of": "layout"}
    (line,) = (line for line in caplog.messages if found.group(2) in line)
    assert line.startswith("tool:depot/look failed in part at b:")
    assert line.endswith(f"[boundary] {SECRET}")


@pytest.mark.parametrize(
    "error", [ProcessError(f"psql {SECRET}"), ExceptionGroup("", [OSError(SECRET)])]
)
async def test_br_38_no_exception_but_an_agent_error_is_shown(error: Exception) -> None:
    (block,) = (await result_of(part(error), "code"))["content"]
    assert MASKED.fullmatch(block["text"])


async def test_where_messages_are_shown_the_log_has_them_all_the_same(
    caplog: pytest.LogCaptureFixture,
) -> None:
    (block,) = (await result_of(part(ConnectionError(SECRET)), "message"))["content"]
    assert block["text"] == f"[boundary] {SECRET}"
    assert SECRET in caplog.text


async def test_a_success_is_passed_through_and_a_failure_is_somebody_else_s(
    caplog: pytest.LogCaptureFixture,
) -> None:
    shown = await result_of(Agent.Result(Agent.Text("x"), Suspense(Agent.Text("y"))), "code")
    assert [block["text"] for block in shown["content"]] == ["x", "y"]
    with pytest.raises(InvocationError):
        await result_of(Fails(ConnectionError(SECRET)), "code")
    assert caplog.text == ""
