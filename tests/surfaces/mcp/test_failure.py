"""What a throw becomes, row by row of the table in the reference of errors."""

import logging

import mcp_types
import pytest
import trio
import trio.testing
from attrs import frozen

from trio_agent import (
    Agent,
    AgentError,
    InvocationError,
    Node,
    Runtime,
    Suspense,
    agent,
    component,
)
from trio_agent.errors import ContractError, InvocationCancelledError
from trio_agent.protocol.schema.issues import SchemaError, SchemaIssue
from trio_agent.protocol.schema.structuring import structure
from trio_agent.routes.plugin import PluginError
from trio_agent.surfaces.mcp.results.failure import (
    LONGEST_ISSUE,
    LONGEST_TEXT,
    log_failure,
    new_error_id,
    request_failure,
    tool_failure,
)
from trio_agent.surfaces.mcp.results.policy import NATIVE
from trio_agent.surfaces.mcp.results.projection import ToolProjection
from trio_agent.surfaces.mcp.rpc import INTERNAL_ERROR, INVALID_PARAMS, RpcError
from trio_agent.testing import SingleTree, make_invocation
from trio_agent.vocabulary.event import ErrorEvent, Failure

ID = "0123456789abcdef"
SECRET = "postgres://ops:hunter2@db/x"


@component
async def Raises(error: BaseException) -> Node:
    raise error


@component
async def Raises_two() -> Node:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(fail, "a")
        nursery.start_soon(fail, "b")
    return None


@component
async def Raises_one_in_a_group() -> Node:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(fail, "alone")
    return None


async def fail(text: str) -> None:
    raise ValueError(text)


async def thrown(tree: Node) -> InvocationError:
    async def take(report: object) -> None: ...

    runtime = Runtime(SingleTree(tree))
    with pytest.raises(InvocationError) as caught:
        await runtime.invoke(make_invocation(), ToolProjection(NATIVE, reports=False), take)
    return caught.value


def text_of(error: BaseException, *, is_hidden: bool = False) -> str:
    result = tool_failure(error, "code" if is_hidden else "message", ID)
    read = mcp_types.CallToolResult.model_validate(result)
    (block,) = read.content
    assert isinstance(block, mcp_types.TextContent)
    assert set(result) == {"content", "isError"}
    assert read.is_error
    return block.text


# ---------------------------------------------------------------- tools


async def test_case_116_a_tool_that_throws_is_one_text_without_code_metadata_or_value() -> None:
    error = await thrown(Agent.Result(Raises(ValueError("no such library")), metadata={"a": 1}))

    assert tool_failure(error, "message", ID) == {
        "content": [{"type": "text", "text": "no such library"}],
        "isError": True,
    }


async def test_an_empty_message_is_the_name_of_the_class() -> None:
    assert text_of(await thrown(Raises(trio.TooSlowError()))) == "TooSlowError"


async def test_a_group_of_one_is_its_member_and_of_more_their_count_and_the_first() -> None:
    assert text_of(await thrown(Raises_one_in_a_group())) == "alone"
    assert text_of(await thrown(Raises_two())).startswith("2 errors, the first: ")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ExceptionGroup("g", [ValueError("one")]), "one"),
        (ExceptionGroup("g", [ValueError("one"), KeyError("k")]), "2 errors, the first: one"),
        (
            BaseExceptionGroup("g", [BaseExceptionGroup("h", [KeyboardInterrupt()])]),
            "KeyboardInterrupt",
        ),
        (PluginError("tools/x.py: no route"), "tools/x.py: no route"),
        (InvocationCancelledError("invocation 1 was cancelled"), "invocation 1 was cancelled"),
        (ContractError("invalid-document", "input is odd"), "input is odd"),
        (OSError(), "OSError"),
    ],
)
def test_what_never_was_an_invocation_reads_the_same(error: BaseException, text: str) -> None:
    assert text_of(error) == text


async def test_an_agent_error_is_always_shown_with_its_code() -> None:
    error = await thrown(Raises(AgentError("E_LOCKED", "the library is locked")))

    assert text_of(error) == "[E_LOCKED] the library is locked"
    assert text_of(error, is_hidden=True) == "[E_LOCKED] the library is locked"
    assert text_of(await thrown(Raises(AgentError("E_LOCKED", "")))) == "[E_LOCKED]"


async def test_an_agent_error_that_nobody_awaited_is_not_the_failure_itself() -> None:
    async def fail_later() -> None:
        raise AgentError("E_LOCKED", SECRET)

    @component
    async def Defers() -> Node:
        _ = agent().defer(fail_later)
        await trio.testing.wait_all_tasks_blocked()
        return None

    error = await thrown(Suspense(Defers(), fallback=None))

    assert error.code == "deferred-failed"
    assert text_of(error, is_hidden=True).startswith("[deferred-failed] ")
    assert SECRET not in text_of(error, is_hidden=True)


