"""How the types without parts are read: numbers, strings, and what is written as a string.

A hook takes the JSON value and gives the Python value, or raises `MismatchError`.  Nothing is
coerced: `True` is no 1, `"3"` is no 3, `3.0` is no 3.  One exception, because JSON has one kind
of number: an integer is good where a float is declared, and becomes one.

The forms that strings may take are those that `vocabulary.plain` writes, plus `Z` for UTC; the
many others that Python would accept (`20260131`, `{uuid}`) are refused.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from trio_agent.protocol.schema.issues import mismatch
from trio_agent.protocol.schema.words import expected_words, is_path_class, options

if TYPE_CHECKING:
    import enum
    import pathlib

Hook: TypeAlias = Callable[[object, object], object]
"""Value and declared type in, structured value out.  cattrs fixes the shape."""

_DATE: Final = r"\d{4}-\d\d-\d\d"
_TIME: Final = r"\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?"
_UUID: Final = r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"


def _read_string(value: object, _: object) -> str:
    if type(value) is not str:
        raise mismatch("string", value)
    return value


def _read_integer(value: object, _: object) -> int:
    if type(value) is not int:
        raise mismatch("integer", value)
    return value


def _read_number(value: object, _: object) -> float:
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:
            raise mismatch("number that a double can hold", value) from None
    if type(value) is not float or not math.isfinite(value):
        raise mismatch("number", value)
    return value


def _read_boolean(value: object, _: object) -> bool:
    if type(value) is not bool:
        raise mismatch("boolean", value)
    return value


def _read_null(value: object, _: object) -> None:
    if value is not None:
        raise mismatch("null", value)


def _written_as(form: str, type_: object, parse: Callable[[str], object]) -> Hook:
    expected, matches = expected_words(type_), re.compile(form, re.ASCII).fullmatch

    def read(value: object, _: object) -> object:
        if type(value) is not str or matches(value) is None:
            raise mismatch(expected, value)
        try:
            return parse(value)
        except ValueError:
            # The form is right, the number is not: month 13.
            raise mismatch(expected, value) from None

    return read


_EXACT: Final[dict[object, Hook]] = {
    str: _read_string,
    int: _read_integer,
    float: _read_number,
    bool: _read_boolean,
    type(None): _read_null,
    None: _read_null,
    dt.datetime: _written_as(f"{_DATE}T{_TIME}", dt.datetime, dt.datetime.fromisoformat),
    dt.date: _written_as(_DATE, dt.date, dt.date.fromisoformat),
    dt.time: _written_as(_TIME, dt.time, dt.time.fromisoformat),
    uuid.UUID: _written_as(_UUID, uuid.UUID, uuid.UUID),
}


def _path_hook(type_: type[pathlib.PurePath]) -> Hook:
    def read(value: object, _: object) -> object:
        # An empty string would be the working directory: most likely an unset variable.
        if type(value) is not str or not value or "\0" in value:
            raise mismatch("path", value)
        return type_(value)

    return read


def _option_hook(type_: type[enum.Enum] | object) -> Hook:
    choices, expected = options(type_), expected_words(type_)

    def read(value: object, _: object) -> object:
        for option in choices:
            if is_same(option.plain, value):
                return option.value
        raise mismatch(expected, value)

    return read


def is_same(written: object, value: object) -> bool:
    """Whether JSON *value* is what was *written*; `True` is not 1, but 1 may stand for 1.0."""
    if isinstance(written, dict):
        members = cast("dict[str, object]", written)
        given_members = cast("dict[str, object]", value)
        return (
            isinstance(value, dict)
            and members.keys() == given_members.keys()
            and all(is_same(member, given_members[key]) for key, member in members.items())
        )
    if isinstance(written, list):
        pairs = cast("list[object]", written)
        given = cast("list[object]", value)
        return (
            isinstance(value, (list, tuple))
            and len(pairs) == len(given)
            and all(map(is_same, pairs, given))
        )
    if type(written) is not type(value) and not (type(written) is float and type(value) is int):
        return False
    return written == value


def scalar_hook(type_: object) -> Hook | None:
    """The hook of a bare type without parts; None for any other type."""
    if options(type_):
        return _option_hook(type_)
    if is_path_class(type_):
        return _path_hook(cast("type[pathlib.PurePath]", type_))
    return _EXACT.get(type_)
