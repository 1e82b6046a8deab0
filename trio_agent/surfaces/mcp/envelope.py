"""The eras of MCP: how a connection says which revision it speaks, and what that changes.

    handshake   `initialize` once; the connection remembers who the client is   (to 2025-11-25)
    modern      every request says it again, in `_meta`                         (2026-07-28)

Sans-I/O and without state: `conversation` remembers what has to be remembered.  The numbers and
sentences of the refusals are those that mcp 2.3.0 gives; a test compares the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from trio_agent.surfaces.mcp.exchange import HANDSHAKE_VERSIONS, MODERN_VERSIONS, Client
from trio_agent.surfaces.mcp.rpc import (
    INVALID_PARAMS,
    UNSUPPORTED_PROTOCOL_VERSION,
    JsonObject,
    RpcError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY: Final = "io.modelcontextprotocol/clientInfo"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"
LOG_LEVEL_KEY: Final = "io.modelcontextprotocol/logLevel"

LOG_LEVELS: Final = (
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
)
"""From the least severe on (RFC 5424)."""

_CACHEABLE: Final = frozenset(
    {
        "prompts/list",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "server/discover",
        "tools/list",
    }
)
"""Methods whose results have to say how long they stay fresh (SEP-2549)."""


def meta_of(params: Mapping[str, object]) -> Mapping[str, object]:
    """The `_meta` of a request; empty when there is none or it is no object."""
    meta = params.get("_meta")
    return cast("Mapping[str, object]", meta) if isinstance(meta, dict) else {}


def has_envelope(params: Mapping[str, object]) -> bool:
    """Whether a request claims to be modern: it names its revision in `_meta`."""
    return VERSION_KEY in meta_of(params)


def read_envelope(params: Mapping[str, object]) -> Client:
    """Who sends a modern request.

    Raises:
        RpcError: a key of the envelope is missing or wrong, or the revision is not served.
    """
    meta = params.get("_meta")
    if not isinstance(meta, dict) or VERSION_KEY not in meta:
        raise RpcError(
            INVALID_PARAMS,
            f"params._meta is an object with {VERSION_KEY!r} and {CAPABILITIES_KEY!r} in every"
            " request of this connection",
        )
    members = cast("JsonObject", meta)
    if CAPABILITIES_KEY not in members:
        raise RpcError(INVALID_PARAMS, f"params._meta lacks {CAPABILITIES_KEY!r}")
    version = members[VERSION_KEY]
    if not isinstance(version, str):
        raise RpcError(INVALID_PARAMS, f"params._meta[{VERSION_KEY!r}] is a string")
    if version not in MODERN_VERSIONS:
        raise unsupported(version, "the protocol revision is not supported")
    return _client(version, members.get(CLIENT_KEY), members[CAPABILITIES_KEY])


def read_initialize(params: Mapping[str, object]) -> Client:
    """Who opens a connection with a handshake, and the revision that is spoken from then on.

    A revision that is not known is answered with the newest one of the handshake.

    Raises:
        RpcError: a member is missing or wrong.
    """
    version = params.get("protocolVersion")
    info, capabilities = params.get("clientInfo"), params.get("capabilities")
    if not isinstance(version, str):
        raise RpcError(INVALID_PARAMS, "initialize: protocolVersion is a string")
    if not isinstance(capabilities, dict):
        raise RpcError(INVALID_PARAMS, "initialize: capabilities is an object")
    if not _is_implementation(info):
        raise RpcError(INVALID_PARAMS, "initialize: clientInfo is an object with name and version")
    spoken = version if version in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
    return _client(spoken, info, cast("object", capabilities))


def unsupported(requested: object, message: str) -> RpcError:
    """The refusal of a revision; *requested* is left out of its data when it is no string."""
    data: JsonObject = {"supported": list(MODERN_VERSIONS)}
    if isinstance(requested, str):
        data["requested"] = requested
    return RpcError(UNSUPPORTED_PROTOCOL_VERSION, message, data)


def finished(
    method: str, result: JsonObject, client: Client, server_info: JsonObject
) -> JsonObject:
    """*result* with what the client's revision wants around it; may change *result*.

    Args:
        method: what was asked.
        result: as the service made it; a `resultType` of its own is kept.
        client: who gets it.
        server_info: goes into `_meta` of every modern result.
    """
    if not client.is_modern:
        return result
    result.setdefault("resultType", "complete")
    if method in _CACHEABLE and result["resultType"] == "complete":
        # Nothing is promised: a plugin may change between two requests.
        result.setdefault("ttlMs", 0)
        result.setdefault("cacheScope", "private")
    meta = cast("JsonObject", result.get("_meta") or {})
    result["_meta"] = {SERVER_KEY: dict(server_info), **meta}
    return result


def wanted_level(client: Client, meta: Mapping[str, object], remembered: str | None) -> str | None:
    """The least severe log message that goes to a client; None for none.

    A handshake client gets all until it says otherwise; a modern one asks in every request.
    """
    level = meta.get(LOG_LEVEL_KEY) if client.is_modern else remembered or LOG_LEVELS[0]
    return level if isinstance(level, str) and level in LOG_LEVELS else None


def _is_implementation(info: object) -> bool:
    if not isinstance(info, dict):
        return False
    members = cast("JsonObject", info)
    return isinstance(members.get("name"), str) and isinstance(members.get("version"), str)


def _client(version: str, info: object, capabilities: object) -> Client:
    # In an envelope both may be anything; what is misshapen counts as not said.
    members = cast("JsonObject", info) if _is_implementation(info) else {}
    return Client(
        version_spoken=version,
        name=cast("str | None", members.get("name")),
        version=cast("str | None", members.get("version")),
        capabilities=cast("JsonObject", capabilities) if isinstance(capabilities, dict) else {},
    )
