"""The public type of a tool's result, and what may be attached to one."""

import mcp_types
import pytest
from attrs import frozen
from hypothesis import given

from tests import strategies
from trio_agent.errors import ContractError
from trio_agent.surfaces.mcp.results.result import CallToolResult, attach_structured_content
from trio_agent.vocabulary.json import JsonValue


@frozen
class Receipt:
    files: int


def result(**more: object) -> CallToolResult:
    return {"content": [{"type": "text", "text": "a"}], **more}  # type: ignore[typeddict-item]  # of the type


def test_case_109_an_object_is_attached_and_replaces_what_was_there() -> None:
    assert attach_structured_content(result(), {"a": 1}) == result(structuredContent={"a": 1})
    assert attach_structured_content(result(structuredContent={"b": 2}), {"a": 1}) == result(
        structuredContent={"a": 1}
    )


@pytest.mark.parametrize("value", [None, [1], "x", 3, True])
def test_case_109_any_other_value_changes_nothing(value: object) -> None:
    before = result(structuredContent={"b": 2}, isError=True)

    assert attach_structured_content(before, value) == before
    assert "structuredContent" not in attach_structured_content(result(), value)


def test_neither_the_result_nor_the_value_is_shared() -> None:
    before, value = result(), {"a": [1]}
    after = attach_structured_content(before, value)
    value["a"].append(2)

    assert after == result(structuredContent={"a": [1]})
    assert before == result()


def test_an_instance_of_an_attrs_class_is_its_json() -> None:
    assert attach_structured_content(result(), Receipt(3)) == result(structuredContent={"files": 3})


def test_br_10_what_is_not_json_is_refused_with_its_path() -> None:
    with pytest.raises(ContractError, match=r"value\.a\[0\] is a non-finite number, nan"):
        attach_structured_content(result(), {"a": [float("nan")]})


@given(strategies.json_values())
def test_what_comes_out_is_a_result_that_the_sdk_reads(value: JsonValue) -> None:
    after = attach_structured_content(result(), value)
    read = mcp_types.CallToolResult.model_validate(after)

    assert read.structured_content == (value if isinstance(value, dict) else None)
