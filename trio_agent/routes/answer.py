"""What a handler answers with: nodes, or data.

The return annotation decides.  `Node`, an element, a leaf, and lists and unions of these mean
nodes, and `result=` names the type of their value.  Any other annotation means data: the answer
becomes a result with that value and, as its content, the text of a string or the JSON of
anything else.  `-> None` is data without content; its value is null.

This module runs nothing.  Above: `handler`.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import (
    Annotated,
    Final,
    ForwardRef,
    Protocol,
    Union,
    cast,
    final,
    get_args,
    get_origin,
)

import attrs

from trio_agent.errors import ContractError
from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown
from trio_agent.vocabulary.element import (
    AnyElement,
    Element,
    FragmentElement,
    Node,
    ResultElement,
    SuspenseElement,
)
from trio_agent.vocabulary.json import Json
from trio_agent.vocabulary.leaf import JsonNode, TextNode
from trio_agent.vocabulary.node import LEAVES
from trio_agent.vocabulary.plain import NotPlainError, to_plain

_ELEMENTS: Final = (Element, ResultElement, SuspenseElement, FragmentElement)
_NODE_CLASSES: Final[frozenset[object]] = LEAVES | frozenset(_ELEMENTS)
_NODE_ALIASES: Final[frozenset[object]] = frozenset({Node, AnyElement})
"""Recursive aliases are strings at run time."""

_ANY_NODE: Final = Element | ResultElement | SuspenseElement | FragmentElement
"""Stands for such an alias where a string could not: in `Node | None`."""

_LISTS: Final = (list, tuple, Sequence)


class Answering(Protocol):
    """How a handler's return value is understood; what it means differs with the kind of route."""

    @property
    def is_nodes(self) -> bool:
        """It is a node, rendered as it is; otherwise data."""
        ...

    @property
    def declared(self) -> object | None:
        """The type that the document's value has to be of; None when none was declared."""
        ...

    def to_node(self, returned: object) -> Node:
        """What is rendered for a return value.

        Raises:
            ContractError: `invalid-document`, data that has no JSON form; the path is named.
        """
        ...


@final
@attrs.frozen(kw_only=True)
class Answer:
    """How a handler's return value is understood.

    Attributes:
        is_nodes: it is a node, rendered as it is; otherwise data.
        declared: the type that the document's value has to be of; None when none was declared.
    """

    is_nodes: bool
    declared: object | None

    __repr__ = shown

    def to_node(self, returned: object) -> Node:
        """What is rendered for a return value.

        Raises:
            ContractError: `invalid-document`, data that has no JSON form; the path is named.
        """
        if self.is_nodes:
            return cast("Node", returned)
        value, content = _value_and_content(returned)
        return ResultElement(() if self.declared is type(None) else (content,), value)


def read_answer(function: types.FunctionType, name: str, result: object | None) -> Answer:
    """Decide by the return annotation of *function*.

    Args:
        function: the handler.
        name: of the handler, for errors.
        result: what the decorator's `result=` said.

    Raises:
        PluginError: there is no annotation, it cannot be resolved, it mixes nodes and data, or
            `result=` was given beside data.
    """
    return answer_of(return_annotation(function, name), name, result)


def answer_of(annotation: object, name: str, result: object | None) -> Answer:
    """Decide by an annotation that was evaluated; the rest as `read_answer`.

    Raises:
        PluginError: it mixes nodes and data, or `result=` was given beside data.
    """
    if _is_node(annotation):
        return Answer(is_nodes=True, declared=result)
    if _mentions_nodes(annotation):
        raise PluginError(f"{name} returns either nodes or data, received -> {annotation!r:.120}")
    if result is not None:
        raise PluginError(
            f"{name} returns data, whose type is its return annotation; result= is for handlers"
            " that return nodes"
        )
    return Answer(is_nodes=False, declared=type(None) if annotation is None else annotation)


def return_annotation(function: types.FunctionType, name: str) -> object:
    """The return annotation of *function*, evaluated; an alias of nodes may stay text.

    Raises:
        PluginError: there is none, or it cannot be resolved.
    """
    annotations = function.__annotations__
    if "return" not in annotations:
        raise PluginError(
            f"{name} has no return annotation: write -> Node for nodes, or the type of its data"
        )
    annotation: object = annotations["return"]
    if not isinstance(annotation, str) or annotation in _NODE_ALIASES:
        return annotation
    # The annotation is code of the author's module, which has run already.
    names = cast("dict[str, object]", function.__globals__)
    known = {
        key: _ANY_NODE if isinstance(value, str) and value in _NODE_ALIASES else value
        for key, value in names.items()
    }
    try:
        return cast("object", eval(annotation, known))  # noqa: S307  # the author's own source
    except Exception as error:  # boundary: an annotation is an expression of the author's
        missing = isinstance(error, NameError)
        if missing and annotation.rpartition(".")[2] == "Node":
            # Imported for type checkers only, which says what it is all the same.
            return Node
        advice = "; import it where the program runs, not under `if TYPE_CHECKING`"
        raise PluginError(
            f"{name} has the return annotation {annotation!r}, which cannot be resolved when the"
            f" program runs: {type(error).__name__}: {error}{advice if missing else ''}"
        ) from error


def _is_node(annotation: object) -> bool:
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        return annotation in _NODE_ALIASES
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation in _NODE_CLASSES
    members = _members(annotation)
    return bool(members) and all(_is_node(member) for member in members)


def _mentions_nodes(annotation: object) -> bool:
    return _is_node(annotation) or any(map(_mentions_nodes, _members(annotation)))


def _members(annotation: object) -> list[object]:
    """What a union, a list or an annotated type is made of, None and `...` left out."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return [get_args(annotation)[0]]
    if origin is Union or origin is types.UnionType or origin in _LISTS:
        return [member for member in get_args(annotation) if member not in {type(None), ...}]
    return []


def _value_and_content(data: object) -> tuple[Json, TextNode | JsonNode]:
    try:
        plain = to_plain(data, "value")
    except NotPlainError as error:
        raise ContractError("invalid-document", str(error)) from None
    value = Json.of(plain)
    return value, TextNode(plain) if isinstance(plain, str) else JsonNode(value)
