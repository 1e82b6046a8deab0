"""Headers against bodies: what we refuse, the SDK refuses, and the other way round."""

from __future__ import annotations

from contextlib import nullcontext
from typing import cast

import pytest
from hypothesis import example, given, strategies as st
from mcp.shared.inbound import (
    InboundLadderRejection,
    classify_inbound_request,
    decode_header_value,
    encode_header_value,
    find_duplicated_routing_header,
    mcp_param_headers,
    validate_mcp_param_headers,
    x_mcp_header_map,
)

from trio_agent.surfaces.mcp.envelope import CAPABILITIES_KEY, VERSION_KEY, read_envelope
from trio_agent.surfaces.mcp.http.headers import (
    check_params,
    check_routing,
    decode,
    read_declarations,
)
from trio_agent.surfaces.mcp.http.message import Headers
from trio_agent.surfaces.mcp.rpc import JsonObject, RpcError
from trio_agent.surfaces.mcp.wire.jsonrpc import Request

TEXT = st.text(st.sampled_from("aé=?/+ "), max_size=8)


def headers_of(lines: list[tuple[str, str]]) -> Headers:
    return Headers((name.encode(), value.encode("latin-1")) for name, value in lines)


@given(TEXT | st.binary(max_size=6).map(lambda data: f"=?base64?{data.hex()}?="))
@example("=?base64?YQ==?=")
@example("=?base64?YR==?=")
@example("=?base64?YQ?=")
@example("=?base64?gICA?=")
@example("=?base64??=")
def test_values_are_read_as_the_sdk_reads_them(value: str) -> None:
    assert decode(value) == decode_header_value(value)


@given(st.text(max_size=20))
def test_what_the_sdk_writes_is_read(value: str) -> None:
    assert decode(encode_header_value(value)) == value


versions = st.sampled_from(["2026-07-28", "2099-01-01", "2025-11-25"])
methods = st.sampled_from(["tools/call", "resources/read", "prompts/get", "ping"])
names = st.sampled_from(["a", "b", "=?base64?YQ==?="])


@st.composite
def exchanges(draw: st.DrawFn) -> tuple[JsonObject, list[tuple[str, str]]]:
    meta: JsonObject = {}
    if draw(st.booleans()):
        meta[VERSION_KEY] = draw(versions | st.integers() | st.none())
    if draw(st.booleans()):
        meta[CAPABILITIES_KEY] = draw(st.just({}) | st.none())
    params: JsonObject = {"_meta": draw(st.just(meta) | st.sampled_from([None, 3]))}
    for key in ("name", "uri"):
        if draw(st.booleans()):
            params[key] = draw(names | st.none() | st.integers())
    body: JsonObject = {"method": draw(methods), "params": params}
    lines = [
        (header, draw(values))
        for header, values in (
            ("mcp-protocol-version", versions),
            ("mcp-method", methods),
            ("mcp-name", names),
        )
        for _ in range(draw(st.sampled_from([0, 1, 1, 1, 2])))
    ]
    return body, lines


@given(exchanges())
def test_requests_are_refused_as_the_sdk_refuses_them(
    exchange: tuple[JsonObject, list[tuple[str, str]]],
) -> None:
    body, lines = exchange
    verdict = classify_inbound_request(body, headers=dict(lines))
    theirs = verdict.code if isinstance(verdict, InboundLadderRejection) else None
    if find_duplicated_routing_header(lines) is not None:
        theirs = -32020
    ours = None
    request = Request(id=1, method=str(body["method"]), params=cast("JsonObject", body["params"]))
    try:
        check_routing(headers_of(lines), request)
        read_envelope(request.params)
    except RpcError as error:
        ours = error.code

    assert ours == theirs


# ------------------------------------------------------------------- arguments as headers

