import json
import json.encoder
from typing import Any, cast

import pytest
from hypothesis import given, strategies as st

from trio_agent.surfaces.mcp.rpc import RpcError
from trio_agent.surfaces.mcp.wire import encoding
from trio_agent.surfaces.mcp.wire.encoding import (
    MAX_LINE_BYTES,
    encode_call,
    encode_error,
    encode_result,
)
from trio_agent.surfaces.mcp.wire.jsonrpc import Notification, Request, Response, parse

TEXT = st.text(st.characters(codec=None), max_size=20)
RESULTS = st.dictionaries(TEXT, TEXT | st.integers() | st.lists(TEXT, max_size=3), max_size=4)


@given(id_=TEXT | st.integers(), result=RESULTS)
def test_a_line_is_one_line_of_strict_json_for_every_reader(
    id_: str | int, result: dict[str, object]
) -> None:
    line = encode_result(id_, result)

    assert line.decode().splitlines(keepends=True) == [line.decode()]
    message = joined({"jsonrpc": "2.0", "id": id_, "result": result})
    assert json.loads(line) == message
    assert parse(line.strip()) == Response(id=message["id"], result=message["result"])


def joined(message: dict[str, Any]) -> dict[str, Any]:
    """As every reader has it: two halves that stand side by side are a pair."""
    return cast("dict[str, Any]", json.loads(json.dumps(message)))


@given(method=st.text(max_size=9), params=RESULTS, id_=st.integers() | TEXT)
def test_what_we_ask_is_what_we_would_read(
    method: str, params: dict[str, object], id_: str | int
) -> None:
    told = encode_call(method, params)
    asked = encode_call(method, params, id_=id_)
    params = joined(params)
    assert parse(told.strip()) == Notification(method=method, params=params)
    assert parse(asked.strip()) == Request(
        id=joined({"id": id_})["id"], method=method, params=params
    )


def test_lone_surrogates_and_exotic_line_ends_are_escaped() -> None:
    assert encode_result(1, {"a": "é\ud800\u2028\u2029\x85"}) == (
        b'{"jsonrpc":"2.0","id":1,"result":{"a":"\xc3\xa9\\ud800\\u2028\\u2029\\u0085"}}\n'
    )


def test_a_line_stays_below_the_limit() -> None:
    line = encode_result(1, {"a": "xxx"})

    assert encode_result(1, {"a": "xxx"}, len(line) + 1) == line
    with pytest.raises(
        RpcError, match="frame-bytes-exceeded: 46 bytes, and a frame stays below 46"
    ):
        encode_result(1, {"a": "xxx"}, len(line))
    assert len(line) == 46


def test_ten_mebibytes_of_result_do_not_fit() -> None:
    with pytest.raises(RpcError) as caught:
        encode_result(1, {"a": "x" * 10 * 1024 * 1024})

    assert json.loads(encode_error(1, caught.value))["error"] == {
        "code": -32603,
        "message": f"frame-bytes-exceeded: 10485803 bytes, and a frame stays below {MAX_LINE_BYTES}",
        "data": {"code": "frame-bytes-exceeded", "bytes": 10485803, "maxBytes": MAX_LINE_BYTES},
    }


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), float("-inf"), object(), {(): 1}])
def test_what_is_no_json_is_not_written(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode_result(1, {"a": value})


def test_what_holds_itself_is_not_written() -> None:
    knot: list[object] = []
    knot.append(knot)

    with pytest.raises(RecursionError):
        encode_result(1, {"a": knot})


def test_an_error_is_always_written() -> None:
    wire = {"code": -1, "message": "no", "data": {"a": "é"}}
    assert json.loads(encode_error(None, RpcError(-1, "no", {"a": "é"}))) == {
        "jsonrpc": "2.0",
        "id": None,
        "error": wire,
    }
    assert json.loads(encode_error("i", RpcError(-1, "no", {"a": object()})))["error"] == {
        "code": -1,
        "message": "no",
    }
    huge = encode_error(1, RpcError(-1, "n" * 20_000_000))
    assert json.loads(huge)["error"] == {"code": -1, "message": "n" * 1000}


def test_without_the_encoder_in_c_lines_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json.encoder, "c_make_encoder", None)

    assert encoding._make_encoder()({"a": [1, "é"]}) == '{"a":[1,"é"]}'
