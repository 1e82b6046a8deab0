"""Plain forms: what an attrs instance looks like as JSON.

A field of an attrs class was declared, so types with one obvious wire form may stand in it:

    attrs instance        an object, one member per field, by the field's alias
    pathlib path          a string, as `str()` spells it
    enum member           its value, made plain in turn
    datetime, date, time  ISO 8601, as `isoformat()` spells it
    UUID                  its 36 characters
    mapping               an object; a key is a string, an integer or one of the three above
    list, tuple           a list

Outside of an attrs instance only JSON is JSON.  `protocol.schema` reads the same forms back.
This module decides nothing about size; `vocabulary.json` does.

Rule: what refers to itself ends in `NotPlainError`, not in a `RecursionError`.
"""

from __future__ import annotations

import datetime as dt
import enum
import pathlib
import uuid
from collections.abc import Mapping, Sequence
from typing import cast

import attrs

from trio_agent.errors import abridge
from trio_agent.limits import DEEPEST


class NotPlainError(Exception):
    """A declared field holds something that has no wire form; the message has its path."""


def is_instance_of_attrs(value: object) -> bool:
    """Whether *value* is an instance, not a class, of an attrs class."""
    return attrs.has(type(value))


def to_plain(value: object, path: str, level: int = 1) -> object:
    """The plain form of a declared *value*; scalars are left for the JSON gate to judge.

    Args:
        value: an attrs instance, or what hangs in one.
        path: how it is called in an error.
        level: how deep it hangs already.

    Raises:
        NotPlainError: something in it has no wire form, or it nests too deeply.
    """
    if level > DEEPEST:
        raise NotPlainError(f"{path[:200]} nests deeper than {DEEPEST} levels, or is a cycle")
    if is_instance_of_attrs(value):
        return _members(value, path, level)
    if isinstance(value, enum.Enum):
        return to_plain(value.value, path, level + 1)
    if isinstance(value, Mapping):
        return _entries(cast("Mapping[object, object]", value), path, level)
    if isinstance(value, (list, tuple)):
        items = cast("Sequence[object]", value)
        return [to_plain(item, f"{path}[{i}]", level + 1) for i, item in enumerate(items)]
    return _plain_scalar(value, path)


def _plain_scalar(value: object, path: str) -> object:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (pathlib.PurePath, uuid.UUID)):
        return str(value)
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        return value.isoformat()
    kind = type(value)
    raise NotPlainError(
        f"{path} is an instance of {kind.__module__}.{kind.__qualname__}, which has no wire form"
    )


def _members(value: object, path: str, level: int) -> dict[str, object]:
    members: dict[str, object] = {}
    for field in attrs.fields(cast("type[attrs.AttrsInstance]", type(value))):
        name = field.alias or field.name
        try:
            member: object = getattr(value, field.name)
        except AttributeError:
            raise NotPlainError(f"{path}.{name} was never set") from None
        members[name] = to_plain(member, f"{path}.{name}", level + 1)
    return members


def _entries(entries: Mapping[object, object], path: str, level: int) -> dict[str, object]:
    plain: dict[str, object] = {}
    for key, item in entries.items():
        name = _name(key, path)
        if name in plain:
            raise NotPlainError(f"{path} has two keys that are both written {abridge(name)}")
        plain[name] = to_plain(item, f"{path}.{name}", level + 1)
    return plain


def _name(key: object, path: str) -> str:
    scalar = key.value if isinstance(key, enum.Enum) else key
    if isinstance(scalar, (str, pathlib.PurePath, uuid.UUID)):
        return str(scalar)
    if isinstance(scalar, (dt.datetime, dt.date, dt.time)):
        return scalar.isoformat()
    # As for values: 53 bits are what a JavaScript reader holds.
    if type(scalar) is int and scalar.bit_length() <= 53:
        return str(scalar)
    raise NotPlainError(f"{path} has the key {abridge(key)}, which has no wire form")
