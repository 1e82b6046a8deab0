"""What a command takes, from the fields of its input class.

    str, Url, Path, date and the like --name VALUE
    int, float                        --name VALUE, a number
    enum, Literal                     --name VALUE, one of its values
    bool                              --name; --no-name if it is true by default
    list, tuple[T, ...], Sequence     --name VALUE, may be repeated
    T | None                          as T
    Annotated[T, Positional()]        an argument, in the order of the fields

A class of exactly one required field that says `Positional` nowhere has that field as its
argument.  Everything else has no form on a command line and is refused here, when the command is
described, not when somebody types it.

Reads no value; `argv` does.  Imports no cattrs, so the help of a command stays quick.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Final, Literal, TypeAlias, cast, final, get_args, get_origin

import attrs

from trio_agent.protocol.schema.constraint import AbsoluteUrl, Description, Positional
from trio_agent.protocol.schema.declared import (
    BareType,
    DeclaredField,
    bare_type,
    declared_fields,
    found,
    is_anything,
    union_members,
    without_none,
)
from trio_agent.protocol.schema.issues import DeclarationError, show
from trio_agent.protocol.schema.words import expected_words, options, wire_kinds
from trio_agent.shown import shown
from trio_agent.vocabulary.plain import NotPlainError, to_plain

Form: TypeAlias = Literal["text", "integer", "number", "choice", "flag"]
"""How a token becomes JSON."""

_POSSIBLE: Final = (
    "there are strings, numbers, bool, enums, Literal, Path, Url, dates, times and UUID, lists of"
    " these but bool, and each of them or None"
)

RESERVED: Final = frozenset({"help", "json", "ndjson", "version"})


@final
@attrs.frozen(kw_only=True)
class Parameter:
    """One field of the input, on the command line.

    Attributes:
        alias: of the field, on the wire.
        name: kebab-case, without dashes or brackets.
        form: of one value.
        choices: what may be typed, and the JSON it stands for.
        aliases: further names of an option.
        sets: the value of a flag that is given.
        default: as JSON; None for none, or for one that is made anew each time.
        is_path: each value is the path of a file or folder.
    """

    alias: str
    name: str
    form: Form
    words: str
    choices: tuple[tuple[str, object], ...] = ()
    description: str = ""
    aliases: tuple[str, ...] = ()
    is_positional: bool = False
    is_repeated: bool = False
    is_required: bool = False
    sets: bool = True
    default: object = None
    is_path: bool = False

    __repr__ = shown

    @property
    def target(self) -> str:
        """How errors call it: `--name` or `<name>`."""
        return f"<{self.name}>" if self.is_positional else f"--{self.name}"


@final
@attrs.frozen(kw_only=True)
class Grammar:
    """What a command takes.

    Attributes:
        input_type: the class of the input.
        positionals: in their order; only the last may be repeated, none is required after one
            that is not.
        options: in the order of the fields.
    """

    input_type: type[attrs.AttrsInstance]
    positionals: tuple[Parameter, ...]
    options: tuple[Parameter, ...]

    __repr__ = shown


def read_grammar(input_type: type[attrs.AttrsInstance]) -> Grammar:
    """Derive the command line of *input_type*.

    Raises:
        DeclarationError: a field has no form on a command line, its name is taken, a flag is
            required, or the arguments are in no order that can be read.
    """
    grammar = draft_grammar(input_type)
    check_grammar(grammar)
    return grammar


def draft_grammar(
    input_type: type[attrs.AttrsInstance],
    is_left_out: Callable[[DeclaredField], bool] | None = None,
) -> Grammar:
    """What `read_grammar` derives, before anybody looks whether it can be read.

    Args:
        input_type: the class of the input.
        is_left_out: whether a field is no part of the command line when it has no form there;
            without it every field is one.

    Raises:
        DeclarationError: a field has no form on a command line.
    """
    fields = [
        field
        for field in declared_fields(input_type)
        if not field.computed
        and (is_left_out is None or _form_of(field) is not None or not is_left_out(field))
    ]
    chosen = _positional_aliases(fields)
    parameters = [_parameter(field, is_positional=field.alias in chosen) for field in fields]
    return Grammar(
        input_type=input_type,
        positionals=tuple(one for one in parameters if one.is_positional),
        options=tuple(one for one in parameters if not one.is_positional),
    )


def check_grammar(grammar: Grammar, reserved: frozenset[str] = RESERVED) -> None:
    """Find out whether a command line can be read.

    Args:
        grammar: what was derived.
        reserved: names that no option may have.

    Raises:
        DeclarationError: the name of an option is taken, a flag is required, or the arguments
            are in no order that can be read.
    """
    _check_options(grammar, reserved)
    _check_positionals(grammar)


def kebab_case(name: str) -> str:
    """`max_size` and `maxSize` as `max-size`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name)
    return spaced.replace("_", "-").strip("-").lower()


