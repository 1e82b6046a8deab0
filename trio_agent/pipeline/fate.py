"""The fate of an invocation: the one error that its caller gets for everything that was raised.

Plain functions over exceptions.  `invocation` catches, asks here, and raises.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from actors import PeerGoneError
from trio_agent.context.input_required import InputRequiredError
from trio_agent.errors import InvocationCancelledError, InvocationError
from trio_agent.pipeline.author import describe, find_limit, iterate_leaves
from trio_agent.vocabulary.event import ErrorEvent, Failure

if TYPE_CHECKING:
    from trio_agent.errors import Outcome

_log: Final = logging.getLogger("trio_agent")


def outcome_of(failure: Exception) -> Outcome:
    """How an invocation ended that has no document."""
    if isinstance(failure, InputRequiredError):
        return "input-required"
    return "cancelled" if _has_left(failure) else "failed"


def translate(failure: Exception, invocation_id: str, last_sequence: int) -> Exception:
    """What the caller gets.

    Args:
        failure: what was raised, or the group of it.
        invocation_id: for the message.
        last_sequence: number of the terminal event, when there is one.
    """
    if isinstance(failure, (InvocationCancelledError, InputRequiredError)):
        return failure
    if _has_left(failure):
        return InvocationCancelledError(
            f"the consumer of invocation {invocation_id} left before it was complete"
        )
    fault = describe(find_limit(failure) or failure, "render-failed")
    event = ErrorEvent(last_sequence, Failure(fault.code, fault.message))
    error = InvocationError(fault.code, fault.message, event=event)
    leaves = list(iterate_leaves(failure))
    error.__cause__ = leaves[0] if len(leaves) == 1 else failure
    _log.debug("invocation %s failed", invocation_id, exc_info=error.__cause__)
    return error


def _has_left(failure: Exception) -> bool:
    """Whether nobody waits for the invocation any more, which is no failure of its own."""
    return isinstance(failure, InvocationCancelledError) or all(
        isinstance(leaf, PeerGoneError) for leaf in iterate_leaves(failure)
    )
