"""Declared types -> JSON Schema, from the same parts that `structuring` reads values with.

    attrs class            object: `properties` by alias, `required`, nothing else allowed
    list, tuple, Sequence  array with `items`
    tuple[A, B]            array with `prefixItems`, closed
    dict, Mapping          object with `additionalProperties`, and `propertyNames` where a key is
                           more than a string
    object, JsonValue      {}
    Annotated              its constraints, its `Description`, its `Header`
    everything else        `fragments`

A class is written where it is used, because many readers show what they find there and never
follow a `$ref`.  A class that contains itself is written so once, and from then on as
`#/$defs/...`; the root is always written out, and a class with an `$anchor` never is.  If writing
out takes more than `MOST_INLINE` members, every class but the root goes to `$defs`.

Guarantee: what `structuring` accepts validates, as long as a class keeps what its own
`schema_keywords` promise.  The way back has the gaps that the reference lists, each of them
something that JSON Schema cannot say.

Deliberately no cattrs here: `tools/list` needs schemas and structures nothing, save those
defaults that `defaults` cannot judge at sight.  Nothing is kept between two calls.
"""

from __future__ import annotations

import inspect
import itertools
import re
from typing import TYPE_CHECKING, Final, Literal, final, get_args, get_origin

import attrs

from trio_agent.protocol.schema.class_graph import read_graph
from trio_agent.protocol.schema.constraint import Description, Header
from trio_agent.protocol.schema.declared import (
    bare_type,
    declared_fields,
    found,
    is_anything,
    is_attrs_class,
    union_members,
)
from trio_agent.protocol.schema.defaults import published_default
from trio_agent.protocol.schema.dialect import publish
from trio_agent.protocol.schema.fragments import any_of, constrained, scalar_schema
from trio_agent.protocol.schema.issues import DeclarationError, show
from trio_agent.protocol.schema.keywords import joined, keywords_of
from trio_agent.protocol.schema.validators import narrowed_type
from trio_agent.protocol.schema.words import (
    LISTS,
    MAPPINGS,
    constraints_of,
    is_fixed_tuple,
    mapping_parts,
    no_wire_form,
    options,
    wire_kinds,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trio_agent.protocol.schema.class_graph import AttrsClass, ClassGraph
    from trio_agent.protocol.schema.declared import DeclaredField
    from trio_agent.protocol.schema.fragments import Mode, Schema

MOST_INLINE: Final = 500
"""Members of classes that one schema writes out; about 30 KB, beyond what a model reads well."""


def input_schema(type_: type[attrs.AttrsInstance]) -> Schema:
    """The schema of an input, published in the listing of its route.

    Returns:
        An object schema, never a reference; a new one for each call.

    Raises:
        DeclarationError: a field has no wire form, or a default that does not fit its own type;
            names the class and the field, or the handler and its parameter.
    """
    return schema_of(type_, mode="input", dialect="published")


def output_schema(type_: object) -> Schema | None:
    """The schema of a value, published beside the route that returns it.

    Returns:
        An object schema, or None when values of *type_* are not always JSON objects: hosts
        take no other.

    Raises:
        DeclarationError: a part of *type_* has no wire form.
    """
    if wire_kinds(type_) - {"object"}:
        return None
    schema = schema_of(type_, mode="output", dialect="published")
    return schema if "type" in schema else {"type": "object", **schema}


def schema_of(type_: object, *, mode: Mode, dialect: Literal["2020-12", "published"]) -> Schema:
    """The schema of any type that has a wire form.

    Args:
        type_: see the table above.
        mode: `input` has defaults, and marks what the class computes as `readOnly`.
        dialect: `published` is the form of `dialect.publish`.

    Raises:
        DeclarationError: a part of *type_* has no wire form, or a default does not fit.
    """
    try:
        graph = read_graph(type_)
    except RecursionError:
        raise DeclarationError(f"{type_} contains itself, and no class comes between") from None
    try:
        schema = _Writer(graph, mode, MOST_INLINE).root(type_)
    except _TooManyError:
        schema = _Writer(graph, mode, None).root(type_)
    return publish(schema) if dialect == "published" else schema


def choices(type_: type[attrs.AttrsInstance]) -> Mapping[str, tuple[str, ...]]:
    """What completion may offer: the values of enums and literals, by alias of their field.

    Values that are no strings are spelled as JSON; fields without such values are left out.
    """
    offered = {
        field.alias: tuple(dict.fromkeys(_spelled(field.type_)))
        for field in declared_fields(type_)
        if not field.computed
    }
    return {alias: values for alias, values in offered.items() if values}


def _spelled(type_: object) -> Iterator[str]:
    bare = bare_type(type_).type_
    for member in union_members(bare) or (bare,):
        if member is not bare:
            yield from _spelled(member)
    for option in options(bare):
        if isinstance(option.plain, (str, int, float)):
            yield option.plain if isinstance(option.plain, str) else show(option.plain)


class _TooManyError(Exception):
    """Private: writing out every class would take too much."""


@final
class _Writer:
    """One schema on its way."""

    def __init__(self, graph: ClassGraph, mode: Mode, most_inline: int | None) -> None:
        self._graph: Final = graph
        self._mode: Final[Mode] = mode
        self._left = most_inline
        self._names: Final[dict[AttrsClass, str]] = {}
        self._definitions: Schema = {}
        self._headers: Final[set[str]] = set()
        self._is_inside = most_inline is None
        """Whether a class that may be referred to is: in a class that contains itself."""

    def root(self, type_: object) -> Schema:
        """The schema of *type_*, which is no reference."""
        schema = self._schema(type_, is_root=True)
        return {**schema, "$defs": self._definitions} if self._definitions else schema

    def _schema(self, type_: object, *, is_root: bool = False, is_direct: bool = False) -> Schema:
        """The schema of a part; *is_direct* if only fields lie between it and the root."""
        bare = bare_type(type_)
        if is_attrs_class(bare.type_):
            schema = self._class(bare.type_, is_root=is_root, is_direct=is_direct)
        else:
            schema = self._part(bare.type_)
        for constraint in constraints_of(bare):
            schema = constrained(schema, constraint)
        if (said := found(bare.metadata, Description)) is not None:
            schema = {**schema, "description": said.text}
        header = found(bare.metadata, Header)
        return schema if header is None else self._with_header(schema, header, is_direct=is_direct)

    def _with_header(self, schema: Schema, header: Header, *, is_direct: bool) -> Schema:
        """*schema* of an input that is repeated in a header of HTTP."""
        if self._mode == "output":
            return schema
        if not is_direct:
            raise DeclarationError(
                f"{header} may stand at a field of the input, or of a class that is one; nowhere"
                " else"
            )
        if schema.get("type") not in {"string", "integer", "boolean"}:
            raise DeclarationError(f"{header} is for a string, an integer or a boolean, no union")
        if (token := header.name.lower()) in self._headers:
            raise DeclarationError(f"{header} is already the header of another field")
        self._headers.add(token)
        return {**schema, "x-mcp-header": header.name}

    def _part(self, type_: object) -> Schema:
        if is_anything(type_):
            return {}
        if members := union_members(type_):
            return any_of(map(self._schema, members))
        return scalar_schema(type_, self._mode) or self._container(type_)

    def _container(self, type_: object) -> Schema:
        origin, arguments = get_origin(type_) or type_, get_args(type_)
        if origin in MAPPINGS:
            return self._mapping(*mapping_parts(type_))
        if is_fixed_tuple(type_):
            return self._tuple(arguments)
        if origin in LISTS:
            return {
                "type": "array",
                "items": self._schema(arguments[0] if arguments else object),
            }
        raise no_wire_form(type_)

    def _mapping(self, key: object, item: object) -> Schema:
        schema: Schema = {"type": "object", "additionalProperties": self._schema(item)}
        names = self._schema(key)
        return schema if names == {"type": "string"} else {**schema, "propertyNames": names}

    def _tuple(self, places: Sequence[object]) -> Schema:
        if not places:
            return {"type": "array", "items": {}, "maxItems": 0}
        return {
            "type": "array",
            "prefixItems": [self._schema(place) for place in places],
            "items": False,
            "minItems": len(places),
            "maxItems": len(places),
        }

    def _class(self, type_: AttrsClass, *, is_root: bool, is_direct: bool) -> Schema:
        is_shared = type_ in self._graph.recursive or self._left is None
        is_anchored = "$anchor" in keywords_of(type_)
        if not is_root and (is_anchored or (is_shared and self._is_inside)):
            return self._reference(type_)
        was_inside = self._is_inside
        self._is_inside = was_inside or is_shared
        schema = self._object(type_, is_direct=is_root or is_direct)
        self._is_inside = was_inside
        # Another place has it, if there is any use of it but this one.
        schema.pop("$anchor", None)
        return schema

    def _reference(self, type_: AttrsClass) -> Schema:
        name = self._names.get(type_)
        if name is None:
            name = self._names[type_] = self._free_name(type_)
            # The place is taken first, so that definitions come in the order of their use.
            self._definitions[name] = {}
            self._definitions[name] = self._object(type_, is_direct=False)
        return {"$ref": f"#/$defs/{name}"}

    def _free_name(self, type_: AttrsClass) -> str:
        # A reference is a URI, where anything else would have to be escaped.
        base = re.sub(r"[^A-Za-z0-9_]", "_", type_.__name__)
        names = (base if number == 1 else f"{base}{number}" for number in itertools.count(1))
        return next(name for name in names if name not in self._definitions)

    def _object(self, type_: AttrsClass, *, is_direct: bool) -> Schema:
        fields = self._graph.fields[type_]
        if self._left is not None:
            self._left -= len(fields)
            if self._left < 0:
                raise _TooManyError
        schema: Schema = {**keywords_of(type_), "type": "object"}
        self._definitions = joined(self._definitions, schema.pop("$defs", {}))
        if type_.__doc__:
            schema.setdefault("description", _summary(type_.__doc__))
        schema["properties"] = {
            field.alias: self._field(field, is_direct=is_direct) for field in fields
        }
        if required := [field.alias for field in fields if field.required]:
            schema["required"] = required
        schema["additionalProperties"] = False
        return schema

    def _field(self, field: DeclaredField, *, is_direct: bool) -> Schema:
        type_ = narrowed_type(field)
        try:
            schema = self._schema(type_, is_direct=is_direct)
        except DeclarationError as error:
            raise error.placed(field.place) from None
        if self._mode == "output":
            return schema
        if field.computed:
            return {**schema, "readOnly": True}
        default = published_default(field, type_)
        return schema if default is attrs.NOTHING else {**schema, "default": default}


def _summary(text: str) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join(inspect.cleandoc(text).partition("\n\n")[0].split())
