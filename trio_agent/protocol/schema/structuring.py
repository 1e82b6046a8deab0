"""JSON -> declared type, strictly: nothing coerced, nothing ignored, every issue at once.

    attrs class                     object by alias; unknown and missing members are issues
    str int float bool None         themselves; an integer is good for a float, nothing else is
    Path datetime date time UUID    strings, as `vocabulary.plain` writes them
    enum, Literal                   by value
    list, tuple, Sequence           array; `tuple[A, B]` has two items, Sequence gives a tuple
    dict, Mapping                   object; keys are of any type that is written as a string
    X | Y                           exactly one must fit (`union`)
    object, Any, JsonValue          any JSON
    Annotated[T, ...]               T, then its constraints

cattrs builds the constructor of each class and finds the hook of each field; every hook is ours.
It is imported with this module and nowhere else.  What no rule above names is refused when the
type is first used: a `DeclarationError` for the author, not an issue for the caller.

Validators of a class run when all of its members fit, and a failure becomes an issue; attrs stops
at the first of them, so a second appears when the first has been mended.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar, cast, get_args, get_origin, overload

import attrs
from cattrs import Converter
from cattrs.errors import ClassValidationError, ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn

from trio_agent.protocol.schema.constraint import CONSTRAINTS, wire_kind
from trio_agent.protocol.schema.declared import (
    DeclaredField,
    bare_type,
    declared_fields,
    is_anything,
    is_attrs_class,
    union_members,
)
from trio_agent.protocol.schema.issues import (
    MOST_ISSUES,
    DeclarationError,
    MismatchError,
    SchemaError,
    SchemaIssue,
    mismatch,
)
from trio_agent.protocol.schema.scalar import is_same, scalar_hook
from trio_agent.protocol.schema.union import union_hook
from trio_agent.protocol.schema.words import LISTS, MAPPINGS, expected_words, wire_kinds
from trio_agent.vocabulary.plain import to_plain

if TYPE_CHECKING:
    from trio_agent.protocol.schema.constraint import Constraint
    from trio_agent.protocol.schema.scalar import Hook
    from trio_agent.vocabulary.json import Json

T = TypeVar("T")
