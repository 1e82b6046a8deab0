"""The end of an invocation that needs answers first.

By itself, because every invocation knows how it may end, and few have anything to ask.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, final

from trio_agent.errors import TrioAgentError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.context.question import Question


@final
class InputRequiredError(TrioAgentError):
    """The invocation ended without a document, because it needs answers first.

    Nothing failed: run it again with a channel that has them.

    Attributes:
        questions: those that have no answer yet, by their keys; at least one.
    """

    def __init__(self, questions: Mapping[str, Question]) -> None:
        kinds = ", ".join(question.kind for question in questions.values())
        super().__init__(
            "input-required", f"the invocation needs an answer before it can go on: {kinds}"
        )
        self.questions: Final = MappingProxyType(dict(questions))
