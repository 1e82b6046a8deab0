"""Questions a component may put to its host, and the answers that come back.

Values only.  A `Question` is what is asked, frozen as JSON in the wire form of MCP, the one
protocol that has one for it; `Elicited`, `Sampled` and `Root` are what the answers are read as.
How a question travels is the channel's affair (`host`), who asks it and when is `asking`'s.

An answer comes from outside, so it is read strictly: what does not fit is a `SchemaError` that
names the place, beginning `answer`.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final, Generic, Literal, TypeAlias, TypeVar, cast, final, get_args

import attrs

from trio_agent.protocol.schema.issues import SchemaError, SchemaIssue
from trio_agent.shown import shown
from trio_agent.vocabulary.field import check_not_blank, check_text, refuse
from trio_agent.vocabulary.json import Json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

QuestionKind: TypeAlias = Literal["elicit", "sample", "roots"]
"""A form for the user; something for the host's model; the directories the host works in."""

QUESTION_KINDS: Final[frozenset[QuestionKind]] = frozenset(get_args(QuestionKind))

Action: TypeAlias = Literal["accept", "decline", "cancel"]
"""What the user did with a form: filled it in, said no, closed it."""

_METHODS: Final[dict[QuestionKind, str]] = {
    "elicit": "elicitation/create",
    "sample": "sampling/createMessage",
    "roots": "roots/list",
}

_ACTIONS: Final[frozenset[object]] = frozenset(get_args(Action))

ContentT_co = TypeVar("ContentT_co", covariant=True)


@final
@attrs.frozen
class Question:
    """What is asked.  Two with the same words and the same form are equal.

    Attributes:
        kind: who is to answer.
        params: as MCP spells them, an object; for `elicit` the `message` and `requestedSchema`.
        read: of `elicit`, what the component will read the content with; a host that asks
            people itself may try it first, and ask again.  Stays in this process.
    """

    kind: QuestionKind
    params: Json
    read: Callable[[dict[str, object]], object] | None = attrs.field(
        default=None, eq=False, repr=False, kw_only=True
    )

    __repr__ = shown

    @property
    def digest(self) -> str:
        """The first 16 hex digits of SHA-256 over kind and params: enough for one invocation."""
        text = f"{self.kind} {self.params.text}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def message(self) -> str:
        """What the user reads above a form; empty where there is none."""
        params = cast("dict[str, object]", self.params.value)
        return str(params.get("message", ""))

    def to_wire(self) -> dict[str, object]:
        """`{"method", "params"}`, the request that MCP has for it, fresh."""
        return {"method": _METHODS[self.kind], "params": self.params.value}


@final
@attrs.frozen(kw_only=True)
class Elicited(Generic[ContentT_co]):
    """What became of a form.

    Attributes:
        action: what the user did.
        content: what was filled in; None unless *action* is `accept`.
    """

    action: Action
    content: ContentT_co | None = None

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class Sampled:
    """What the host's model said.

    Attributes:
        content: blocks as MCP spells them, `{"type": "text", "text": ...}`; at least one.
        model: its name.
        role: whose words they are, usually the assistant's.
        stop_reason: `endTurn`, `maxTokens`, ...; None when the host did not say.
    """

    content: tuple[Mapping[str, object], ...]
    model: str
    role: Literal["user", "assistant"] = "assistant"
    stop_reason: str | None = None

    __repr__ = shown

    @property
    def text(self) -> str:
        """The text blocks, one after another; empty when there is none."""
        texts = (block.get("text") for block in self.content if block.get("type") == "text")
        return "".join(text for text in texts if isinstance(text, str))


@final
@attrs.frozen(kw_only=True)
class Root:
    """One directory or file that the host lets a server work on.

    Attributes:
        uri: `file:///...`.
        name: for people; None when the host did not say.
    """

    uri: str
    name: str | None = None

    __repr__ = shown


def ask_user(
    message: str,
    schema: Mapping[str, object],
    read: Callable[[dict[str, object]], object] | None = None,
) -> Question:
    """The question that shows a form.

    Args:
        message: what the user reads above it; not blank.
        schema: of a `form.Form`.
        read: of the same form; raises `SchemaError` for a content that does not fit.

    Raises:
        ContractError: `invalid-document`, the message is blank or no string.
    """
    check_not_blank("the message of elicit()", message)
    params = Json.of({"message": message, "requestedSchema": dict(schema)})
    return Question("elicit", params, read=read)


