"""Completion of arguments: the choices of enums and literals, filtered by what was typed.

Only what can be known without running author code is offered: the values of an `Enum` or a
`Literal` parameter of a prompt or of a resource template.  Everything else completes to nothing,
which is no error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from trio_agent.errors import TrioAgentError
from trio_agent.protocol.schema.json_schema import choices
from trio_agent.surfaces.mcp.rpc import INTERNAL_ERROR, INVALID_PARAMS, JsonObject, RpcError

if TYPE_CHECKING:
    import attrs

    from trio_agent.routes.record import RouteRecord
    from trio_agent.surfaces.mcp.catalog import Catalog

MOST_VALUES: Final = 100
"""Values in one answer; the limit of the MCP specification."""


def complete(catalog: Catalog, params: JsonObject) -> JsonObject:
    """Answer `completion/complete`.

    Raises:
        RpcError: the parameters are wrong, or there is no such prompt or template.
    """
    reference, argument = _member(params, "ref"), _member(params, "argument")
    name, typed = argument.get("name"), argument.get("value")
    if not isinstance(name, str) or not isinstance(typed, str):
        raise RpcError(INVALID_PARAMS, "argument has a name and a value, both strings")
    found = [
        value
        for value in choices(_input_type(catalog, reference)).get(name, ())
        if value.casefold().startswith(typed.casefold())
    ]
    return {
        "completion": {
            "values": found[:MOST_VALUES],
            "total": len(found),
            "hasMore": len(found) > MOST_VALUES,
        }
    }


def _input_type(catalog: Catalog, reference: JsonObject) -> type[attrs.AttrsInstance]:
    kind, name, uri = reference.get("type"), reference.get("name"), reference.get("uri")
    if kind == "ref/prompt" and isinstance(name, str):
        return _loaded(catalog, catalog.prompt_record(name))
    if kind == "ref/resource" and isinstance(uri, str):
        entry = catalog.template(uri)
        if entry is None:
            raise RpcError(INVALID_PARAMS, f"Unknown resource template: {uri}")
        return entry.route.signature.input_type
    raise RpcError(INVALID_PARAMS, "ref is {type: ref/prompt, name} or {type: ref/resource, uri}")


def _loaded(catalog: Catalog, record: RouteRecord) -> type[attrs.AttrsInstance]:
    try:
        return catalog.prompt(record).route.signature.input_type
    except TrioAgentError as error:
        # Getting it says why; a form that asks for choices has no place for that.
        raise RpcError(INTERNAL_ERROR, f"{record.id} cannot be loaded") from error


def _member(params: JsonObject, name: str) -> JsonObject:
    value = params.get(name)
    if not isinstance(value, dict):
        raise RpcError(INVALID_PARAMS, f"{name} is an object")
    return cast("JsonObject", value)
