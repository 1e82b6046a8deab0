"""Tools: what the decorator keeps, what it refuses, and what a listing gets of it."""

from typing import Any

import attrs
import pytest

from trio_agent import Agent, Node, ToolContext, tool
from trio_agent.errors import ContractError
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.tools import ToolRoute
from trio_agent.testing import render_route
from trio_agent.vocabulary.json import Json


@attrs.frozen
class Found:
    files: int


def test_what_the_decorator_said_is_kept() -> None:
    @tool(
        description="Audits.",
        title="Audit",
        icons=[{"src": "data:,x"}],
        annotations={"title": "Audit"},
        meta={"vendor/x": 1},
        exclude_clients=["codex"],
        render={"max_elapsed_s": 120},
        task_support="optional",
        result=Found,
        input_schema={"type": "object"},
        structured="never",
        scalar="wrap",
        thread=False,
    )
    def audit() -> Node: ...

    assert isinstance(audit, ToolRoute)
    assert (audit.description, audit.title) == ("Audits.", "Audit")
    assert (audit.icons, audit.annotations) == (({"src": "data:,x"},), {"title": "Audit"})
    assert (audit.meta, audit.exclude_clients) == ({"vendor/x": 1}, ("codex",))
    assert (audit.limits, audit.task_support) == ({"max_elapsed_s": 120}, "optional")
    assert (audit.result, audit.form_schema) == (Found, {"type": "object"})
    assert (audit.structured, audit.scalar, audit.thread) == ("never", "wrap", False)
    assert audit.handler() is None
    assert audit.name.endswith("audit")
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        audit.title = "other"  # type: ignore[misc]  # wrong on purpose


def test_the_defaults_say_nothing() -> None:
    @tool()
    def audit() -> str:
        """Audits a library."""
        return ""

    assert (audit.description, audit.title) == ("Audits a library.", None)
    assert (audit.icons, audit.annotations, audit.meta) == ((), {}, None)
    assert (audit.exclude_clients, audit.task_support) == ((), "forbidden")
    assert (audit.structured, audit.scalar, audit.form_schema) == ("always", "text", None)
    assert (audit.limits, audit.result, audit.thread) == ({}, None, True)
    assert audit.handler() == ""


def test_what_was_given_can_change_without_changing_the_tool() -> None:
    given: Any = {"type": "object", "properties": {}}
    icons: Any = [{"src": "data:,x"}]

    @tool(input_schema=given, icons=icons, annotations=given, meta=given)
    def audit() -> str:
        return ""

    given["properties"]["a"] = {}
    icons[0].clear()
    assert audit.form_schema == {"type": "object", "properties": {}} == audit.meta
    assert audit.icons == ({"src": "data:,x"},)
    assert audit.handler() == ""


def test_shortcuts_become_hints() -> None:
    @tool(read_only=True, destructive=False, idempotent=True, open_world=False)
    def audit() -> str:
        return ""

    assert audit.annotations == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert audit.handler() == ""


def test_a_shortcut_may_repeat_a_hint_and_not_contradict_it() -> None:
    tool(read_only=True, annotations={"readOnlyHint": True, "title": "x"})
    with pytest.raises(
        PluginError,
        match="read_only=False contradicts annotations, which say 'readOnlyHint': True",
    ):
        tool(read_only=False, annotations={"readOnlyHint": True})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"meta": {"a": {1}}}, r"meta\.a is an instance of builtins.set"),
        ({"meta": [1]}, r"meta is a JSON object, received \[1\]"),
        ({"icons": ["x"]}, "icons is a JSON object, received 'x'"),
        ({"annotations": {1: 2}}, "annotations has the key 1"),
    ],
)
def test_what_is_no_json_object_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        tool(**arguments)


def test_limits_and_functions_are_checked_as_for_a_command() -> None:
    with pytest.raises(ContractError, match="max_elapsed_s of a route is at most 86400"):
        tool(render={"max_elapsed_s": 86_401})
    with pytest.raises(PluginError, match="@tool takes a def or an async def"):
        tool()(len)


async def test_a_tool_runs_as_a_command_does() -> None:
    @tool(result=Found)
    async def audit(files: int, context: ToolContext) -> Node:
        assert context.invocation.target == "test"
        return Agent.Result(Agent.Text("done"), value=Found(files))

    @tool()
    def add(a: int, b: int = 0) -> int:
        return a + b

    rendered = await render_route(audit, {"files": 3})
    assert rendered.value == {"files": 3}
    assert (await render_route(add, {"a": 1})).value == 1
    check = audit.check_value
    assert check is not None
    with pytest.raises(ContractError, match=r"value\.files"):
        check(Json.of({"files": "x"}))
