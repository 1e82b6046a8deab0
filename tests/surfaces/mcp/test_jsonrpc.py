import json

import pytest
from hypothesis import given, strategies as st

from trio_agent.surfaces.mcp.wire.jsonrpc import (
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_ID_LENGTH,
    Message,
    Notification,
    Refusal,
    Request,
    Response,
    parse,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


def message(**members: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **members}).encode()


def refused(line: bytes) -> tuple[object, int, str]:
    refusal = parse(line)
    assert isinstance(refusal, Refusal), refusal
    return refusal.id, refusal.code, refusal.message


@given(id_=st.text(max_size=20) | st.integers(), method=st.text(max_size=20),
       params=st.dictionaries(st.text(), JSON, max_size=4))  # fmt: skip
def test_a_request_is_read_as_it_was_written(
    id_: str | int, method: str, params: dict[str, object]
) -> None:
    for ascii_only in (True, False):
        text = json.dumps(
            {"jsonrpc": "2.0", "id": id_, "method": method, "params": params},
            ensure_ascii=ascii_only,
        )
        read = parse(text.encode())
        assert read == Request(id=id_, method=method, params=params)
        assert type(read.id) is type(id_)


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_whatever_comes_it_is_read_or_refused_and_nothing_is_raised(line: bytes) -> None:
    assert isinstance(parse(line), Refusal)


@given(JSON.map(lambda value: json.dumps(value).encode()))
def test_json_that_is_no_message_is_an_invalid_request(line: bytes) -> None:
    read = parse(line)

    assert isinstance(read, Response) or (isinstance(read, Refusal) and read.code == -32600)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{", "Expecting property name enclosed in double quotes at character 2"),
        (b"{} x", "Extra data at character 3"),
        (b"nonsense", "Expecting value at character 1"),
        (b'{"a":NaN}', "NaN is not a JSON number"),
        (b'{"a":[-Infinity]}', "-Infinity is not a JSON number"),
        (b'{"a":1e999}', "'1e999' is beyond the range of a number"),
        (b'{"a":-' + b"9" * 5000 + b".5}", "is beyond the range of a number"),
        (b'{"a":' + b"1" * (MAX_DIGITS + 1) + b"}", "an integer of 4001 digits; 4000 is the limit"),
        (b'{"a":1,"b":{"c":1,"c":2}}', "the member 'c' comes more than once"),
        (b'{"a":"\xff"}', "byte 7 is not UTF-8"),
        (b'{"a":"\xed\xa0\x80"}', "byte 7 is not UTF-8"),
        (b'{"a":"\x01"}', "Invalid control character at at character 7"),
        ('{"a":1}'.encode("utf-16"), "byte 1 is not UTF-8"),
        (b"[" * 100_000, "it nests deeper than 256 levels"),
        (b'{"a":' * 100_000, "it nests deeper than 256 levels"),
        (b"[" * 257 + b"]" * 257, "it nests deeper than 256 levels"),
    ],
)  # fmt: skip
def test_what_is_no_strict_json_is_a_parse_error_that_says_where(line: bytes, why: str) -> None:
    id_, code, text = refused(line)

    assert (id_, code) == (None, -32700)
    assert text.startswith("Parse error: ")
    assert why in text
    assert len(text) < 200


