"""JSON-RPC messages, and how they are read from a frame.

They are read strictly: UTF-8, no NaN or infinity, no number that becomes one, no member
twice, bounded digits and depth.  What is not JSON by these rules is answered -32700 with the id
null, for nothing in it can be believed; what is JSON and no message is answered -32600, with the
id if it has a usable one.  There are no batches, as in every revision since 2025-06-18.  Lone
surrogates in strings are let in, because JavaScript programs cut strings between the halves of a
pair; `encoding` writes them as the escapes they came from.  `params` may be `null`, which the
official SDK reads as absent.

Sans-I/O, and code that every byte goes through: it keeps to what `json` does in C.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Final, TypeAlias, cast, final

import attrs

from trio_agent.errors import abridge
from trio_agent.limits import DEEPEST
from trio_agent.shown import shown
from trio_agent.surfaces.mcp.rpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    JsonObject,
    RequestId,
    RpcError,
)

MAX_DEPTH: Final = DEEPEST
"""Of an incoming message, which is 1 itself: what walks over it afterwards is recursive."""

MAX_DIGITS: Final = 4000
"""Of an incoming integer; Python refuses to read more than 4,300, in words about a setting."""

MAX_ID_LENGTH: Final = 4096
"""Of an id that is a string, in characters: every answer repeats it."""


@final
@attrs.frozen(kw_only=True)
class Request:
    """Somebody wants an answer.  `params` is empty when there were none."""

    id: RequestId
    method: str
    params: JsonObject

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class Notification:
    """Somebody says something."""

    method: str
    params: JsonObject

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class Response:
    """The answer to a request of ours.

    Attributes:
        id: of the request; None when it is none that we could have given out.
        result: None when it is an error.
        error: what to raise; also for a response that is malformed.
    """

    id: RequestId | None
    result: JsonObject | None = None
    error: RpcError | None = None

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class Refusal:
    """What came is no message; it is to be answered with this error."""

    id: RequestId | None
    code: int
    message: str

    __repr__ = shown


Message: TypeAlias = Request | Notification | Response | Refusal


def parse(line: bytes) -> Message:
    """Read one frame; never raises."""
    try:
        value = _read(line)
    except (ValueError, RecursionError) as error:
        return Refusal(id=None, code=PARSE_ERROR, message=f"Parse error: {_why(error)}")
    if isinstance(value, dict):
        message = cast("JsonObject", value)
        is_answer = "method" not in message and ("result" in message or "error" in message)
        return _to_response(message) if is_answer else _classify(message)
    if isinstance(value, list):
        return _invalid(None, "batches are not supported, send one message a line")
    return _invalid(None, f"a message is an object, received {abridge(value)}")


def _read(line: bytes) -> object:
    text = line.decode()
    value, end = _decoder.raw_decode(text)
    if end != len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    # As many brackets as levels are the least that it takes, and they are counted in no time.
    if line.count(b"[") + line.count(b"{") > MAX_DEPTH and _is_deep(value):
        raise RecursionError
    return value


def _why(error: ValueError | RecursionError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start + 1} is not UTF-8"
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos + 1}"
    if isinstance(error, RecursionError):
        return f"it nests deeper than {MAX_DEPTH} levels"
    return str(error)


def _is_deep(value: object) -> bool:
    """Whether *value* nests deeper than `MAX_DEPTH`; level by level, since recursion may fail."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [item for parent in level for item in _children(parent)]
        if not level:
            return False
    return any(isinstance(item, dict | list) for item in level)


def _children(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(cast("JsonObject", value).values())
    return cast("list[object]", value) if isinstance(value, list) else []


def _classify(message: JsonObject) -> Message:
    method, params, id_ = message.get("method"), message.get("params"), message.get("id")
    # A boolean is an int to `isinstance`.
    if type(id_) is not int and "id" in message and not _is_name(id_, MAX_ID_LENGTH):
        return _invalid(None, f"id is a string or an integer, received {abridge(id_)}")
    known = cast("RequestId | None", id_)
    if message.get("jsonrpc") != "2.0":
        return _invalid(known, f'jsonrpc is "2.0", received {abridge(message.get("jsonrpc"))}')
    if not isinstance(method, str):
        return _invalid(known, f"method is a string, received {abridge(method)}")
    if params is not None and not isinstance(params, dict):
        return _invalid(known, f"params is an object, received {abridge(params)}")
    return _to_call(known, method, {} if params is None else cast("JsonObject", params))


def _is_name(value: object, max_length: int) -> bool:
    return isinstance(value, str) and len(value) <= max_length


def _to_call(id_: RequestId | None, method: str, params: JsonObject) -> Message:
    if id_ is None:
        return Notification(method=method, params=params)
    return Request(id=id_, method=method, params=params)


def _to_response(message: JsonObject) -> Response:
    """An answer, which is never answered again, however malformed."""
    id_ = message.get("id")
    if type(id_) is not int and not isinstance(id_, str):
        return Response(id=None)
    result, error = message.get("result"), message.get("error")
    if isinstance(error, dict) and "result" not in message:
        return Response(id=id_, error=_to_error(cast("JsonObject", error)))
    if isinstance(result, dict) and "error" not in message:
        return Response(id=id_, result=cast("JsonObject", result))
    return Response(id=id_, error=RpcError(INTERNAL_ERROR, "the client's answer is malformed"))


def _to_error(error: JsonObject) -> RpcError:
    code, text, data = error.get("code"), error.get("message"), error.get("data")
    return RpcError(
        code if isinstance(code, int) else INTERNAL_ERROR,
        text if isinstance(text, str) else "the client answered with an error without a message",
        cast("JsonObject | str", data) if isinstance(data, dict | str) else None,
    )


def _invalid(id_: RequestId | None, why: str) -> Refusal:
    return Refusal(id=id_, code=INVALID_REQUEST, message=f"Invalid Request: {why}")


def _read_int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"an integer of {len(digits)} digits; {MAX_DIGITS} is the limit")
    return int(digits)


def _read_float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{abridge(digits)} is beyond the range of a number")
    return number


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _unique_members(pairs: list[tuple[str, object]]) -> JsonObject:
    members = dict(pairs)
    if len(members) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the member {abridge(name)} comes more than once")
    return members


_decoder: Final = json.JSONDecoder(
    parse_int=_read_int,
    parse_float=_read_float,
    parse_constant=_refuse_constant,
    object_pairs_hook=_unique_members,
)
