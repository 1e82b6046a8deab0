"""Lines: how JSON-RPC messages are written.

One message is one line of strict JSON in UTF-8, smaller than the limit.  Lone surrogates are
written as escapes, and so are characters that some programs take for the end of a line (U+0085,
U+2028, U+2029).  No byte order mark, ever.

Sans-I/O, and code that every byte goes through: it keeps to what `json` does in C.
"""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Final, Protocol

from trio_agent.limits import Limits
from trio_agent.surfaces.mcp.rpc import INTERNAL_ERROR, JsonObject, RequestId, RpcError

if TYPE_CHECKING:
    from collections.abc import Callable

READ_AHEAD: Final = 65_536
"""The official TypeScript client counts a whole read, which is up to 64 KiB, against the 10 MiB
that it has for a frame, also when most of it is the next frame already."""

MAX_LINE_BYTES: Final = Limits().max_frame_bytes - READ_AHEAD
"""What a line stays below, its end included."""


def encode_result(id_: RequestId, result: JsonObject, max_bytes: int = MAX_LINE_BYTES) -> bytes:
    """The line that answers request *id_*.

    Raises:
        RpcError: it would take *max_bytes* or more; answer with this error instead.
        TypeError: it holds what is no JSON.
        ValueError: it holds a number that is no JSON.
        RecursionError: it nests too deeply, or holds itself.
    """
    return _encode_line({"jsonrpc": "2.0", "id": id_, "result": result}, max_bytes)


def encode_error(id_: RequestId | None, error: RpcError, max_bytes: int = MAX_LINE_BYTES) -> bytes:
    """The line that answers request *id_*, or the one that had no usable id, with an error.

    What cannot be written of the error is left out, so this never fails.
    """
    try:
        return _encode_line({"jsonrpc": "2.0", "id": id_, "error": error.to_wire()}, max_bytes)
    except (RpcError, TypeError, ValueError, RecursionError):
        wire = {"code": error.code, "message": error.message[:_ABRIDGED]}
        return _encode_line({"jsonrpc": "2.0", "id": id_, "error": wire}, MAX_LINE_BYTES)


def encode_call(
    method: str,
    params: JsonObject,
    *,
    id_: RequestId | None = None,
    max_bytes: int = MAX_LINE_BYTES,
) -> bytes:
    """The line of a notification of ours, or of a request, when it has an id.

    Raises:
        RpcError, TypeError, ValueError, RecursionError: see `encode_result`.
    """
    message: JsonObject = {"jsonrpc": "2.0"}
    if id_ is not None:
        message["id"] = id_
    return _encode_line({**message, "method": method, "params": params}, max_bytes)


_ABRIDGED: Final = 1000


def _encode_line(message: JsonObject, max_bytes: int) -> bytes:
    text = _encode(message)
    if not text.isascii():
        text = _ESCAPED.sub(_escape, text)
    line = text.encode() + b"\n"
    if len(line) >= max_bytes:
        raise RpcError(
            INTERNAL_ERROR,
            f"frame-bytes-exceeded: {len(line)} bytes, and a frame stays below {max_bytes}",
            {"code": "frame-bytes-exceeded", "bytes": len(line), "maxBytes": max_bytes},
        )
    return line


_ESCAPED: Final = re.compile("[\x85\u2028\u2029\ud800-\udfff]")


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found.group()):04x}"


class _MakeEncoder(Protocol):
    """The C encoder's constructor, as `json.encoder` calls it."""

    def __call__(self, *arguments: object) -> Callable[[object, int], tuple[str, ...]]: ...


def _make_encoder() -> Callable[[object], str]:
    """A compact encoder; `JSONEncoder.encode` makes a new one in C at each call."""
    encoder = json.JSONEncoder(
        ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
    )
    make: _MakeEncoder | None = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return encoder.encode
    sort_keys = skip_keys = allow_nan = False
    encode = make(
        *(None, encoder.default, encode_basestring, None, ":", ","),
        *(sort_keys, skip_keys, allow_nan),
    )
    return lambda value: "".join(encode(value, 0))


_encode: Final = _make_encoder()
