"""JSON-RPC 2.0 as MCP uses it: the errors of a request and their codes.

Not here: frames (`jsonrpc`), and errors of tools, which are results.  Raising `RpcError` in a
handler answers the request with that error; nothing else leaves a handler as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, cast, final

if TYPE_CHECKING:
    from collections.abc import Mapping

JsonObject: TypeAlias = dict[str, object]
"""A JSON object as `json.loads` gives it."""

RequestId: TypeAlias = "str | int"
"""What JSON-RPC allows and MCP uses; a boolean is none."""

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
SERVER_BUSY: Final = -32000
"""More requests wait than a connection may have; JSON-RPC leaves this range to servers."""
CONNECTION_CLOSED: Final = -32000
"""The other end went away before it answered; the code that the official SDKs give it."""
RESOURCE_NOT_FOUND: Final = -32002
"""Up to 2025-11-25; from 2026-07-28 on it is `INVALID_PARAMS` (SEP-2164)."""
MISSING_CLIENT_CAPABILITY: Final = -32021
UNSUPPORTED_PROTOCOL_VERSION: Final = -32022


@final
class RpcError(Exception):
    """A request is answered with a JSON-RPC error.

    Attributes:
        code: see the constants of this module.
        message: one sentence for whoever sent the request.
        data: JSON; None when there is none.
    """

    def __init__(
        self, code: int, message: str, data: Mapping[str, object] | str | None = None
    ) -> None:
        super().__init__(message)
        self.code: Final = code
        self.message: Final = message
        self.data: Final = data

    @classmethod
    def from_wire(cls, wire: Mapping[str, object]) -> RpcError:
        """The error whose `to_wire` gave *wire*."""
        data = wire.get("data")
        told = cast("Mapping[str, object] | str | None", data)
        return cls(cast("int", wire["code"]), cast("str", wire["message"]), told)

    def to_wire(self) -> JsonObject:
        """The `error` member of a response."""
        wire: JsonObject = {"code": self.code, "message": self.message}
        if self.data is not None:
            wire["data"] = dict(self.data) if not isinstance(self.data, str) else self.data
        return wire
