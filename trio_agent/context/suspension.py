"""Suspension: how a `def` component waits, which cannot await.

`use` leaves the component by raising; the renderer waits for the `Deferred` and runs the
component again from the top.  Nobody else may catch what is raised: a component that swallows it
fails by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar, final

from trio_agent.context.handle import current_request
from trio_agent.errors import ContractError, RequestError

if TYPE_CHECKING:
    from trio_agent.context.deferred import Deferred

T = TypeVar("T")


class Awaited(Protocol):
    """A `Deferred`, whatever its value."""

    @property
    def name(self) -> str:
        """Of the function that works it out."""
        ...

    async def wait_settled(self) -> None:
        """Wait until it is settled, however."""
        ...


@final
class Suspended(BaseException):  # never seen outside; not an error
    """Private to `use` and the renderer: leaves a `def` component that has to wait.

    A `BaseException`, so that `except Exception` in the component does not swallow it.
    """

    def __init__(self, deferred: Awaited) -> None:
        super().__init__(f"waits for {deferred.name}")
        self.deferred: Final = deferred


def use(deferred: Deferred[T]) -> T:
    """The value of a `Deferred`, in a `def` component; suspends the component until it is there.

    The component is run again from the top when the value has come, so it must not have done
    anything before that may not be done twice.

    Raises:
        ContractError: `invalid-element`, called outside a `def` component; `await` it there.
        InvocationCancelledError: the work was cancelled.
        Exception: what the work raised.
    """
    request = current_request.get(None)
    if request is None:
        raise RequestError("outside-invocation", "use() is only known inside a def component")
    stage = request.stage
    if stage.current is None:
        raise ContractError(
            "invalid-element",
            f"use({deferred.name}) is for def components; await it in an async def",
        )
    if not deferred.is_settled:
        stage.suspended = True
        raise Suspended(deferred)
    return deferred.receive_nowait()
