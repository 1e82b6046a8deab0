"""The equipment of one invocation: what its actors and its handle share, wired up.

Not here: the actors and the links between them, which `trio_agent.invocation` makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import trio

from trio_agent.context.handle import AgentRequest
from trio_agent.context.stage import Stage
from trio_agent.pipeline.backstage import Backstage
from trio_agent.pipeline.progress import Progress
from trio_agent.pipeline.rendering import Rendering
from trio_agent.pipeline.work import WorkDesk
from trio_agent.protocol.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Callable

    from actors import Outbox
    from trio_agent.context.host import HostChannel
    from trio_agent.context.observed import Axes
    from trio_agent.limits import Limits
    from trio_agent.pipeline.backstage import Providers
    from trio_agent.pipeline.door import Door
    from trio_agent.protocol.rows import Row
    from trio_agent.vocabulary.invocation import Invocation


@final
class Equipment:
    """Made when the invocation begins, which is when its time limit starts to run.

    Args:
        invocation: who asks for what.
        door: of the invocation.
        limits: that it has.
        rows: where the renderer sends its rows.
        axes: what is known about the caller, or a function that is asked for it once.
        host: the way to the surface's host, if there is one.
        providers: where they come from.
    """

    __slots__ = ("backstage", "desk", "progress", "rendering", "request")

    def __init__(  # noqa: PLR0913  # all that one call of an invocation brings
        self,
        invocation: Invocation,
        door: Door,
        limits: Limits,
        *,
        rows: Outbox[Row],
        axes: Axes | Callable[[], Axes] | None,
        host: HostChannel | None,
        providers: Providers,
    ) -> None:
        stage = Stage()
        self.progress: Final = Progress(door)
        self.desk: Final = WorkDesk(door, trio.current_time() + limits.max_elapsed_s)
        self.rendering: Final = Rendering(
            rows=rows, ledger=Ledger(limits), stage=stage, desk=self.desk
        )
        self.backstage: Final = Backstage(
            host=host,
            desk=self.desk,
            rendering=self.rendering,
            progress=self.progress,
            providers=providers,
        )
        self.request: Final = AgentRequest(
            invocation=invocation,
            axes=axes,
            progress=self.progress.reporter(),
            starter=self.desk,
            stage=stage,
            backstage=self.backstage,
        )
