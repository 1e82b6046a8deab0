"""The host channel: how a surface lets a component ask its host, and tell it things.

A surface that has a way back to its host gives a `HostChannel` with `Runtime.invoke(...,
host=channel)`.  A component never sees it: it calls `context.elicit`, `context.log` and so on,
and those go through `asking` and the pipeline's backstage.

Two kinds of channel exist.  A *live* one waits for the answer while the invocation runs.  A
*replayed* one has the answers of earlier invocations, and says None to a question that has none
yet: then the invocation ends with `InputRequiredError`, and the surface asks for it to be run
again, with more answers.

    channel = ReplayChannel(answers)                  # key -> answer, from earlier rounds
    try:
        await runtime.invoke(..., host=channel)
    except InputRequiredError as error:
        error.questions                               # key -> question, to be answered

Keys are made of the words of the question, or of what the author calls it, so answers find their
questions again whatever order concurrent components ask in; the same question asked twice has two
keys, in call order.

Not here: frames, capabilities and who may be asked what.  Below: `question`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias, final

import attrs

from trio_agent.context.question import QUESTION_KINDS
from trio_agent.errors import RequestError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from trio_agent.context.question import Question, QuestionKind
    from trio_agent.vocabulary.json import Json

LogLevel: TypeAlias = Literal[
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
]
"""Severities of RFC 5424, least severe first, as MCP has them."""

ListKind: TypeAlias = Literal["tools", "resources", "prompts"]


@final
@attrs.frozen
class LogNotice:
    """A line for the host's log; the channel drops it when the host wants only worse."""

    level: LogLevel
    data: Json
    logger: str | None = None

    __repr__ = shown

    @property
    def size(self) -> int:
        """Bytes of the data as JSON."""
        return self.data.size


@final
@attrs.frozen
class ResourceUpdated:
    """A resource has changed; for those who subscribed to it."""

    uri: str
    size = 0

    __repr__ = shown


@final
@attrs.frozen
class ListChanged:
    """There are other tools, resources or prompts than before."""

    kind: ListKind
    size = 0

    __repr__ = shown


@final
@attrs.frozen
class StreamEnd:
    """The stream that carries the answer is to be closed, so that the client polls for it."""

    size = 0

    __repr__ = shown


Notice: TypeAlias = LogNotice | ResourceUpdated | ListChanged | StreamEnd
"""What a component tells its host, without waiting for anything."""


class HostChannel(Protocol):
    """A surface's way to the host, for one invocation.  Called in the Trio thread only."""

    async def ask(self, key: str, question: Question) -> Mapping[str, object] | None:
        """Put a question and wait for the answer; any number may be asked at a time.

        Cancelled when the component that asks is.  While it waits the time limit of the
        invocation stands still.

        Args:
            key: of this question in this invocation and in every one that repeats it.
            question: what is asked.

        Returns:
            The answer as the host gave it, an object of JSON that was not looked at; None when
            it will come with another invocation.

        Raises:
            RequestError: `unsupported-surface`, this host cannot be asked that; `host-refused`,
                it answered with an error.
        """
        ...

    async def tell(self, notice: Notice) -> None:
        """Pass something on; returns when it is written.  Called in order, one at a time.

        A host that has left, and one that does not want to know, are no errors here.
        """
        ...


@final
class ReplayChannel:
    """A channel that has all the answers it will ever have.  Tells nobody anything.

    Args:
        answers: by the keys of their questions.
        kinds: what this host can be asked at all.
        tell: where notices go; nowhere if None.
    """

    __slots__ = ("_answers", "_forward", "_kinds", "_used")

    def __init__(
        self,
        answers: Mapping[str, Mapping[str, object]],
        *,
        kinds: Collection[QuestionKind] = QUESTION_KINDS,
        tell: Teller | None = None,
    ) -> None:
        self._answers: Final = MappingProxyType(dict(answers))
        self._kinds: Final = frozenset(kinds)
        self._forward: Final = tell
        self._used: Final[set[str]] = set()

    @property
    def unused(self) -> frozenset[str]:
        """Keys whose answers nobody asked for: a question has other words than last time."""
        return frozenset(self._answers.keys() - self._used)

    async def ask(self, key: str, question: Question) -> Mapping[str, object] | None:
        """See `HostChannel.ask`."""
        if question.kind not in self._kinds:
            raise unsupported(question.kind)
        self._used.add(key)
        return self._answers.get(key)

    async def tell(self, notice: Notice) -> None:
        """See `HostChannel.tell`."""
        if self._forward is not None:
            await self._forward(notice)


def unsupported(kind: QuestionKind) -> RequestError:
    """The error of a question that nobody can be asked, for channels and where there is none."""
    return RequestError("unsupported-surface", f"this host cannot be asked: {kind}")


class Teller(Protocol):
    """Passes a notice on."""

    async def __call__(self, notice: Notice, /) -> None:
        """See `HostChannel.tell`."""
        ...
