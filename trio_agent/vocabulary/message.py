"""Messages: what a prompt is made of.

    {"role": "user" | "assistant", "content": a string, or a leaf in its wire form}

A value, not a node: it stands in no document but as part of the value of one.  Above:
`routes.prompts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.shown import shown
from trio_agent.vocabulary.field import Audience, refuse
from trio_agent.vocabulary.leaf import ProgressNode
from trio_agent.vocabulary.node import LEAVES
from trio_agent.vocabulary.wire import node_to_wire

if TYPE_CHECKING:
    from trio_agent.vocabulary.node import LeafNode

_READABLE: Final = (LEAVES - {ProgressNode}) | {str}


@final
@attrs.frozen
class Message:
    """One message of a prompt.

    Attributes:
        role: who says it, `user` or `assistant`.
        content: text, or a leaf such as `Agent.Image(...)`; not a progress.

    Raises:
        ContractError: `invalid-document`, a field is something else.
    """

    role: Audience
    content: str | LeafNode

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        # Not a set: what was given may not be hashable.
        if self.role not in ("user", "assistant"):
            refuse("message role", "user or assistant", self.role)
        if type(self.content) not in _READABLE:
            refuse("message content", "a string or a leaf that can be read", self.content)

    def to_wire(self) -> dict[str, object]:
        """The wire form as plain Python."""
        content = self.content
        return {
            "role": self.role,
            "content": content if isinstance(content, str) else node_to_wire(content),
        }
