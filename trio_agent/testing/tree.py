"""A single tree as an application: for tests of components, without a plugin around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.limits import LimitOverrides
from trio_agent.pipeline.program import Program
from trio_agent.shown import shown
from trio_agent.vocabulary.identity import Identity

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.vocabulary.element import Node
    from trio_agent.vocabulary.invocation import Invocation
    from trio_agent.vocabulary.json import Json

TEST_IDENTITY: Final = Identity("test")
"""Which build a test is of, when it does not say."""


@final
@attrs.frozen(eq=False)
class SingleTree:
    """An application that renders one tree, whatever is asked for.

    Attributes:
        root: what is rendered; elements can be rendered any number of times.
        identity: of the build.
        check_value: raises `ContractError` when the value is not of a declared type.
        limits: the route's own.
    """

    root: Node
    identity: Identity = attrs.field(default=TEST_IDENTITY, kw_only=True)
    check_value: Callable[[Json], None] | None = attrs.field(default=None, kw_only=True)
    limits: LimitOverrides = attrs.field(factory=LimitOverrides, kw_only=True)

    __repr__ = shown

    def open(self, invocation: Invocation) -> Program:  # noqa: ARG002  # the same for all
        """The tree, for every target."""
        return Program(root=self.root, check_value=self.check_value, limits=self.limits)
