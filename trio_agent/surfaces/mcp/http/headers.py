"""The headers of a modern request, which say again what its body says.

What stands between client and server routes by headers, so a request whose headers and body
disagree is refused (-32020, HTTP 400):

    MCP-Protocol-Version   the envelope's revision
    Mcp-Method             the method
    Mcp-Name               the tool, prompt, resource or task, where there is one
    Mcp-Param-<token>      an argument whose property has `x-mcp-header: <token>`

A value that is not plain ASCII comes as `=?base64?...?=`.  Sans-I/O.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from typing import TYPE_CHECKING, Final, cast, final

import attrs

from trio_agent.shown import shown
from trio_agent.surfaces.mcp.envelope import CAPABILITIES_KEY, VERSION_KEY, meta_of
from trio_agent.surfaces.mcp.rpc import JsonObject, RpcError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trio_agent.surfaces.mcp.http.message import Headers
    from trio_agent.surfaces.mcp.wire.jsonrpc import Request

HEADER_MISMATCH: Final = -32020
"""The headers and the body of a request disagree."""

VERSION_HEADER: Final = "mcp-protocol-version"
METHOD_HEADER: Final = "mcp-method"
NAME_HEADER: Final = "mcp-name"
PARAM_PREFIX: Final = "mcp-param-"
ANNOTATION: Final = "x-mcp-header"

_NAMED_BY: Final = {
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/cancel": "taskId",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tools/call": "name",
}

_WRAPPED: Final = re.compile(r"=\?base64\?(.*)\?=")
_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_DECIMAL: Final = re.compile(r"(-?[0-9]{1,4000})(?:\.0+)?")

_DATA: Final = frozenset({"const", "default", "enum", "examples"})
"""Keywords of a schema that hold values, no schemas."""


def check_routing(headers: Headers, request: Request) -> None:
    """Compare the headers that every request has with its body.

    An envelope that lacks something is not judged here.

    Raises:
        RpcError: they disagree, or a header is missing or there twice.
    """
    for name in (VERSION_HEADER, METHOD_HEADER, NAME_HEADER):
        if len(headers.all(name)) > 1:
            raise _mismatch(f"the header {name} comes more than once")
    meta = meta_of(request.params)
    if VERSION_KEY not in meta or CAPABILITIES_KEY not in meta:
        return
    if headers.get(VERSION_HEADER) != meta[VERSION_KEY]:
        raise _mismatch(f"the header {VERSION_HEADER} is not params._meta[{VERSION_KEY!r}]")
    if headers.get(METHOD_HEADER) != request.method:
        raise _mismatch(f"the header {METHOD_HEADER} is not the method of the body")
    key = _NAMED_BY.get(request.method)
    named = request.params.get(key) if key is not None else None
    if named is not None and decode(headers.get(NAME_HEADER)) != named:
        raise _mismatch(f"the header {NAME_HEADER} is not params.{key}")


def decode(value: str | None) -> str | None:
    """What a header's value stands for; None for nothing, and for what cannot be read."""
    wrapped = _WRAPPED.fullmatch(value) if value is not None else None
    if wrapped is None:
        return value
    try:
        data = base64.b64decode(wrapped[1], validate=True)
        # One text, one spelling: what lies in the bits that do not count is refused.
        return data.decode() if base64.b64encode(data).decode() == wrapped[1] else None
    except (binascii.Error, UnicodeDecodeError):
        return None


@final
@attrs.frozen(kw_only=True)
class ParamHeader:
    """An argument that comes as a header, too.

    Attributes:
        path: of the property, from the root of the arguments.
        header: in lower case.
        kind: the type of the property, `string`, `integer` or `boolean`.
    """

    path: tuple[str, ...]
    header: str
    kind: str

    __repr__ = shown


def read_declarations(schema: object) -> Sequence[ParamHeader]:
    """The annotated properties of a tool's input schema.

    None of them counts if one stands where no property chain from the root leads, has no name, a
    name twice, or another type: clients do not offer such a tool.
    """
    found = list(_declared(schema, ()))
    names = Counter(item.header for item in found)
    if len(found) != _count(schema) or any(count > 1 for count in names.values()):
        return ()
    is_usable = all(
        _TOKEN.fullmatch(item.header) and item.kind in {"string", "integer", "boolean"}
        for item in found
    )
    return tuple(found) if is_usable else ()


def check_params(declared: Sequence[ParamHeader], arguments: JsonObject, headers: Headers) -> None:
    """Compare the arguments that come as headers with those of the body.

    Raises:
        RpcError: they disagree, one of the two is missing, or a header is there twice.
    """
    for item in declared:
        values = headers.all(item.header)
        if len(values) > 1:
            raise _mismatch(f"the header {item.header} comes more than once")
        argument = _written(_at(arguments, item.path))
        value = decode(values[0]) if values else None
        if (argument is None) != (not values) or not _agree(item.kind, argument, value):
            where = ".".join(item.path)
            raise _mismatch(f"the header {item.header} is not the argument {where!r}")


def _declared(schema: object, path: tuple[str, ...]) -> Iterator[ParamHeader]:
    if not isinstance(schema, dict):
        return
    members = cast("JsonObject", schema)
    if path and ANNOTATION in members:
        token, kind = members[ANNOTATION], members.get("type")
        header = token.lower() if isinstance(token, str) else ""
        yield ParamHeader(
            path=path,
            header=PARAM_PREFIX + header if header else "",
            kind=kind if isinstance(kind, str) else "",
        )
    properties = members.get("properties")
    if isinstance(properties, dict):
        for name, child in cast("JsonObject", properties).items():
            yield from _declared(child, (*path, name))


def _count(schema: object) -> int:
    """Annotations anywhere; a property of that name is none."""
    if isinstance(schema, list):
        return sum(_count(item) for item in cast("list[object]", schema))
    if not isinstance(schema, dict):
        return 0
    members = cast("JsonObject", schema)
    count = int(ANNOTATION in members)
    for key, child in members.items():
        if key == "properties" and isinstance(child, dict):
            count += sum(_count(item) for item in cast("JsonObject", child).values())
        elif key not in _DATA and key != ANNOTATION:
            count += _count(child)
    return count


def _at(arguments: JsonObject, path: tuple[str, ...]) -> object:
    value: object = arguments
    for key in path:
        value = _member(value, key)
    return value


def _member(value: object, key: str) -> object:
    return cast("JsonObject", value).get(key) if isinstance(value, dict) else None


def _written(value: object) -> str | None:
    """An argument as a client writes it into a header; None if it does not."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def _agree(kind: str, argument: str | None, value: str | None) -> bool:
    if argument == value:
        return True
    if kind != "integer" or argument is None or value is None:
        return False
    # 42 and 42.0 are one integer; compared exactly, however large.
    one, other = _DECIMAL.fullmatch(argument), _DECIMAL.fullmatch(value)
    return one is not None and other is not None and int(one[1]) == int(other[1])


def _mismatch(why: str) -> RpcError:
    return RpcError(HEADER_MISMATCH, f"Header mismatch: {why}")
