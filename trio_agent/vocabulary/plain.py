"""Plain forms: what an attrs instance looks like as JSON.

A field of an attrs class was declared, so types with one obvious wire form may stand in it:

    attrs instance        an object, one member per field, by the field's alias
    pathlib path          a string, as `str()` spells it
    enum member           its value, made plain in turn
    datetime, date, time  ISO 8601, as `isoformat()` spells it
    UUID                  its 36 characters
    mapping, list, tuple  an object with string keys, a list

Outside of an attrs instance only JSON is JSON.  `protocol.schema` reads the same forms back.
This module decides nothing about size; `vocabulary.json` does.
"""

from __future__ import annotations

import datetime as dt
import enum
import pathlib
import uuid
from collections.abc import Mapping, Sequence
from typing import cast

import attrs


class NotPlainError(Exception):
    """A declared field holds something that has no wire form; the message has its path."""


def is_instance_of_attrs(value: object) -> bool:
    """Whether *value* is an instance, not a class, of an attrs class."""
    return attrs.has(type(value))


def to_plain(value: object, path: str) -> object:
    """The plain form of a declared *value*; scalars are left for the JSON gate to judge.

    Raises:
        NotPlainError: something in it has no wire form.
    """
    if is_instance_of_attrs(value):
        return _members(value, path)
    if isinstance(value, enum.Enum):
        return to_plain(value.value, path)
    if isinstance(value, Mapping):
        members = cast("Mapping[object, object]", value)
        return {str(to_plain(k, path)): to_plain(v, f"{path}.{k}") for k, v in members.items()}
    if isinstance(value, (list, tuple)):
        items = cast("Sequence[object]", value)
        return [to_plain(item, f"{path}[{i}]") for i, item in enumerate(items)]
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


def _members(value: object, path: str) -> dict[str, object]:
    members: dict[str, object] = {}
    for field in attrs.fields(cast("type[attrs.AttrsInstance]", type(value))):
        name = field.alias or field.name
        members[name] = to_plain(getattr(value, field.name), f"{path}.{name}")
    return members
