"""What a class says about its schema that its types cannot: `@schema_keywords`.

    @schema_keywords({"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]})
    @attrs.frozen
    class Contact:
        phone: str | None = None
        email: str | None = None

The keywords are published and nothing more: what they promise, the class has to keep, with a
validator or in `__attrs_post_init__`.  What its fields say of themselves cannot be said here.

Below: `json_schema`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, cast

from trio_agent.protocol.schema.issues import DeclarationError, show
from trio_agent.vocabulary.json import Json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trio_agent.protocol.schema.fragments import Schema

T = TypeVar("T")

_ATTRIBUTE: Final = "__schema_keywords__"

_OURS: Final = frozenset({"type", "properties", "required", "additionalProperties"})
_MOVED: Final = frozenset({"$id", "$ref", "$dynamicRef"})
"""With these, a reference to `#/$defs/...` would no longer lead where it should."""


def schema_keywords(keywords: Mapping[str, object]) -> Callable[[type[T]], type[T]]:
    """Add keywords to the JSON Schema of an attrs class; its subclasses do not inherit them.

    Args:
        keywords: JSON.  `$anchor` gives the class one place, in `$defs`, to which every use
            refers; `$defs` of its own join those of the whole schema.

    Raises:
        DeclarationError: a keyword is made of the fields, or would move the class elsewhere.
        ContractError: `invalid-document`, they are not JSON.
    """
    if refused := sorted(keywords.keys() & (_OURS | _MOVED)):
        why = "the fields say that" if refused[0] in _OURS else "references would lead elsewhere"
        raise DeclarationError(f"schema_keywords: {refused[0]!r} cannot be given, {why}")
    kept = Json.of(dict(keywords), "keywords")

    def decorate(type_: type[T]) -> type[T]:
        setattr(type_, _ATTRIBUTE, kept)
        return type_

    return decorate


def keywords_of(type_: type) -> Schema:
    """The keywords of a class, fresh; empty when it has none of its own."""
    kept = vars(type_).get(_ATTRIBUTE)
    return cast("Schema", kept.value) if isinstance(kept, Json) else {}


def joined(definitions: Schema, more: object) -> Schema:
    """The `$defs` of a whole schema, and those of one of its classes.

    Raises:
        DeclarationError: a name stands for two things, or the class has no object there.
    """
    if not isinstance(more, dict):
        raise DeclarationError(f"schema_keywords: '$defs' is an object, received {show(more)}")
    others = cast("Schema", more)
    for name in definitions.keys() & others.keys():
        if definitions[name] != others[name]:
            raise DeclarationError(f"schema_keywords: {name!r} in '$defs' is another definition")
    return {**definitions, **others}
