"""What a request gets that could not be rendered: a thrown error as a result, or as an error.

    what happened                   tools/call                     prompts/get, resources/read
    arguments do not fit            isError, every path            error -32602, every path
    a component or handler raised   isError, the message           error -32603, the message
    ... an AgentError               isError, `[code] message`      error -32603, `[code] message`
    ... and `expose` is "code"      isError, `[code]` and the id   error -32603, `[code]` and the id
    the module cannot be loaded     like a component that raised

A thrown error has no document, so there is no `_meta`, no `structuredContent` and no layout around
it, and the text of a tool is one block.  The text is that of the exception; of an empty one its
class; a group of one is its member; of more, their count and the first.  An `AgentError` is meant
for the reader, so it is always shown, code included; and what is wrong with arguments is about
what the reader sent.

The id is in the log together with the full text, whatever is exposed.  The caller brings it, so
that one failure has one id wherever it is told.
"""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.errors import AgentError, ContractError, InvocationError, TrioAgentError
from trio_agent.pipeline.author import describe, iterate_leaves
from trio_agent.protocol.schema.issues import SchemaError
from trio_agent.shown import shown
from trio_agent.surfaces.mcp.results.content import error_text, text_block
from trio_agent.surfaces.mcp.rpc import INTERNAL_ERROR, INVALID_PARAMS, JsonObject, RpcError

if TYPE_CHECKING:
    from trio_agent.routes.settings import Exposure

LONGEST_TEXT: Final = 65_536
"""Characters of a thrown error that a client gets.  The text of an exception may be megabytes, and
a frame of ten closes the connection of the official TypeScript client."""

LONGEST_ISSUE: Final = 500
"""Characters of one line about an argument; its path may be made of what the client sent."""

_log: Final = logging.getLogger("trio_agent.mcp")


@final
class ArgumentsError(ContractError):
    """A client sent arguments that are no JSON an invocation may have."""

    def __init__(self, message: str) -> None:
        super().__init__("invalid-document", message)


_WRONG_ARGUMENTS: Final = (ArgumentsError, SchemaError)


def new_error_id() -> str:
    """An id for one failure: 16 hexadecimal digits, not to be guessed."""
    return secrets.token_hex(8)


def hidden_text(error_id: str) -> str:
    """What stands in the place of a message that is not shown."""
    return f"The log of the server has the details: error {error_id}"


def tool_failure(error: BaseException, expose: Exposure, error_id: str) -> JsonObject:
    """A failure as the result of `tools/call`.

    Args:
        error: what loading, opening or rendering the tool raised.
        expose: `message` or `code`.
        error_id: see `new_error_id`.
    """
    told = _Told.of(error)
    return {"content": [text_block(told.text(expose, error_id))], "isError": True}


def request_failure(error: BaseException, expose: Exposure, error_id: str) -> RpcError:
    """A failure as the error of a request that has no `isError`; an `RpcError` is what it is.

    `data` has the `code`, and the `errorId` when the message is hidden.

    Args:
        error: what loading, opening or rendering the route raised.
        expose: `message` or `code`.
        error_id: see `new_error_id`.
    """
    if isinstance(error, RpcError):
        return error
    told = _Told.of(error)
    data = {"code": told.code}
    if not told.is_shown(expose):
        data["errorId"] = error_id
    code = INVALID_PARAMS if isinstance(error, _WRONG_ARGUMENTS) else INTERNAL_ERROR
    return RpcError(code, told.text(expose, error_id), data)


def log_failure(error: BaseException, error_id: str, place: str) -> None:
    """Write the full text and the id to the log; with the traceback where the code is to blame.

    Wrong arguments are the client's business and are logged for debugging only.

    Args:
        error: what was raised.
        error_id: see `new_error_id`.
        place: of the route, such as `tool:curator/audit_library`.
    """
    told = _Told.of(error)
    level = logging.DEBUG if isinstance(error, _WRONG_ARGUMENTS) else logging.ERROR
    cause = _cause_of(error)
    is_explained = isinstance(cause, (TrioAgentError, AgentError))
    _log.log(
        level,
        "%s failed (error %s): [%s] %s",
        place,
        error_id,
        told.code,
        told.message,
        exc_info=None if is_explained else cause,
    )


@final
@attrs.frozen
class _Told:
    """A failure in words.

    Attributes:
        code: for programs.
        message: in full.
        is_for_reader: whether it is shown whatever the switch says.
        has_prefix: whether the code stands before the message.
    """

    code: str
    message: str
    is_for_reader: bool = False
    has_prefix: bool = False

    __repr__ = shown

    @classmethod
    def of(cls, error: BaseException) -> _Told:
        """Put into words what was raised."""
        if isinstance(error, _WRONG_ARGUMENTS):
            return cls(error.code, _issues_text(error), is_for_reader=True)
        if isinstance(error, InvocationError):
            code, message = error.code, error.message
        else:
            fault = describe(error, "render-failed")
            code, message = fault.code, fault.message
        first = next(iterate_leaves(_cause_of(error)))
        if not isinstance(first, AgentError) or first.code != code:
            return cls(code, message)
        if not str(first) and message == type(first).__name__:
            message = ""
        return cls(code, message, is_for_reader=True, has_prefix=True)

    def is_shown(self, expose: Exposure) -> bool:
        """Whether the client gets the message."""
        return self.is_for_reader or expose == "message"

    def text(self, expose: Exposure, error_id: str) -> str:
        """What the client gets."""
        if not self.is_shown(expose):
            return error_text(self.code, hidden_text(error_id))
        text = error_text(self.code, self.message) if self.has_prefix else self.message
        if len(text) <= LONGEST_TEXT:
            return text
        return (
            f"{text[:LONGEST_TEXT]}… ({len(text)} characters; the log has them: error {error_id})"
        )


def _cause_of(error: BaseException) -> BaseException:
    """What made an invocation fail; another error is its own cause."""
    if isinstance(error, InvocationError) and error.__cause__ is not None:
        return error.__cause__
    leaves = list(iterate_leaves(error))
    return leaves[0] if len(leaves) == 1 else error


def _issues_text(error: SchemaError | ArgumentsError) -> str:
    lines = ["Invalid arguments:"]
    issues = error.issues if isinstance(error, SchemaError) else (error.message,)
    room = LONGEST_TEXT - LONGEST_ISSUE
    for number, issue in enumerate(issues):
        line = str(issue)
        lines.append(line if len(line) <= LONGEST_ISSUE else f"{line[: LONGEST_ISSUE - 1]}…")
        room -= len(lines[-1]) + 1
        if room < 0:
            lines.append(f"... and {len(issues) - number - 1} more")
            break
    return "\n".join(lines)