def _positional_aliases(fields: Sequence[DeclaredField]) -> frozenset[str]:
    marked = [
        field.alias
        for field in fields
        if found(bare_type(field.type_).metadata, Positional) is not None
    ]
    required = [field for field in fields if field.required]
    if marked or len(required) != 1 or without_none(required[0].type_)[0] is bool:
        return frozenset(marked)
    return frozenset({required[0].alias})


def _parameter(field: DeclaredField, *, is_positional: bool) -> Parameter:
    bare = bare_type(field.type_)
    type_, _ = without_none(bare.type_)
    item = _item_type(type_)
    one = type_ if item is None else item
    is_url = found((*bare.metadata, *bare_type(one).metadata), AbsoluteUrl) is not None
    form = _form_of(field)
    if form is None:
        raise DeclarationError(
            f"{field.place} has a type without a form on a command line, {type_}: {_POSSIBLE}"
        )
    return Parameter(
        alias=field.alias,
        name=_name(field, form),
        form=form,
        words="URL" if is_url else expected_words(one),
        choices=tuple(
            (spelled(option.plain), option.plain) for option in options(bare_type(one).type_)
        ),
        description=_description(bare),
        is_positional=is_positional,
        is_repeated=item is not None,
        is_required=field.required,
        sets=field.default is not True,
        default=_default(field, form),
        is_path=_is_path(one),
    )


def _name(field: DeclaredField, form: Form) -> str:
    # A flag that is on already can only be switched off.
    prefix = "no-" if form == "flag" and field.default is True else ""
    return prefix + kebab_case(field.alias)


def _item_type(type_: object) -> object | None:
    """The type of the items, for what may be repeated."""
    origin, arguments = get_origin(type_), get_args(type_)
    if origin in {list, Sequence} or (origin is tuple and arguments[1:] == (...,)):
        item: object = arguments[0]
        return item
    return None


def _is_path(type_: object) -> bool:
    bare = bare_type(type_).type_
    return isinstance(bare, type) and issubclass(bare, PurePath)


def _form_of(field: DeclaredField) -> Form | None:
    """The form of one value of a field; None when it has none on a command line."""
    type_, _ = without_none(bare_type(field.type_).type_)
    item = _item_type(type_)
    if item is None:
        return _form(type_)
    form = _form(item)
    return None if form == "flag" else form


def _form(type_: object) -> Form | None:
    bare = bare_type(type_).type_
    if options(bare):
        return "choice"
    exact: dict[object, Form] = {bool: "flag", int: "integer", float: "number"}
    if bare in exact:
        return exact[bare]
    members = union_members(bare)
    if members:
        return "number" if set(members) == {int, float} else None
    return "text" if "string" in wire_kinds(bare) and not is_anything(bare) else None


def _description(bare: BareType) -> str:
    said = found(bare.metadata, Description)
    return "" if said is None else said.text


def _default(field: DeclaredField, form: Form) -> object:
    # A factory may do anything; help only shows what is there already.
    if form == "flag" or field.default is attrs.NOTHING or isinstance(field.default, _FACTORY):
        return None
    try:
        return to_plain(field.default, field.alias)
    except NotPlainError:
        return None


# To a type checker it is a function, at run time it is a class.
_FACTORY: Final = cast("type", attrs.Factory)


def spelled(plain: object) -> str:
    """A plain value as somebody would type it."""
    return plain if isinstance(plain, str) else show(plain)


def _check_options(grammar: Grammar, reserved: frozenset[str]) -> None:
    counts = Counter(name for option in grammar.options for name in (option.name, *option.aliases))
    for option in grammar.options:
        for name in (option.name, *option.aliases):
            where = f"{grammar.input_type.__qualname__}: the option --{name}"
            if name in reserved:
                raise DeclarationError(f"{where} is taken; give the field another name or alias")
            if counts[name] > 1:
                raise DeclarationError(f"{where} stands for two fields")
        where = f"{grammar.input_type.__qualname__}: the option --{option.name}"
        if option.form == "flag" and option.is_required:
            raise DeclarationError(f"{where} is a flag, which needs a default or `| None`")


def _check_positionals(grammar: Grammar) -> None:
    for position, parameter in enumerate(grammar.positionals):
        where = f"{grammar.input_type.__qualname__}: the argument <{parameter.name}>"
        before = grammar.positionals[:position]
        if parameter.form == "flag":
            raise DeclarationError(f"{where} is a bool, which can only be an option")
        if any(other.is_repeated for other in before):
            raise DeclarationError(f"{where} comes after one that takes all the rest")
        if parameter.is_required and not all(other.is_required for other in before):
            raise DeclarationError(f"{where} is required, but one before it is not")
