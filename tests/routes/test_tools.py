"""Tools: what the decorator keeps, what it refuses, and what a listing gets of it."""

from typing import Any, cast

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
        ({"description": " "}, "@tool: description is a string that is not blank, received ' '"),
        ({"title": 3}, "title is a string that is not blank, received 3"),
        ({"meta": [1]}, r"meta is a JSON object, received \[1\]"),
        ({"meta": {"a": float("inf")}}, r"meta\.a is a non-finite number"),
        ({"meta": {"a": 2**60}}, r"meta\.a is an integer beyond"),
        ({"icons": ["x"]}, r"icons is a list of JSON objects with 'src', a string, received \['x"),
        (
            {"icons": [{"src": "data:,x", "a": float("nan")}]},
            r"icons\[0\]\.a is a non-finite number",
        ),
        ({"annotations": {1: 2}}, "annotations is a JSON object, received {1: 2}"),
        ({"exclude_clients": [""]}, "exclude_clients is a list of strings of 1 to 128"),
        ({"exclude_clients": ["x" * 129]}, "exclude_clients is a list of strings of 1 to 128"),
        ({"render": 3}, "render is an object of limits, received 3"),
        ({"task_support": "maybe"}, "task_support is 'forbidden', 'optional' or 'required'"),
        ({"input_schema": {}}, "input_schema is a JSON Schema whose type is 'object'"),
        ({"structured": "sometimes"}, "structured is 'always' or 'never', received 'sometimes'"),
        ({"scalar": None}, "scalar is 'text', 'wrap' or 'reject', received None"),
        ({"read_only": 1}, "read_only is True, False or None, received 1"),
        ({"thread": "no"}, "thread is True or False, received 'no'"),
    ],
)
def test_what_is_not_what_an_argument_takes_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        tool(**arguments)


def test_a_client_prefix_may_have_128_characters() -> None:
    tool(exclude_clients=["x" * 128])


# ------------------------------------------------------------------------------ what is listed


def listed(route: ToolRoute) -> tuple[object, bool]:
    return route.output_schema, route.wraps


OBJECT = {
    "type": "object",
    "properties": {"files": {"type": "integer"}},
    "required": ["files"],
    "additionalProperties": False,
}


def test_the_input_schema_is_made_of_the_types_and_not_of_the_literal() -> None:
    @tool(input_schema={"type": "object", "properties": {"other": {}}})
    async def audit(files: int, context: ToolContext, deep: bool = False) -> None: ...

    schema = audit.input_schema
    assert schema is audit.input_schema
    assert (schema["type"], schema["required"]) == ("object", ["files"])
    assert schema["properties"] == {
        "files": {"type": "integer"},
        "deep": {"type": "boolean", "default": False},
    }


def test_an_output_schema_is_published_for_objects_only() -> None:
    @tool()
    async def found() -> Found: ...  # type: ignore[empty-body]  # only looked at

    @tool(result=Found)
    async def shown() -> Node: ...

    @tool()
    async def count() -> int: ...  # type: ignore[empty-body]  # only looked at

    @tool()
    async def maybe() -> Found | None: ...

    @tool(scalar="wrap")
    async def nothing() -> None: ...

    @tool()
    async def nodes() -> Node: ...

    assert listed(found) == listed(shown) == (OBJECT, False)
    for route in (count, maybe, nodes):
        assert listed(route) == (None, False)
    assert listed(nothing) == (None, True)


def test_a_tool_that_keeps_its_value_to_itself_promises_nothing() -> None:
    @tool(structured="never", scalar="wrap")
    async def found() -> Found: ...  # type: ignore[empty-body]  # only looked at

    @tool(structured="never", scalar="wrap")
    async def count() -> int: ...  # type: ignore[empty-body]  # only looked at

    assert listed(found) == (None, False)
    # A plugin may say for some clients that it does go out, and then as always.
    assert listed(count) == (None, True)


def test_a_scalar_that_is_wrapped_is_promised_as_the_member_result() -> None:
    @tool(scalar="wrap")
    async def count() -> int: ...  # type: ignore[empty-body]  # only looked at

    @tool(scalar="wrap")
    async def found() -> Found: ...  # type: ignore[empty-body]  # only looked at

    @tool(scalar="wrap")
    async def maybe() -> Found | None: ...

    assert listed(count) == (
        {"type": "object", "properties": {"result": {"type": "integer"}}, "required": ["result"]},
        True,
    )
    assert listed(found) == (OBJECT, False)
    schema, wraps = cast("tuple[dict[str, Any], bool]", listed(maybe))
    assert wraps
    # One tool, one shape: what is sometimes an object is wrapped then too.
    assert schema["required"] == ["result"]
    assert schema["properties"] == {"result": {"anyOf": [OBJECT, {"type": "null"}]}}


@attrs.frozen
class Tree:
    children: "list[Tree]"


def test_definitions_stay_at_the_top_of_what_is_wrapped() -> None:
    @tool(scalar="wrap")
    async def trees() -> list[Tree]: ...  # type: ignore[empty-body]  # only looked at

    schema, _ = cast("tuple[dict[str, Any], bool]", listed(trees))
    assert [*schema["$defs"]] == ["Tree"]
    assert "$defs" not in schema["properties"]["result"]


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
