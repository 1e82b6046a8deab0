"""How attrs classes are read: cattrs makes the constructor, this module tells what went wrong.

The constructor that cattrs generates collects what each field raised, what was missing and what
nobody declared.  Here that becomes issues with the names of the wire.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

import attrs
from cattrs.errors import ClassValidationError, ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn, override

from trio_agent.protocol.schema.declared import DeclaredField, declared_fields
from trio_agent.protocol.schema.issues import (
    DeclarationError,
    MismatchError,
    SchemaIssue,
    mismatch,
    show,
)
from trio_agent.protocol.schema.scalar import is_same
from trio_agent.protocol.schema.words import expected_words
from trio_agent.vocabulary.plain import to_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cattrs import Converter

    from trio_agent.protocol.schema.scalar import Hook

    Members = dict[str, object]

    class _MakeConstructor(Protocol):
        """`make_dict_structure_fn`, with what it takes for single fields."""

        def __call__(
            self, cl: type[attrs.AttrsInstance], converter: Converter, **options: object
        ) -> Callable[[Members], object]: ...


def class_hook(
    type_: type[attrs.AttrsInstance],
    converter: Converter,
    check: Callable[[object], object],
    hook_for: Callable[[object], Hook],
) -> Hook:
    """The hook of an attrs class.

    Args:
        type_: the class, not generic.
        converter: finds the hooks of its fields, now or, in a recursive class, at the first use.
        check: refuses a declared type that has no hook; called for each field.
        hook_for: finds a hook at the first use, for what the validators make of a type.
    """
    fields = declared_fields(type_)
    for field in fields:
        try:
            check(field.type_)
        except DeclarationError as error:
            raise error.placed(field.place) from None
    construct = cast("_MakeConstructor", make_dict_structure_fn)(
        type_,
        converter,
        _cattrs_forbid_extra_keys=True,
        _cattrs_use_linecache=False,
        _cattrs_detailed_validation=True,
        _cattrs_use_alias=True,
        **_narrower_hooks(fields, hook_for),
    )
    computed = {field.alias: field.name for field in fields if field.computed}
    expected = expected_words(type_)

    def read(value: object, _: object) -> object:
        if type(value) is not dict:
            raise mismatch(expected, value)
        members = cast("Members", value)
        given = {key: member for key, member in members.items() if key not in computed}
        try:
            instance = construct(given)
        except ClassValidationError as group:
            raise MismatchError(*_issues(group, type_, fields, given)) from None
        for alias, name in computed.items():
            _check_computed(alias, getattr(instance, name), members)
        return instance

    return read


def _narrower_hooks(
    fields: Sequence[DeclaredField], hook_for: Callable[[object], Hook]
) -> dict[str, object]:
    """Hooks for the fields whose validators say something about the JSON.

    With them a broken validator is one issue among all; the constructor stops at the first.
    """
    if all(field.validator is None for field in fields):
        return {}
    # lazy: a command whose class has no validators starts without it.
    from trio_agent.protocol.schema.validators import narrowed_type  # noqa: PLC0415

    types = {field.name: narrowed_type(field) for field in fields}
    return {
        field.name: override(struct_hook=_hook_at_first_use(types[field.name], hook_for))
        for field in fields
        if types[field.name] is not field.type_
    }


def _hook_at_first_use(type_: object, hook_for: Callable[[object], Hook]) -> Hook:
    # Now the type may contain the very class whose hook is being made.
    def read(value: object, _: object) -> object:
        return hook_for(type_)(value, type_)

    return read


def _check_computed(alias: str, value: object, members: Members) -> None:
    plain = to_plain(value, alias)
    if alias in members and not is_same(plain, members[alias]):
        issue = SchemaIssue(expected=show(plain), received=members[alias], steps=(alias,))
        raise MismatchError(issue)


def _issues(
    group: ClassValidationError,
    type_: type[attrs.AttrsInstance],
    fields: Sequence[DeclaredField],
    members: Members,
) -> Iterator[SchemaIssue]:
    """Everything in *group*, fields first, in their order."""
    by_name = {field.name: field for field in fields}
    of_fields, others = group.group_exceptions()
    for error, note in of_fields:
        yield from _field_issues(error, by_name[note.name])
    for error in others:
        if isinstance(error, ForbiddenExtraKeysError):
            yield from _unknown(error.extra_fields, fields, members)
        else:
            yield _refused(error, type_, fields, members)


def _field_issues(error: Exception, field: DeclaredField) -> Iterator[SchemaIssue]:
    if isinstance(error, MismatchError):
        yield from (issue.below(field.alias) for issue in error.issues)
    elif isinstance(error, KeyError):
        yield SchemaIssue(
            expected=expected_words(field.type_), kind="missing", steps=(field.alias,)
        )
    else:
        # The stack ended in the middle of a value: not the fault of this field.
        raise error


def _unknown(
    keys: set[str], fields: Sequence[DeclaredField], members: Members
) -> Iterator[SchemaIssue]:
    known = ", ".join(show(field.alias) for field in fields if not field.computed) or "none"
    for key in members:
        if key in keys:
            yield SchemaIssue(
                expected=f"no unknown key {show(key)} (known: {known})",
                received=members[key],
                kind="unknown",
            )


def _refused(
    error: Exception,
    type_: type[attrs.AttrsInstance],
    fields: Sequence[DeclaredField],
    members: Members,
) -> SchemaIssue:
    """The issue of a validator or a constructor, at its field when it says which."""
    message = str(error.args[0]) if error.args else type(error).__name__
    expected = f"a value that {type_.__name__} accepts ({message})"
    for field in fields:
        if field.alias in members and _is_about(error, message, field):
            return SchemaIssue(
                expected=expected, received=members[field.alias], steps=(field.alias,)
            )
    return SchemaIssue(expected=expected, received=members)


def _is_about(error: Exception, message: str, field: DeclaredField) -> bool:
    # The validators of attrs begin with the quoted name, and some bring the attribute along.
    return message.startswith(f"'{field.name}'") or any(
        isinstance(part, attrs.Attribute) and part.name == field.name for part in error.args
    )
