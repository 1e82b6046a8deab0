"""What a server said to its client beside its answers, as it came.

Kept where the lines arrive, before the client has read them, so nothing is missing that the
client would drop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

import attrs

from trio_agent.shown import shown
from trio_agent.surfaces.mcp.results.progress import ProgressReport

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PROGRESS: Final = "notifications/progress"


@final
@attrs.frozen
class ServerNotification:
    """One notification of a server.

    Attributes:
        method: `notifications/message` and the like.
        params: as they were sent.
    """

    method: str
    params: Mapping[str, object]

    __repr__ = shown

    @property
    def progress(self) -> ProgressReport | None:
        """What it reports, if it is progress."""
        if self.method != _PROGRESS:
            return None
        members = self.params
        return ProgressReport(
            cast("float", members["progress"]),
            cast("float | None", members.get("total")),
            cast("str | None", members.get("message")),
        )


def progress_of(
    notifications: Sequence[ServerNotification], token: str | int | None = None
) -> tuple[ProgressReport, ...]:
    """The progress among *notifications*.

    Args:
        notifications: in the order in which they came.
        token: only what came under this one; None for all.
    """
    found = (one for one in notifications if token in {None, one.params.get("progressToken")})
    return tuple(report for one in found if (report := one.progress) is not None)
