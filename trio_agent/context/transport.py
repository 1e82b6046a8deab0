"""What a transport knows about a caller, as axes: the only place where identities come from.

    host        the name that the client gave itself             native, or `host-omitted`
    session     the transport's own session, where it has one    native, or `unsupported-surface`
    actor       the client that authenticated itself             native, or `unauthenticated`;
                `unsupported-surface` where nobody can
    workspace   the working directory of the server              derived
    plugin      its roots                                        as they are known
    lineage     nobody who would know reports to this server     `no-subagent-events`
    terminal    none at all, also when the server was started from one

Nothing in a request's own body or metadata counts: whoever sent it could have written anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.context.axis_value import AxisValue
    from trio_agent.context.observed import Axes, Observed, Reason
    from trio_agent.context.roots import Roots

    ValueT = TypeVar("ValueT", bound=AxisValue)


@final
@attrs.frozen(kw_only=True)
class TransportFacts:
    """One caller.  Give `to_axes` to `Runtime.invoke`: it is asked when a component asks.

    Attributes:
        host_name: what the client calls itself; None or blank when it did not say.
        session_id: of the transport.
        actor_id: who is authenticated.
        may_authenticate: whether the transport could know an actor at all.
        cwd: working directory of the server; None when it has been removed.
        roots: of the plugin; None where nobody decided them.
    """

    host_name: str | None = None
    session_id: str | None = None
    actor_id: str | None = None
    may_authenticate: bool = False
    cwd: str | None = None
    roots: Roots | None = None

    __repr__ = shown

    def to_axes(self) -> Axes:
        """Everything as axes."""
        # lazy: few calls ask, and making the classes takes ten milliseconds.
        from trio_agent.context import terminal  # noqa: PLC0415
        from trio_agent.context.observed import (  # noqa: PLC0415
            NOT_PROVIDED,
            Actor,
            Available,
            Axes,
            Host,
            Session,
            Unavailable,
            Workspace,
        )

        def native(
            text: str | None, make: Callable[[str], ValueT], reason: Reason
        ) -> Observed[ValueT]:
            if text is None or not text.strip():
                return Unavailable(reason)
            return Available(source="native", value=make(text))

        return Axes(
            host=native(self.host_name, lambda name: Host(name=name), "host-omitted"),
            session=native(
                self.session_id, lambda id_: Session(session_id=id_), "unsupported-surface"
            ),
            actor=native(
                self.actor_id,
                lambda id_: Actor(id=id_),
                "unauthenticated" if self.may_authenticate else "unsupported-surface",
            ),
            workspace=NOT_PROVIDED
            if self.cwd is None
            else Available(source="derived", value=Workspace(root=self.cwd)),
            plugin=NOT_PROVIDED if self.roots is None else self.roots.axis,
            lineage=Unavailable("no-subagent-events"),
            terminal=Available(source="derived", value=terminal.Terminal.absent("mcp")),
        )
