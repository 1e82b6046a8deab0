"""A tool that is always a task, and says that it failed."""

import trio

from trio_agent import Agent, Node, tool


@tool(description="Fail, after a while.", task_support="required")
async def failing_job() -> Node:
    await trio.sleep(1)
    return Agent.Error(code="E_JOB", message="The job failed.")
