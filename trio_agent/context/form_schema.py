"""Forms that are written as JSON Schema: every keyword looked at, and the answer held against it.

A form is flat.  Hosts draw it as a handful of inputs, so MCP allows an object whose members are
strings, numbers, booleans, one choice or several choices of strings, and nothing else: no nesting
and no references.  What cannot be drawn is refused when the question is asked, by the name of the
member.

A component never gets what the form did not offer.  Forms of attrs classes are made in
`form_class`, and held against the same table.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, TypeAlias, cast, final

import attrs

from trio_agent.protocol.schema.constraint import wire_kind
from trio_agent.protocol.schema.issues import DeclarationError, SchemaError, SchemaIssue, show
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Members: TypeAlias = "dict[str, object]"

FORMATS: Final = frozenset({"email", "uri", "date", "date-time"})
"""What hosts can help to type in; anything else would be ignored or refused."""

_ABOUT: Final = frozenset({"type", "title", "description", "default"})
KEYWORDS: Final[Mapping[str, frozenset[str]]] = {
    "string": _ABOUT | {"minLength", "maxLength", "format", "enum", "enumNames", "oneOf"},
    "number": _ABOUT | {"minimum", "maximum"},
    "integer": _ABOUT | {"minimum", "maximum"},
    "boolean": _ABOUT,
    "array": _ABOUT | {"items", "minItems", "maxItems"},
}
"""Of each type of a member, all that MCP has for it."""

_FORM: Final = frozenset({"$schema", "type", "title", "description", "properties", "required"})
_ITEMS: Final = frozenset({"type", "enum", "anyOf"})


@final
@attrs.frozen
class Field:
    """One member of a form: whether a value fits, and what to say when it does not."""

    expected: str
    accepts: Callable[[object], bool]

    __repr__ = shown


@final
@attrs.frozen
class SchemaForm:
    """A form that was written as JSON Schema.  Make it with `of`."""

    schema: Mapping[str, object]
    fields: Mapping[str, Field]
    required: frozenset[str]

    __repr__ = shown

    @classmethod
    def of(cls, schema: Members) -> SchemaForm:
        """Look at every member and every keyword.

        Raises:
            DeclarationError: no host could draw it; names the member.
        """
        properties = schema.get("properties")
        if schema.get("type") != "object" or not isinstance(properties, dict):
            raise DeclarationError("a form is a schema of type object, with properties")
        _refuse_unknown("a form", schema, _FORM)
        fields = {name: _field(name, one) for name, one in cast("Members", properties).items()}
        required = schema.get("required", [])
        names = cast("list[object]", required) if isinstance(required, list) else [None]
        if any(name not in fields for name in names):
            raise DeclarationError("what a form requires is a list of its properties")
        return cls(schema, fields, frozenset(cast("list[str]", names)))

    def read(self, content: Members) -> Members:
        """See `form.Form.read`."""
        given = without_nulls(content, self.required)
        if issues := list(self._issues(given)):
            raise SchemaError(issues)
        return given

    def _issues(self, given: Members) -> Iterator[SchemaIssue]:
        for name, field in self.fields.items():
            steps, expected = ("content", name), field.expected
            if name not in given:
                if name in self.required:
                    yield SchemaIssue(
                        expected=expected, kind="missing", steps=steps, place="answer"
                    )
            elif not field.accepts(given[name]):
                yield SchemaIssue(
                    expected=expected, received=given[name], steps=steps, place="answer"
                )
        for name in given.keys() - self.fields.keys():
            yield SchemaIssue(
                expected=f"no unknown key {show(name)}",
                received=given[name],
                kind="unknown",
                steps=("content",),
                place="answer",
            )


def without_nulls(content: Members, required: frozenset[str]) -> Members:
    """What was filled in: some hosts send null for an input that was left empty."""
    return {name: value for name, value in content.items() if value is not None or name in required}


# ------------------------------------------------------------------------------ members


def _refuse_unknown(where: str, schema: Members, known: frozenset[str]) -> None:
    for keyword in schema:
        if keyword not in known:
            raise DeclarationError(
                f"{where} has {keyword!r}, which hosts do not know; they know"
                f" {', '.join(sorted(known))}"
            )


def _field(name: str, schema: object) -> Field:
    where = f"the member {name!r} of a form"
    if not isinstance(schema, dict):
        raise DeclarationError(f"{where} is no schema: {show(schema)}")
    members = cast("Members", schema)
    kind = members.get("type")
    if not isinstance(kind, str) or kind not in KEYWORDS:
        raise DeclarationError(
            f"{where} is of one of the types {', '.join(KEYWORDS)}, received {show(kind)}"
        )
    _refuse_unknown(where, members, KEYWORDS[kind])
    field = _MAKERS[kind](where, members)
    if "default" in members and not field.accepts(members["default"]):
        raise DeclarationError(
            f"{where} has the default {show(members['default'])}, expected {field.expected}"
        )
    return field


def _text(where: str, schema: Members) -> Field:
    choices = _choices(where, schema, "oneOf")
    if choices is not None:
        return Field(_one_of(choices), lambda value: isinstance(value, str) and value in choices)
    format_ = schema.get("format")
    if format_ is not None and format_ not in FORMATS:
        raise DeclarationError(
            f"{where} has the format {show(format_)}, expected one of {', '.join(sorted(FORMATS))}"
        )
    words = "string" if format_ is None else f"string of the format {format_}"
    accepts, limits = _between(where, schema, "minLength", "maxLength")
    return Field(
        words + (f" of {limits} characters" if limits else ""),
        lambda value: isinstance(value, str) and accepts(len(value)),
    )


def _number(where: str, schema: Members) -> Field:
    accepts, limits = _between(where, schema, "minimum", "maximum")
    is_integer = schema["type"] == "integer"

    def fits(value: object) -> bool:
        if wire_kind(value) != "number" or (is_integer and type(value) is not int):
            return False
        number = cast("float", value)
        # Compared, since math.isfinite fails on an integer that no float holds.
        return -math.inf < number < math.inf and accepts(number)

    return Field(f"{schema['type']}" + (f" {limits}" if limits else ""), fits)


def _boolean(_where: str, _schema: Members) -> Field:
    return Field("boolean", lambda value: type(value) is bool)


def _array(where: str, schema: Members) -> Field:
    items = schema.get("items")
    if not isinstance(items, dict):
        raise DeclarationError(f"{where} is an array without items")
    members = cast("Members", items)
    _refuse_unknown(f"an item of {where}", members, _ITEMS)
    choices = _choices(where, members, "anyOf")
    if choices is None:
        raise DeclarationError(f"{where} is an array of anything but choices")
    accepts, limits = _between(where, schema, "minItems", "maxItems")

    def fits(value: object) -> bool:
        return (
            isinstance(value, list)
            and accepts(len(chosen := cast("list[object]", value)))
            and all(isinstance(one, str) and one in choices for one in chosen)
        )

    words = f"array of {limits} items" if limits else "array"
    return Field(f"{words}, each {_one_of(choices)}", fits)


_MAKERS: Final[Mapping[str, Callable[[str, Members], Field]]] = {
    "string": _text,
    "number": _number,
    "integer": _number,
    "boolean": _boolean,
    "array": _array,
}


def _one_of(choices: tuple[str, ...]) -> str:
    return f"one of {', '.join(map(show, choices))}"


def _choices(where: str, schema: Members, titled: str) -> tuple[str, ...] | None:
    """What can be chosen: `enum`, or *titled* with a `const` and a `title` for each."""
    if "enum" not in schema and titled not in schema:
        return None
    choices = schema.get("enum")
    options = schema.get(titled)
    if isinstance(options, list) and choices is None:
        choices = [_const(one) for one in cast("list[object]", options)]
    if (
        not isinstance(choices, list)
        or not choices
        or not all(isinstance(choice, str) for choice in cast("list[object]", choices))
    ):
        raise DeclarationError(f"{where} offers {show(schema)}, expected strings to choose from")
    return tuple(cast("list[str]", choices))


def _const(option: object) -> object:
    members = cast("Members", option) if isinstance(option, dict) else {}
    return members.get("const") if isinstance(members.get("title"), str) else None


def _between(
    where: str, schema: Members, least: str, most: str
) -> tuple[Callable[[float], bool], str]:
    """The check of a size, and the limits in words; no words without limits."""
    low, high = schema.get(least), schema.get(most)
    for name, limit in ((least, low), (most, high)):
        if limit is not None and wire_kind(limit) != "number":
            raise DeclarationError(f"{where} has {name} {show(limit)}, expected a number")
    lowest = -math.inf if low is None else cast("float", low)
    highest = math.inf if high is None else cast("float", high)
    words = [
        f"at least {low}" if low is not None else "",
        f"at most {high}" if high is not None else "",
    ]
    return lambda size: lowest <= size <= highest, " and ".join(filter(None, words))
