"""A call that takes several rounds (2026-07-28): what was answered so far, in a signed state.

The client brings back the `requestState` that it was given, and the answers to what was asked in
the last round.  The state holds the answers of the rounds before, so the server keeps nothing.
It is bound to the route, its arguments and the build: an answer to one question must not become
the answer to another.  Anything that was not made here is `-32602`.

Not here: who is asked what; that is `hosting`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from typing import TYPE_CHECKING, Final, cast, final

from trio_agent.surfaces.mcp.rpc import INVALID_PARAMS, JsonObject, RpcError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.context.input_required import InputRequiredError
    from trio_agent.vocabulary.json import Json

Answers = dict[str, "Mapping[str, object]"]

MOST_ANSWERS: Final = 64
"""Of one call, over all its rounds."""

_KEY_BYTES: Final = 32
_DIGEST: Final = "sha256"


@final
class Rounds:
    """Signs and reads states.

    Args:
        epoch: of the build; a state of another build is refused.
        key: at least 32 bytes; by default a fresh one, so that states end with the process.
    """

    def __init__(self, epoch: str, key: bytes | None = None) -> None:
        self._epoch: Final = epoch
        self._key: Final = secrets.token_bytes(_KEY_BYTES) if key is None else key

    def answers(self, params: JsonObject, route_id: str, arguments: Json) -> Answers:
        """What has been answered so far, of a request that may be the first round.

        Raises:
            RpcError: the state was not made here for this route, these arguments and this build,
                or the answers are misshapen.
        """
        earlier: Answers = {}
        state = params.get("requestState")
        if state is not None:
            earlier = self._opened(state, self._binding(route_id, arguments))
        responses = params.get("inputResponses")
        if responses is None:
            return earlier
        if not isinstance(responses, dict) or not all(
            isinstance(answer, dict) for answer in cast("JsonObject", responses).values()
        ):
            raise RpcError(INVALID_PARAMS, "inputResponses is an object of objects")
        together = {**earlier, **cast("Answers", responses)}
        if len(together) > MOST_ANSWERS:
            raise RpcError(INVALID_PARAMS, f"a call has at most {MOST_ANSWERS} answers")
        return together

    def interim(
        self, error: InputRequiredError, answers: Answers, route_id: str, arguments: Json
    ) -> JsonObject:
        """The result that asks for another round."""
        return {
            "resultType": "input_required",
            "inputRequests": {key: question.to_wire() for key, question in error.questions.items()},
            "requestState": self._sealed(answers, self._binding(route_id, arguments)),
        }

    def _binding(self, route_id: str, arguments: Json) -> bytes:
        # A client may write the members in another order the next time.
        text = json.dumps(arguments.value, sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        return f"{self._epoch}\x00{route_id}\x00{digest}".encode()

    def _sealed(self, answers: Answers, binding: bytes) -> str:
        payload = json.dumps(answers, separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(self._tag(payload, binding) + payload).decode("ascii")

    def _opened(self, state: object, binding: bytes) -> Answers:
        refusal = RpcError(
            INVALID_PARAMS, "requestState was not made by this server for this very call"
        )
        if not isinstance(state, str):
            raise refusal
        try:
            sealed = base64.b64decode(state.encode("ascii"), altchars=b"-_", validate=True)
        except ValueError:
            raise refusal from None
        size = hashlib.new(_DIGEST).digest_size
        tag, payload = sealed[:size], sealed[size:]
        if not hmac.compare_digest(tag, self._tag(payload, binding)):
            raise refusal
        return cast("Answers", json.loads(payload))

    def _tag(self, payload: bytes, binding: bytes) -> bytes:
        return hmac.digest(self._key, binding + b"\0" + payload, _DIGEST)
