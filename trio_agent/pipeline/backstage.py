"""Backstage: what the actors of an invocation and its handle share (`context.backstage`).

Deferred work, progress and what renders are wired up here.  The rest joins what the context layer
decides with what an invocation has: tasks, the clock of its time limit, and an end.  That is made
when it is first needed, because most invocations need none of it.

Not here: the actors, and the links between them, which `trio_agent.invocation` makes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Never, TypeAlias, final

import trio

from trio_agent.context.handle import current_request
from trio_agent.context.stage import Stage
from trio_agent.pipeline.progress import Progress
from trio_agent.pipeline.rendering import Rendering
from trio_agent.pipeline.work import WorkDesk
from trio_agent.protocol.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from actors import Outbox
    from trio_agent.context.asking import Asking
    from trio_agent.context.host import HostChannel
    from trio_agent.context.providers import ProviderRequest, ProviderShelf, ProviderSource
    from trio_agent.context.question import Question
    from trio_agent.context.telling import Telling
    from trio_agent.limits import Limits
    from trio_agent.pipeline.door import Door
    from trio_agent.protocol.rows import Row

    Providers: TypeAlias = tuple[ProviderSource | None, Mapping[str, object] | None]

TURNS: Final = 3
"""Turns of the loop between the first open question and the end: components that begin together
ask in the same turn, and one that another of them starts, a turn or two later."""


@final
class Backstage:
    """Made when the invocation begins, which is when its time limit starts to run.

    It does not hold the handle, which holds it: what refers to itself waits for the collector.

    Args:
        door: of the invocation.
        limits: that it has.
        rows: where the renderer sends its rows.
        host: the way to the surface's host, if there is one.
        providers: where they come from, or finished values instead.
    """

    __slots__ = (
        "_asking",
        "_host",
        "_is_left",
        "_providers",
        "_shelf",
        "_telling",
        "desk",
        "progress",
        "rendering",
    )

    def __init__(
        self,
        door: Door,
        limits: Limits,
        *,
        rows: Outbox[Row],
        host: HostChannel | None,
        providers: Providers,
    ) -> None:
        self.progress: Final = Progress(door)
        self.desk: Final = WorkDesk(door, trio.current_time() + limits.max_elapsed_s)
        self.rendering: Final = Rendering(
            rows=rows, ledger=Ledger(limits), stage=Stage(), desk=self.desk
        )
        self._host: Final = host
        self._providers: Final = providers
        self._shelf: ProviderShelf | None = None
        self._asking: Asking | None = None
        self._telling: Telling | None = None
        self._is_left = False

    # ---------------------------------------------------------------------- questions

    @property
    def asking(self) -> Asking:
        """See `context.backstage.Backstage`; in the Trio thread."""
        if self._asking is None:
            # lazy: few invocations ask anything.
            from trio_agent.context.asking import Asking  # noqa: PLC0415

            self._asking = Asking(self._host, self)
        return self._asking

    @property
    def open_questions(self) -> Mapping[str, Question]:
        """What the invocation ended for; empty when it ended for another reason."""
        return self.asking.open if self._is_left else {}

    def pause(self) -> None:
        """See `context.asking.Pauses`."""
        self.desk.pause()
        self.rendering.look_at_clock()

    def resume(self) -> None:
        """See `context.asking.Pauses`."""
        self.desk.resume()
        self.rendering.look_at_clock()

    async def leave(self) -> Never:
        """See `context.asking.Pauses`."""
        for _ in range(TURNS):
            await trio.sleep(0)  # noqa: ASYNC115  # public, and as good
        self._is_left = True
        self.desk.interrupt("answers come with another invocation")
        await trio.sleep_forever()

    # ---------------------------------------------------------------------- providers

    def open_shelf(self, request: ProviderRequest) -> ProviderShelf:
        """See `context.backstage.Backstage`; in the Trio thread."""
        if self._shelf is None:
            # lazy: few invocations have providers.
            from trio_agent.context.providers import ProviderShelf  # noqa: PLC0415

            source, values = self._providers
            self._shelf = ProviderShelf(
                source=source,
                values=values,
                starter=self.desk,
                request=request,
                # A task has a context of its own, so nobody else is taken out of it.
                leave=partial(current_request.set, None),
            )
        return self._shelf

    # ---------------------------------------------------------------------- notices

    @property
    def telling(self) -> Telling:
        """See `context.backstage.Backstage`; in any thread."""
        with self.desk.lock:
            if self._telling is None:
                # lazy: few invocations tell anything.
                from trio_agent.context.telling import Telling  # noqa: PLC0415
                from trio_agent.pipeline.notices import Notices  # noqa: PLC0415

                send = None if self._host is None else Notices(self._host, self).accept
                self._telling = Telling(send)
            return self._telling

    def wake(self, function: Callable[[], None]) -> None:
        """See `notices.Stagehands`."""
        self.progress.wake(function)

    def call(self, function: Callable[[], Awaitable[object]]) -> bool:
        """See `notices.Stagehands`."""
        return self.desk.call(function)