def ask_model(
    messages: str | Sequence[Mapping[str, object]],
    *,
    max_tokens: int,
    system_prompt: str | None = None,
    options: Mapping[str, object] | None = None,
) -> Question:
    """The question that the host's model answers.

    Args:
        messages: one text of the user, or messages as MCP spells them, `{"role", "content"}`.
        max_tokens: the most that may be made; positive.
        system_prompt: what comes before the messages.
        options: further members of the request as MCP spells them, `{"temperature": 0}`.

    Raises:
        ContractError: `invalid-document`, something is not JSON or not of its type.
    """
    if isinstance(messages, str):
        check_not_blank("the message of sample()", messages)
        messages = [{"role": "user", "content": {"type": "text", "text": messages}}]
    if type(max_tokens) is not int or max_tokens < 1:
        refuse("max_tokens of sample()", "a positive integer", max_tokens)
    params: dict[str, object] = dict(options or {})
    params |= {"messages": list(messages), "maxTokens": max_tokens}
    if system_prompt is not None:
        check_text("system_prompt of sample()", system_prompt)
        params["systemPrompt"] = system_prompt
    return Question("sample", Json.of(params, "sample"))


def ask_roots() -> Question:
    """The question for the directories the host works in."""
    return Question("roots", Json.of({}))


# ------------------------------------------------------------------------------ answers


def misfit(expected: str, received: object, *steps: str | int) -> SchemaError:
    """The error of an answer that is not what its question asked for."""
    return SchemaError(
        [SchemaIssue(expected=expected, received=received, steps=steps, place="answer")]
    )


def read_action(answer: Mapping[str, object]) -> tuple[Action, dict[str, object] | None]:
    """What the user did with a form, and what is in it: None unless it was accepted.

    A host that has nothing to send for a form without fields may leave the content out.

    Raises:
        SchemaError: the answer is none to a form.
    """
    action = answer.get("action")
    if action not in _ACTIONS:
        raise misfit("one of accept, decline, cancel", action, "action")
    if action != "accept":
        return cast("Action", action), None
    content = answer.get("content", {})
    if not isinstance(content, dict):
        raise misfit("object", content, "content")
    return "accept", cast("dict[str, object]", content)


def read_sampled(answer: Mapping[str, object]) -> Sampled:
    """What the model said.

    Raises:
        SchemaError: the answer is none of a model.
    """
    model, reason = answer.get("model"), answer.get("stopReason")
    if not isinstance(model, str):
        raise misfit("string", model, "model")
    if reason is not None and not isinstance(reason, str):
        raise misfit("string", reason, "stopReason")
    content = answer.get("content")
    # One block stands by itself; several came with 2025-11-25.
    blocks = cast("list[object]", content) if isinstance(content, list) else [content]
    if not blocks:
        raise misfit("at least one block", blocks, "content")
    return Sampled(
        content=tuple(_read_block(index, block) for index, block in enumerate(blocks)),
        model=model,
        role=_read_role(answer.get("role")),
        stop_reason=reason,
    )


def _read_role(role: object) -> Literal["user", "assistant"]:
    if role == "user":
        return "user"
    if role == "assistant":
        return "assistant"
    raise misfit("one of user, assistant", role, "role")


def _read_block(index: int, block: object) -> Mapping[str, object]:
    if isinstance(block, dict):
        members = cast("dict[str, object]", block)
        if isinstance(members.get("type"), str):
            return members
        block = members
    raise misfit("object with a type", block, "content", index)


def read_roots(answer: Mapping[str, object]) -> tuple[Root, ...]:
    """The directories, in the order of the host.

    Raises:
        SchemaError: the answer is no list of roots.
    """
    roots = answer.get("roots")
    if not isinstance(roots, list):
        raise misfit("array", roots, "roots")
    return tuple(_read_root(index, root) for index, root in enumerate(cast("list[object]", roots)))


def _read_root(index: int, root: object) -> Root:
    if not isinstance(root, dict):
        raise misfit("object", root, "roots", index)
    members = cast("dict[str, object]", root)
    uri, name = members.get("uri"), members.get("name")
    if not isinstance(uri, str):
        raise misfit("string", uri, "roots", index, "uri")
    if name is not None and not isinstance(name, str):
        raise misfit("string", name, "roots", index, "name")
    return Root(uri=uri, name=name)
