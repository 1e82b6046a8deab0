"""Forms of attrs classes: the schema of the class, without what hosts cannot draw.

    X | None             asked for as X; has to have a default, which is what an empty input gives
    Gt, Lt               of an integer the next one is the limit; of a number left out
    Pattern, uuid, ...   left out
    what is computed     left out
    nested, mixed        refused, by the names of the class and the member

What is left out of the form is checked all the same when the answer is read, since that is read
as every input is: strictly, as an instance of the class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

import attrs

from trio_agent.context.form_schema import FORMATS, KEYWORDS, SchemaForm, without_nulls
from trio_agent.protocol.schema.issues import DeclarationError
from trio_agent.protocol.schema.json_schema import schema_of
from trio_agent.protocol.schema.structuring import structure
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trio_agent.context.form_schema import Members

_NEXT: Final = {"exclusiveMinimum": ("minimum", 1), "exclusiveMaximum": ("maximum", -1)}


@final
@attrs.frozen
class ClassForm:
    """A form whose answer is an instance of an attrs class.  Make it with `of`."""

    type_: type[attrs.AttrsInstance]
    schema: Mapping[str, object]
    required: frozenset[str]

    __repr__ = shown

    @classmethod
    def of(cls, type_: type[attrs.AttrsInstance]) -> ClassForm:
        """Make the form of a class.

        Raises:
            DeclarationError: a member cannot be drawn, or has no wire form.
        """
        whole = schema_of(type_, mode="input", dialect="2020-12")
        required = cast("list[str]", whole.get("required", []))
        members = cast("dict[str, Members]", whole["properties"])
        properties = {
            name: _drawn(member)
            for name, member in members.items()
            if not member.get("readOnly", False)
        }
        schema: Members = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        try:
            SchemaForm.of(schema)
            _refuse_empty(members, required)
        except DeclarationError as error:
            name = f"{type_.__module__}.{type_.__qualname__}"
            raise DeclarationError(f"{name} is no form: {error.message}") from None
        return cls(type_, schema, frozenset(required))

    def read(self, content: Members) -> attrs.AttrsInstance:
        """See `form.Form.read`."""
        given = without_nulls(content, self.required)
        return structure(self.type_, given, place="answer.content")


def _drawn(member: Members) -> Members:
    """What a host can draw of a member; left as it is where that is nothing."""
    schema = {**_without_null(member), **_about(member)}
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in KEYWORDS or (kind != "string" and "enum" in schema):
        return schema
    if kind == "integer":
        schema |= _limits(schema)
    if schema.get("format", "date") not in FORMATS:
        del schema["format"]
    return {name: value for name, value in schema.items() if name in KEYWORDS[kind]}


def _without_null(member: Members) -> Members:
    options = cast("Sequence[Members]", member.get("anyOf", ()))
    others = [option for option in options if option != {"type": "null"}]
    return others[0] if len(others) == 1 else member


def _about(member: Members) -> Members:
    """What is said of a member beside its type; that nothing is its default is not said."""
    return {
        name: member[name]
        for name in ("description", "default")
        if name in member and member[name] is not None
    }


def _limits(schema: Members) -> Members:
    limits: Members = {}
    for name, (limit, step) in _NEXT.items():
        bound = schema.get(name)
        if isinstance(bound, int):
            limits[limit] = bound + step
    return limits


def _refuse_empty(members: Mapping[str, Members], required: Sequence[str]) -> None:
    for name in required:
        if {"type": "null"} in cast("Sequence[Members]", members[name].get("anyOf", ())):
            raise DeclarationError(
                f"the member {name!r} may be None, which an input cannot say: give it a default"
            )
