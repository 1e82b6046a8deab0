"""The request handle from anywhere inside an invocation, also in a thread started there.

Three functions over the context variable of `handle`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, TypeVarTuple

from trio_agent.context.handle import AgentRequest, current_request
from trio_agent.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from trio_agent.context.deferred import Deferred

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


def agent() -> AgentRequest:
    """The handle of the invocation that this code runs in.

    Raises:
        RequestError: `outside-invocation`; `request-closed` in code that outlived its invocation.
    """
    request = current_request.get(None)
    if request is None:
        raise RequestError("outside-invocation", "agent() is only known inside an invocation")
    request.check_open()
    return request


use_agent: Final = agent
"""The same as `agent`, as React names such things."""


def defer(function: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> Deferred[T]:
    """`agent().defer`: see there."""
    request = current_request.get(None)
    if request is None:
        raise RequestError("outside-invocation", "defer() is only known inside an invocation")
    return request.defer(function, *args)
