"""Which `Host` and `Origin` a request may have, and what a page may read then.

A page of a stranger can let a name of its own stand for 127.0.0.1 and have the browser of a user
talk to a server there.  The browser then says the stranger's name in both headers, so a server
that knows its own names is safe.

    bound to                  hosts                      origins
    a loopback address        its names, any port        those names, any port
    anything else             anything, unless named     the host itself, unless named

A page that may come in is told so by the headers of CORS, or its browser would keep the answer.

Sans-I/O.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.surfaces.mcp.http.message import Fields

LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")


@final
@attrs.frozen(kw_only=True)
class Visitors:
    """Who may come in.

    Attributes:
        hosts: values of `Host`; `name:*` is the name with any port or none.  None for any.
        origins: values of `Origin`, in the same way.  The host itself is always one.
    """

    hosts: Sequence[str] | None
    origins: Sequence[str] = ()

    __repr__ = shown

    @classmethod
    def of(cls, host: str, hosts: Sequence[str], origins: Sequence[str]) -> Visitors:
        """The visitors of a server that listens at *host*.

        Args:
            host: a name or an address, without brackets.
            hosts: what the operator allows besides the loopback names.
            origins: what the operator allows besides.
        """
        if not is_loopback(host):
            return cls(hosts=tuple(hosts) or None, origins=tuple(origins))
        names = [f"{name}:*" for name in LOOPBACK]
        own = [f"{scheme}://{name}" for scheme in ("http", "https") for name in names]
        return cls(hosts=(*names, *hosts), origins=(*own, *origins))

    def refusal(self, host: str | None, origin: str | None) -> tuple[int, str] | None:
        """The HTTP status and the sentence for who may not come in; None for who may."""
        if self.hosts is not None and not _is_among(host, self.hosts):
            return 421, f"Host is not served here: {host!r}"
        if origin is None or _is_among(origin, self.origins):
            return None
        if host is not None and origin.lower().partition("://")[2] == host.lower():
            return None
        return 403, f"Origin is not allowed: {origin!r}"


def cors_fields(origin: str | None) -> Fields:
    """What a browser wants to see in every answer to a page that may come in."""
    if origin is None:
        return ()
    return (
        ("access-control-allow-origin", origin),
        ("access-control-expose-headers", "mcp-session-id, www-authenticate"),
        ("vary", "origin"),
    )


def preflight_fields(wanted: str | None) -> Fields:
    """What a browser wants to see before it sends the request of a page.

    Args:
        wanted: the headers that it will send.  Whatever they are: they are the client's business.
    """
    return (
        ("access-control-allow-methods", "GET, POST, DELETE"),
        ("access-control-allow-headers", wanted or ""),
        ("access-control-max-age", "600"),
    )


def is_loopback(host: str) -> bool:
    """Whether only this computer reaches a server that listens at *host*."""
    return host in {"localhost", "::1"} or host.startswith("127.")


def _is_among(value: str | None, patterns: Sequence[str]) -> bool:
    if value is None:
        return False
    bare, colon, port = value.lower().rpartition(":")
    name = bare if colon and port.isdecimal() else value.lower()
    return any(
        name == pattern[:-2].lower() if pattern.endswith(":*") else value.lower() == pattern.lower()
        for pattern in patterns
    )
