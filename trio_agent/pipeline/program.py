"""What is to be rendered, and who knows: the two things an invocation asks of the layers above.

`routes` makes an `Application` of a plugin; a test makes one of a single tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, final

import attrs

from trio_agent.errors import ArtifactEpochError
from trio_agent.limits import LimitOverrides
from trio_agent.shown import shown
from trio_agent.vocabulary.identity import Identity

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.context.providers import ProviderSource
    from trio_agent.vocabulary.element import Node
    from trio_agent.vocabulary.invocation import Invocation
    from trio_agent.vocabulary.json import Json


@final
@attrs.frozen(kw_only=True)
class Program:
    """What an application makes of an invocation.

    Attributes:
        root: what is rendered.
        check_value: raises `ContractError` when a value is not of the type that the route
            declares; None when it declares none.
        limits: the route's own; between the runtime's and those of one call.
        providers: what components can ask for by key; None when there is nothing.
    """

    root: Node
    check_value: Callable[[Json], None] | None = None
    limits: LimitOverrides = attrs.field(factory=LimitOverrides)
    providers: ProviderSource | None = None

    __repr__ = shown


class Application(Protocol):
    """What can be invoked."""

    @property
    def identity(self) -> Identity:
        """Of which build it is, taken when it was loaded."""
        ...

    def open(self, invocation: Invocation) -> Program:
        """Find what the invocation asks for; runs no component.

        Raises:
            RequestError: there is no such target.
        """
        ...


def find_mismatch(application: Application, invocation: Invocation) -> ArtifactEpochError | None:
    """Compare the build that a caller talks to, if it says so, with the one that is here."""
    epoch, revision = invocation.artifact_epoch, invocation.protocol_revision
    if epoch is None and revision is None:
        # The caller is of this very build: hashing a plugin's files to say so takes longer
        # than a small command.
        return None
    ours = application.identity
    try:
        ours.check(Identity(epoch or ours.artifact_epoch, revision or ours.protocol_revision))
    except ArtifactEpochError as error:
        return error
    return None
