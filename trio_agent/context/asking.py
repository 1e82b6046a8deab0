"""Asking: the questions of one invocation, their keys, and those that nobody has answered yet.

One object for each invocation, made with its first question.  It decides what a question is
called, reads the answer, and knows what is open.  That the clock stands still while somebody
thinks, and that the invocation ends when an answer has to come with another one, is up to the
`Pauses` it is given.

Rule: a key is made of the question's words, or of what the author calls it, and of how often that
was asked before, so a repeated invocation finds its answers again although concurrent components
ask in another order.  The two kinds never meet: an author's has no hyphen.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, Protocol, final

from trio_agent.context.form import make_form
from trio_agent.context.host import unsupported
from trio_agent.context.question import (
    Elicited,
    ask_model,
    ask_roots,
    ask_user,
    read_action,
    read_roots,
    read_sampled,
)
from trio_agent.vocabulary.field import refuse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Never

    from trio_agent.context.host import HostChannel
    from trio_agent.context.question import Question, Root, Sampled


_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


class Pauses(Protocol):
    """What an invocation does while, and after, a question is asked."""

    def pause(self) -> None:
        """Stop the clock of the time limit; it goes on with the last `resume`."""
        ...

    def resume(self) -> None:
        """Let the clock go on."""
        ...

    async def leave(self) -> Never:
        """End the invocation for the sake of what is open; others may still ask meanwhile."""
        ...


@final
class Asking:
    """The questions of one invocation.

    Args:
        host: None where there is nobody to ask.
        pauses: of the invocation.

    Attributes:
        open: questions whose answers come with another invocation, by key, in call order.
    """

    __slots__ = ("_asked", "_host", "_pauses", "open")

    def __init__(self, host: HostChannel | None, pauses: Pauses) -> None:
        self._host: Final = host
        self._pauses: Final = pauses
        self._asked: Final[Counter[str]] = Counter()
        self.open: Final[dict[str, Question]] = {}

    async def elicit(self, message: str, schema: object, key: str | None) -> Elicited[object]:
        """See `AgentRequest.elicit`."""
        form = make_form(schema)
        question = ask_user(message, form.schema, form.read)
        action, content = read_action(await self._ask(question, key))
        return Elicited(action=action, content=None if content is None else form.read(content))

    async def sample(
        self,
        messages: str | Sequence[Mapping[str, object]],
        max_tokens: int,
        system_prompt: str | None,
        options: Mapping[str, object] | None,
        key: str | None,
    ) -> Sampled:
        """See `AgentRequest.sample`."""
        question = ask_model(
            messages, max_tokens=max_tokens, system_prompt=system_prompt, options=options
        )
        return read_sampled(await self._ask(question, key))

    async def roots(self, key: str | None) -> tuple[Root, ...]:
        """See `AgentRequest.roots`."""
        return read_roots(await self._ask(ask_roots(), key))

    async def _ask(self, question: Question, name: str | None) -> Mapping[str, object]:
        if self._host is None:
            raise unsupported(question.kind)
        key = self._key(question, name)
        self._pauses.pause()
        try:
            answer = await self._host.ask(key, question)
        finally:
            self._pauses.resume()
        if answer is None:
            self.open[key] = question
            await self._pauses.leave()
        return answer

    def _key(self, question: Question, name: str | None) -> str:
        if name is not None and (type(name) is not str or _KEY.fullmatch(name) is None):
            refuse("the key of a question", "letters, digits and _, at most 64", name)
        base = f"{question.kind}-{question.digest}" if name is None else name
        number = self._asked[base]
        self._asked[base] += 1
        return base if number == 0 and name is not None else f"{base}-{number}"
