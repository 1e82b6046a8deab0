"""Says that it failed, and is a task whenever it can be one."""

from trio_agent import Agent, Node, tool


@tool(description="Spill.", task_support="required")
async def spill() -> Node:
    return Agent.Result(
        Agent.Text("So much for that."), Agent.Error(code="E_SPILT", message="All on the floor.")
    )