@pytest.mark.parametrize(
    ("line", "id_", "why"),
    [
        (b"[]", None, "batches are not supported"),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, "batches are not supported"),
        (b"7", None, "a message is an object, received 7"),
        (b"{}", None, 'jsonrpc is "2.0", received None'),
        (b'{"id":3,"method":"ping"}', 3, 'jsonrpc is "2.0", received None'),
        (b'{"jsonrpc":2.0,"id":3,"method":"ping"}', 3, 'jsonrpc is "2.0", received 2.0'),
        (message(id=4), 4, "method is a string, received None"),
        (message(id="x", method=5), "x", "method is a string, received 5"),
        (message(id="x", method=None), "x", "method is a string, received None"),
        (message(id=5, method="m", params=[1]), 5, "params is an object, received [1]"),
        (message(method="m", params="p"), None, "params is an object, received 'p'"),
        (message(id=None, method="m"), None, "id is a string or an integer, received None"),
        (message(id=True, method="m"), None, "id is a string or an integer, received True"),
        (message(id=1.0, method="m"), None, "id is a string or an integer, received 1.0"),
        (message(id={}, method="m"), None, "id is a string or an integer, received {}"),
        (message(id="i" * (MAX_ID_LENGTH + 1), method="m"), None, "id is a string"),
    ],
)
def test_json_that_is_no_message_is_refused_with_its_id(line: bytes, id_: object, why: str) -> None:
    received_id, code, text = refused(line)

    assert (received_id, code) == (id_, -32600)
    assert text.startswith("Invalid Request: ")
    assert why in text
    assert len(text) < 200


def test_params_may_be_absent_or_null() -> None:
    assert parse(message(method="m")) == Notification(method="m", params={})
    assert parse(message(method="m", params=None)) == Notification(method="m", params={})
    assert parse(message(id=0, method="m")) == Request(id=0, method="m", params={})


def test_an_integer_id_may_be_of_any_size_that_can_be_read() -> None:
    assert parse(message(id=2**70, method="m")) == Request(id=2**70, method="m", params={})
    assert parse(message(id=-1, method="m")) == Request(id=-1, method="m", params={})


def test_a_string_may_hold_half_of_a_pair() -> None:
    read = parse(rb'{"jsonrpc":"2.0","method":"m","params":{"cut":"\ud83d"}}')

    assert read == Notification(method="m", params={"cut": "\ud83d"})


def test_depth_is_counted_in_levels_and_not_in_brackets() -> None:
    wide = parse(message(method="m", params={"a": [[] for _ in range(1000)]}))
    deepest = parse(message(method="m", params={"a": nested(MAX_DEPTH - 2)}))

    assert isinstance(wide, Notification)
    assert isinstance(deepest, Notification)
    _, code, _ = refused(message(method="m", params={"a": nested(MAX_DEPTH - 1)}))
    assert code == -32700


def nested(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def test_brackets_in_strings_are_no_levels() -> None:
    assert isinstance(parse(message(method="m", params={"a": "[{" * 1000})), Notification)


def response(line: bytes) -> Response:
    read: Message = parse(line)
    assert isinstance(read, Response)
    return read


def test_an_answer_has_a_result_or_an_error() -> None:
    assert response(message(id=1, result={"a": 1})) == Response(id=1, result={"a": 1})

    error = response(message(id="q", error={"code": -1, "message": "no", "data": {"a": 1}})).error
    assert error is not None
    assert error.to_wire() == {"code": -1, "message": "no", "data": {"a": 1}}


@pytest.mark.parametrize(
    "members",
    [
        {"result": {}, "error": {}},
        {"result": [1]},
        {"result": None},
        {"error": "no"},
        {"error": None},
    ],
)
def test_a_malformed_answer_is_an_error_for_who_asked_and_never_answered(
    members: dict[str, object],
) -> None:
    error = response(message(id=1, **members)).error

    assert error is not None
    assert error.message == "the client's answer is malformed"


def test_an_error_without_code_or_message_gets_some() -> None:
    error = response(message(id=1, error={"data": [1]})).error

    assert error is not None
    assert error.to_wire() == {
        "code": -32603,
        "message": "the client answered with an error without a message",
    }
    error = response(message(id=1, error={"data": "text"})).error
    assert error is not None
    assert error.data == "text"


def test_an_answer_to_nothing_has_no_id() -> None:
    assert response(message(id=None, error={"code": -32700, "message": "?"})) == Response(id=None)
    assert response(message(id=True, result={})) == Response(id=None)
    assert response(message(result={})) == Response(id=None)