leaves = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "integer", "boolean", "number", "object"])},
    optional={"x-mcp-header": st.sampled_from(["A", "a", "B-c", "not a token", "", 3])},
)
positions = st.recursive(
    leaves,
    lambda inner: st.fixed_dictionaries(
        {"type": st.just("object")},
        optional={
            "properties": st.dictionaries(st.sampled_from("pqr"), inner, max_size=3),
            "items": inner,
            "anyOf": st.lists(inner, max_size=2),
            "default": inner,
            "$defs": st.dictionaries(st.sampled_from("pq"), inner, max_size=1),
        },
    ),
    max_leaves=6,
)
schemas = st.fixed_dictionaries(
    {
        "type": st.just("object"),
        "properties": st.dictionaries(
            st.sampled_from([*"pqr", "x-mcp-header"]), positions, max_size=3
        ),
    }
)
scalars = st.sampled_from(["x", "é", 42, 42.0, -1, True, False, None, 2**70, 1.5, "42"])
values = st.recursive(
    scalars, lambda inner: st.dictionaries(st.sampled_from("pqr"), inner, max_size=2), max_leaves=4
)
arguments = st.dictionaries(st.sampled_from("pqr"), values, max_size=3)


@given(schemas, arguments, st.data())
def test_arguments_are_compared_as_the_sdk_compares_them(
    schema: JsonObject, given_arguments: JsonObject, data: st.DataObject
) -> None:
    sent = mcp_param_headers(x_mcp_header_map(schema), given_arguments)
    lines = [(name.lower(), value) for name, value in sent.items()]
    if data.draw(st.booleans()):
        changed = st.tuples(
            st.sampled_from(["mcp-param-a", "mcp-param-b-c"]),
            st.sampled_from(["x", "42", "42.0", "42.5", "true", "=?base64?w6k=?=", "1e1"]),
        )
        lines = [line for line in lines if data.draw(st.booleans())]
        lines += data.draw(st.lists(changed, max_size=2))
    headers = headers_of(lines)

    class Multi(dict[str, str]):
        """As Starlette's: every line, in its order."""

        def items(self) -> list[tuple[str, str]]:  # type: ignore[override]  # so that a name may come twice
            return lines

    theirs = validate_mcp_param_headers(schema, given_arguments, Multi()) is not None
    ours = False
    try:
        check_params(read_declarations(schema), given_arguments, headers)
    except RpcError:
        ours = True

    assert ours == theirs


@pytest.mark.parametrize("schema", [None, True, [], "x"])
def test_a_schema_that_is_none_declares_nothing(schema: object) -> None:
    assert read_declarations(schema) == ()


@pytest.mark.parametrize(
    ("kind", "argument", "headers", "is_good"),
    [
        ("string", "x", ["x"], True),
        ("string", "x", ["x", "x"], False),
        ("integer", 42, ["42"], True),
        ("integer", 42, ["42.0"], True),
        ("integer", 42, ["42.5"], False),
        ("integer", 42, ["4.2e1"], False),
        ("integer", 2**70, [str(2**70)], True),
        ("integer", 2**70, [f"{2**70 + 1}"], False),
        ("string", 42, ["42.0"], False),
        ("boolean", True, ["true"], True),
        ("boolean", True, ["True"], False),
        ("string", None, [], True),
        ("string", None, ["x"], False),
        ("string", {"a": 1}, [], True),
        ("string", {"a": 1}, ["x"], False),
        ("string", "x", ["=?base64?%?="], False),
    ],
)
def test_an_argument_and_its_header_agree_by_the_type_of_the_property(
    kind: str, argument: object, headers: list[str], *, is_good: bool
) -> None:
    schema = {"properties": {"p": {"type": kind, "x-mcp-header": "Name"}}}
    lines = headers_of([("mcp-param-name", value) for value in headers])
    expectation = nullcontext() if is_good else pytest.raises(RpcError, match="Header mismatch: ")
    with expectation:
        check_params(read_declarations(schema), {"p": argument}, lines)
