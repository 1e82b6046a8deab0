"""One connection over bytes: its life from the first byte to the last.

    Source ─► Splitter ─► parse ─► Dispatcher ─► LiveCall* ─► Outlet ─► Drain
    (one loop, without a task or a link between)  (tasks)      (a task when the pipe is full)

How it ends:

* the input ends: calls that are running or waiting have a grace period, then they are cancelled;
* `stop`, or nobody reads what we write any more: they are cancelled at once.

What was not answered by then is answered with an error, what is queued has a moment to be written,
and `run` returns.  Cleanups that are shielded can hold it up; the process has a `watchdog`.

Nothing here knows which descriptors, signals or exit codes there are: that is `stdio`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Unpack, final

import trio

from actors import open_supervisor
from trio_agent.surfaces.mcp.stdio.lines import LineOptions, Lines, to_message
from trio_agent.surfaces.mcp.wire.dispatcher import Dispatcher, MakeConversation

if TYPE_CHECKING:
    from trio_agent.surfaces.mcp.stdio.descriptors import Drain, Source
    from trio_agent.surfaces.mcp.stdio.framing import Frame


@final
class Connection:
    """Serves one client: an actor.

    Args:
        source: what the client writes.
        drain: what it reads.
        make_conversation: see `dispatcher.MakeConversation`.
        **options: see `lines.LineOptions`.
    """

    def __init__(
        self,
        source: Source,
        drain: Drain,
        make_conversation: MakeConversation,
        **options: Unpack[LineOptions],
    ) -> None:
        self._make_conversation: Final = make_conversation
        self._lines: Final = Lines(source, drain, options)

    def stop(self) -> None:
        """Let it end now; never waits.  In the Trio thread only."""
        self._lines.stop()

    async def run(self) -> None:
        """Serve until the end."""
        await self._lines.run(self._serve)

    async def _serve(self) -> None:
        lines, terms = self._lines, self._lines.terms
        async with open_supervisor() as calls:
            dispatcher = Dispatcher(self._make_conversation, lines.outlet, calls, terms.quota)
            with lines.serving:
                try:
                    await lines.read(partial(self._take, dispatcher))
                finally:
                    dispatcher.end_input()
                with trio.move_on_after(terms.grace_s):
                    await dispatcher.wait_idle()
            calls.stop("the connection ends")
        dispatcher.answer_unfinished()

    async def _take(self, dispatcher: Dispatcher, frames: list[Frame]) -> None:
        for frame in frames:
            dispatcher.receive(to_message(frame))
            if dispatcher.is_crowded:
                await trio.lowlevel.checkpoint()  # noqa: TID251  # a turn for the calls, no more
        outlet = self._lines.outlet
        if outlet.posted_bytes > self._lines.terms.flood_bytes:
            await outlet.flush()
