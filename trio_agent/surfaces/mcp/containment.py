"""What becomes of whatever a handler raises, for calls and for tasks: one of them ends nothing else.

An `RpcError` is the answer; everything else is a bug, whose traceback is logged and of which the
client learns no more than that.  `KeyboardInterrupt` passes, and `Cancelled` of course.

Below: `rpc`.  Above: `wire.call`, `tasks.run`.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, cast

import trio

from trio_agent.surfaces.mcp.rpc import INTERNAL_ERROR, RpcError

if TYPE_CHECKING:
    from trio_agent.surfaces.mcp.rpc import RequestId

PASSING: Final = (trio.Cancelled, KeyboardInterrupt, GeneratorExit)
"""What ends more than a call."""

log: Final = logging.getLogger("trio_agent.mcp")


def without_pressing(
    group: BaseExceptionGroup[BaseException], method: str, id_: RequestId
) -> BaseException:
    """What is our business of *group*.

    Raises:
        BaseExceptionGroup: what is not, `Cancelled` and `KeyboardInterrupt`.
    """
    pressing, failure = group.split(PASSING)
    if pressing is None:
        return group
    if failure is not None:
        to_rpc_error(failure, method, id_)
    raise pressing from None


def to_rpc_error(error: BaseException, method: str, id_: RequestId) -> RpcError:
    """What a request is answered with when *error* came out of its handler; logs bugs."""
    sole = _unwrap(error)
    if isinstance(sole, RpcError):
        return sole
    log.error("%s, request %r, failed", method, id_, exc_info=error)
    return RpcError(INTERNAL_ERROR, "Internal server error")


def _unwrap(error: BaseException) -> BaseException:
    """The one error in a group of one; anything else as it is."""
    one = error
    while isinstance(one, BaseExceptionGroup):
        first, *others = cast("BaseExceptionGroup[BaseException]", one).exceptions
        if others:
            return error
        one = first
    return one