def test_an_agent_error_beside_the_real_failure_does_not_open_it() -> None:
    error = InvocationError(
        "document-bytes-exceeded", SECRET, event=ErrorEvent(0, Failure("x", "x"))
    )
    error.__cause__ = ExceptionGroup("g", [AgentError("E_X", "x"), ValueError()])

    assert SECRET not in text_of(error, is_hidden=True)
    assert text_of(error) == SECRET


async def test_br_38_a_hidden_message_leaves_a_code_and_the_id_that_finds_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    error = await thrown(Raises(ValueError(SECRET)))
    log_failure(error, ID, "tool:curator/audit")

    assert text_of(error) == SECRET
    assert text_of(error, is_hidden=True) == (
        f"[render-failed] The log of the server has the details: error {ID}"
    )
    assert f"tool:curator/audit failed (error {ID}): [render-failed] {SECRET}" in caplog.text


async def test_a_message_of_megabytes_is_cut_and_says_so() -> None:
    text = text_of(ValueError("x" * 1_000_000))

    assert len(text) < LONGEST_TEXT + 100
    assert text.endswith(f"… (1000000 characters; the log has them: error {ID})")


# ---------------------------------------------------------------- arguments


@frozen
class Input:
    root: str
    limit: int = 3


def wrong() -> SchemaError:
    with pytest.raises(SchemaError) as caught:
        structure(Input, {"limit": "x", "depth": 1}, place="input")
    return caught.value


def test_wrong_arguments_are_one_error_with_every_path_also_when_messages_are_hidden() -> None:
    expected = (
        "Invalid arguments:\n"
        "input.root: expected string, received nothing\n"
        'input.limit: expected integer, received "x"\n'
        'input: expected no unknown key "depth" (known: "root", "limit"), received 1'
    )

    assert text_of(wrong()) == expected
    assert text_of(wrong(), is_hidden=True) == expected


def test_every_path_means_every_path() -> None:
    issues = [SchemaIssue(expected="x", steps=("rows", n)) for n in range(300)]
    lines = text_of(SchemaError(issues)).splitlines()

    assert lines[1:] == [str(issue) for issue in issues]


def test_paths_that_the_client_made_of_megabytes_are_cut() -> None:
    issues = [SchemaIssue(expected="x", steps=("k" * 10_000, n)) for n in range(300)]
    text = text_of(SchemaError(issues))
    lines = text.splitlines()

    assert len(text) <= LONGEST_TEXT
    assert {len(line) for line in lines[1:-1]} == {LONGEST_ISSUE}
    assert lines[-1] == f"... and {302 - len(lines)} more"


# ---------------------------------------------------------------- prompts and resources


async def test_case_32_a_prompt_that_throws_is_an_error_with_the_message() -> None:
    error = await thrown(Raises(ValueError("no such template")))

    assert request_failure(error, "message", ID).to_wire() == {
        "code": INTERNAL_ERROR,
        "message": "no such template",
        "data": {"code": "render-failed"},
    }


async def test_a_hidden_error_of_a_request_has_code_and_id() -> None:
    error = await thrown(Raises(ValueError(SECRET)))

    assert request_failure(error, "code", ID).to_wire() == {
        "code": INTERNAL_ERROR,
        "message": f"[render-failed] The log of the server has the details: error {ID}",
        "data": {"code": "render-failed", "errorId": ID},
    }


async def test_an_agent_error_of_a_request_is_always_shown() -> None:
    error = await thrown(Raises(AgentError("E_GONE", "no such book")))
    wire = request_failure(error, "code", ID).to_wire()

    assert wire["message"] == "[E_GONE] no such book"
    assert wire["data"] == {"code": "E_GONE"}


def test_wrong_arguments_of_a_request_are_invalid_params() -> None:
    failure = request_failure(wrong(), "code", ID)

    assert failure.code == INVALID_PARAMS
    assert "input.root: expected string, received nothing" in failure.message


def test_an_error_that_is_one_already_stays_as_it_is() -> None:
    error = RpcError(-32002, "Resource not found")

    assert request_failure(error, "code", ID) is error


# ---------------------------------------------------------------- the log


def test_an_id_is_sixteen_hexadecimal_digits() -> None:
    first, second = new_error_id(), new_error_id()

    assert len(first) == 16
    assert int(first, 16) >= 0
    assert first != second


async def test_the_log_has_a_traceback_of_what_only_code_can_explain(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log_failure(await thrown(Raises(ValueError("bug"))), ID, "tool:a/b")
    assert "raise error\nValueError: bug" in caplog.text
    caplog.clear()

    log_failure(await thrown(Raises(AgentError("E_X", "known"))), ID, "tool:a/b")
    log_failure(ExceptionGroup("g", [PluginError("tools/x.py:3: no route")]), ID, "tool:a/b")
    assert "Traceback" not in caplog.text
    assert "ExceptionGroup" not in caplog.text
    assert len(caplog.records) == 2


def test_wrong_arguments_are_logged_for_debugging_only(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "trio_agent.mcp"):
        log_failure(wrong(), ID, "tool:a/b")

    assert [record.levelno for record in caplog.records] == [logging.DEBUG]
    assert "Traceback" not in caplog.text
