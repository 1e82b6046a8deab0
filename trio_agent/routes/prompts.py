"""Prompts: the decorator `@prompt`, and what it makes of a function.

    -> str             one message of the user
    -> list[Message]   these messages
    -> Node            one message of the user for each leaf
    -> other data      one message of the user, with JSON

The arguments of a prompt come as strings, and are read by the types of the parameters
(`protocol.schema.texts`).  How a handler runs is the same for every route: `handler`.

A `PromptRoute` deliberately does not know its own name: the path of the module is the identity.
Above: `application`, and the MCP surface.  The arguments are those that `static` reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, ParamSpec, cast, final, get_args, get_origin

import attrs

from trio_agent.errors import ContractError, abridge
from trio_agent.limits import LimitOverrides
from trio_agent.protocol.schema.constraint import Description
from trio_agent.protocol.schema.declared import bare_type, declared_fields, found
from trio_agent.protocol.schema.texts import can_be_text, from_texts
from trio_agent.protocol.schema.words import expected_words
from trio_agent.routes.answer import read_answer, return_annotation
from trio_agent.routes.declaring import (
    check_facts,
    checked_handler,
    checked_limits,
    detached,
    detached_all,
)
from trio_agent.routes.decorated import first_paragraph
from trio_agent.routes.handler import Handled
from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown
from trio_agent.vocabulary.element import ResultElement
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import TextNode
from trio_agent.vocabulary.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FunctionType

    from trio_agent.routes.answer import Answering
    from trio_agent.vocabulary.element import ComponentFunction, Node

P = ParamSpec("P")

_LISTS: Final = (list, tuple, Sequence)


@final
@attrs.frozen(kw_only=True, eq=False)
class PromptRoute(Handled):
    """A prompt.  Made by `prompt`.

    Attributes:
        handler: the author's function, to be called directly in its tests.
        name: its qualified name, for errors.
        description: of the decorator, else the first paragraph of the function's docstring.
        title: for people; a listing makes one of the prompt's name when there is none.
        icons: JSON objects with `src`, for the listing.
        meta: `_meta` of the listing.
        form_schema: the literal that `input_schema=` gave, for forms; reading has the types.
        limits: the route's own, over the runtime's.
        result: the type that `result=` names.
        thread: whether a `def` runs in a worker thread.
    """

    handler: ComponentFunction
    name: str
    description: str | None = None
    title: str | None = None
    icons: tuple[Mapping[str, object], ...] = ()
    meta: Mapping[str, object] | None = None
    form_schema: Mapping[str, object] | None = None
    limits: LimitOverrides = attrs.field(factory=LimitOverrides)
    result: object | None = None
    thread: bool = True

    __repr__ = shown

    @cached_property
    def answer(self) -> Answering:
        """What the handler answers with.

        Raises:
            PluginError: its return annotation does not say, or means messages and something else.
        """
        function = cast("FunctionType", self.handler)
        annotation = return_annotation(function, self.name)
        if _is_messages(annotation):
            if self.result is not None:
                raise PluginError(f"{self.name} returns messages, so its result= says nothing")
            return MessagesAnswer(self.name)
        if _mentions_message(annotation):
            raise PluginError(
                f"{self.name} returns messages as list[Message] and nothing else, received"
                f" -> {annotation!r:.120}"
            )
        return read_answer(function, self.name, self.result)

    @property
    def has_messages(self) -> bool:
        """Whether the value of the document is the messages, `{"messages": [...]}`."""
        return isinstance(self.answer, MessagesAnswer)

    @cached_property
    def arguments(self) -> tuple[dict[str, object], ...]:
        """What a listing says of each argument: `name`, `description` if it has one, `required`.

        Raises:
            DeclarationError: the handler's parameters cannot be an input.
        """
        return tuple(
            _listed(field.alias, field.type_, required=field.required)
            for field in declared_fields(self.signature.input_type)
            if not field.computed
        )

    def check(self) -> None:
        """Find out now what is wrong with the function: see `Handled.check`.

        Raises:
            PluginError: also when an argument can never be given as text.
        """
        super().check()
        for field in declared_fields(self.signature.input_type):
            if not field.computed and not can_be_text(field.type_):
                raise PluginError(
                    f"the argument {field.alias} of {self.name} is {expected_words(field.type_)},"
                    " and the arguments of a prompt are texts: declare a string, a number, a"
                    " boolean, an enum or a literal"
                )

    def structure(self, data: object) -> attrs.AttrsInstance:
        """Read the arguments: see `Handled.structure`; strings are read by the declared types.

        Raises:
            SchemaError: they do not fit; it has every issue with its path, beginning `input`.
        """
        if isinstance(data, dict):
            members = cast("Mapping[str, object]", data)
            data = from_texts(self.signature.input_type, members)
        return super().structure(data)


@final
@attrs.frozen
class MessagesAnswer:
    """The answer of a prompt that returns messages.

    Attributes:
        name: of the handler, for errors.
    """

    name: str

    __repr__ = shown

    is_nodes = False
    declared = None

    def to_node(self, returned: object) -> Node:
        """A result with the messages as its value, and what they say as its content.

        Raises:
            ContractError: `invalid-document`, it is something else; the place is named.
        """
        if not isinstance(returned, (list, tuple)):
            raise self._refusal("", returned)
        messages: list[Message] = []
        for index, one in enumerate(cast("Sequence[object]", returned)):
            if not isinstance(one, Message):
                raise self._refusal(f" at [{index}]", one)
            messages.append(one)
        value = Json.of({"messages": [message.to_wire() for message in messages]})
        return ResultElement(tuple(map(_shown, messages)), value)

    def _refusal(self, place: str, received: object) -> ContractError:
        return ContractError(
            "invalid-document",
            f"{self.name} returns a list of Message, received {abridge(received)}{place}",
        )


def prompt(  # noqa: PLR0913  # one argument per thing a prompt can say
    *,
    description: str | None = None,
    title: str | None = None,
    icons: Sequence[Mapping[str, object]] = (),
    meta: Mapping[str, object] | None = None,
    render: LimitOverrides | None = None,
    result: object | None = None,
    input_schema: Mapping[str, object] | None = None,
    thread: bool = True,
) -> Callable[[Callable[P, object]], PromptRoute]:
    """Make a function a prompt of the server below whose `prompts/` folder its module lies.

    All arguments but *result* are literals, since they are read without importing the module.

    Args:
        description: for people; by default the first paragraph of the docstring.
        title: for people; by default the prompt's name in words.
        icons: JSON objects, each with `src`.
        meta: JSON object, the `_meta` of the listing.
        render: limits of this prompt, `{"max_elapsed_s": 300}`; at most a day.
        result: the type of the value, for a handler that returns nodes.
        input_schema: JSON Schema for forms that are made without importing the module; reading
            uses the parameters' types.
        thread: False runs a `def` on the Trio thread; it must not block then.

    Returns:
        A decorator; the name in the module becomes a `PromptRoute`.  A handler returns text, a
        list of `Message`, or nodes, each leaf of which becomes a message of the user.

    Raises:
        PluginError: an argument is not what it takes; the decorated thing is no function, or is
            a generator.
        ContractError: `invalid-limits`, *render* is unknown or out of range.
    """
    check_facts(
        "prompt",
        {
            "description": description,
            "title": title,
            "icons": icons,
            "meta": meta,
            "render": render,
            "input_schema": input_schema,
            "thread": thread,
        },
    )
    icon_objects, meta_object = detached_all(icons, "icons"), detached(meta, "meta")
    schema = detached(input_schema, "input_schema")
    limits = checked_limits(render)

    def decorate(function: Callable[P, object]) -> PromptRoute:
        handler = checked_handler(function, "prompt")
        return PromptRoute(
            handler=cast("ComponentFunction", handler),
            name=handler.__qualname__,
            description=description or first_paragraph(function.__doc__),
            title=title,
            icons=icon_objects,
            meta=meta_object,
            form_schema=schema,
            limits=limits,
            result=result,
            thread=thread,
        )

    return decorate


def _listed(name: str, type_: object, *, required: bool) -> dict[str, object]:
    description = found(bare_type(type_).metadata, Description)
    listed: dict[str, object] = {"name": name}
    if description is not None:
        listed["description"] = description.text
    return listed | {"required": required}


def _shown(message: Message) -> Node:
    return TextNode(message.content) if isinstance(message.content, str) else message.content


def _is_messages(annotation: object) -> bool:
    arguments = [one for one in get_args(annotation) if one is not ...]
    return get_origin(annotation) in _LISTS and arguments == [Message]


def _mentions_message(annotation: object) -> bool:
    return annotation is Message or any(map(_mentions_message, get_args(annotation)))
