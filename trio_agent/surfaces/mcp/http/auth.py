"""Who a request is from: a bearer token, and the verifier that an operator brings.

The verifier is anything with the SDK's `TokenVerifier.verify_token`, and what it gives is read as
the SDK's `AccessToken`; neither is imported, since that takes over a second.  Nothing here issues
tokens, and what they allow is the verifier's own business, scopes excepted.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final, Protocol, final

import attrs

from trio_agent.shown import shown
from trio_agent.surfaces.mcp.http.message import HttpError
from trio_agent.surfaces.mcp.rpc import INTERNAL_ERROR, INVALID_REQUEST, RpcError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trio_agent.surfaces.mcp.http.message import Headers

_log: Final = logging.getLogger("trio_agent.mcp")


class VerifiedToken(Protocol):
    """What a verifier knows of a token: the SDK's `AccessToken`."""

    @property
    def client_id(self) -> str:
        """Whom it was issued to."""
        ...

    @property
    def scopes(self) -> Sequence[str]:
        """What it is good for."""
        ...

    @property
    def expires_at(self) -> int | None:
        """In seconds since 1970; None for never."""
        ...

    @property
    def subject(self) -> str | None:
        """On whose behalf."""
        ...

    @property
    def claims(self) -> Mapping[str, object] | None:
        """Everything else; `iss` is who issued it."""
        ...


class TokenVerifier(Protocol):
    """Knows good tokens: the SDK's `TokenVerifier`."""

    async def verify_token(self, token: str) -> VerifiedToken | None:
        """What is known of *token*; None when it is not good."""
        ...


@final
@attrs.frozen(kw_only=True)
class Principal:
    """Who a token stands for.  A session belongs to the one who opened it.

    Attributes:
        client_id: the actor of invocations.
        issuer: None when the verifier does not say.
        subject: None when the verifier does not say.
    """

    client_id: str
    issuer: str | None = None
    subject: str | None = None

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class BearerCheck:
    """Asks for a token in every request.

    Attributes:
        verifier: knows good ones.
        scopes: each of them is needed.
        metadata_url: where a client learns how to get a token (RFC 9728); told in refusals.
    """

    verifier: TokenVerifier
    scopes: Sequence[str] = ()
    metadata_url: str | None = None

    __repr__ = shown

    async def identify(self, headers: Headers) -> Principal:
        """Who sent *headers*.

        Raises:
            HttpError: nobody (401), somebody without a scope (403), or the verifier failed (500).
        """
        scheme, _, token = (headers.get("authorization") or "").partition(" ")
        known = await self._verify(token.strip()) if scheme.lower() == "bearer" else None
        # Whole seconds of the world's clock, which is what the token is about.
        if known is None or (known.expires_at is not None and known.expires_at < time.time()):
            raise self._refusal(401, "invalid_token", "a valid bearer token is needed")
        missing = [scope for scope in self.scopes if scope not in known.scopes]
        if missing:
            raise self._refusal(403, "insufficient_scope", f"the scope {missing[0]} is needed")
        issuer = (known.claims or {}).get("iss")
        return Principal(
            client_id=known.client_id,
            issuer=None if issuer is None else str(issuer),
            subject=known.subject,
        )

    async def _verify(self, token: str) -> VerifiedToken | None:
        try:
            return await self.verifier.verify_token(token)
        except Exception:  # noqa: BLE001  # boundary: a stranger's code, and nothing of it is for the client
            _log.exception("the token verifier failed")
            error = RpcError(INTERNAL_ERROR, "tokens cannot be verified at the moment")
            raise HttpError(500, error) from None

    def _refusal(self, status: int, reason: str, why: str) -> HttpError:
        challenge = f'Bearer error="{reason}", error_description="{why}"'
        if self.metadata_url is not None:
            challenge += f', resource_metadata="{self.metadata_url}"'
        error = RpcError(INVALID_REQUEST, why, {"error": reason})
        return HttpError(status, error, fields=[("www-authenticate", challenge)])
