"""A host for tests: it answers by a function, and keeps what it was asked and told.

    host = ScriptedHost(lambda question: accepted(sure=True))
    rendered = await render_route(delete, {"path": "x"}, host=host)
    assert host.asked[0].message == "Delete x?"

Nothing here checks an answer: that is what the component's own reading does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from trio_agent.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trio_agent.context.host import Notice
    from trio_agent.context.question import Question


def accepted(**content: object) -> Mapping[str, object]:
    """The answer of a user who filled a form in."""
    return {"action": "accept", "content": content}


def declined() -> Mapping[str, object]:
    """The answer of a user who said no."""
    return {"action": "decline"}


@final
class ScriptedHost:
    """Answers each question while the invocation runs: a `HostChannel`.

    Args:
        answer: gives the answer to a question, as the host would; None refuses them all.

    Attributes:
        asked: the questions, in the order they came.
        told: the notices, likewise.
    """

    __slots__ = ("_answer", "asked", "told")

    def __init__(self, answer: Callable[[Question], Mapping[str, object]] | None = None) -> None:
        self._answer: Final = answer
        self.asked: Final[list[Question]] = []
        self.told: Final[list[Notice]] = []

    async def ask(self, key: str, question: Question) -> Mapping[str, object]:  # noqa: ARG002  # the same for every key
        """See `HostChannel.ask`."""
        self.asked.append(question)
        if self._answer is None:
            raise RequestError("host-refused", f"this test answers nothing: {question.kind}")
        return self._answer(question)

    async def tell(self, notice: Notice) -> None:
        """See `HostChannel.tell`."""
        self.told.append(notice)
