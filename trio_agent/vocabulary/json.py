"""The JSON gate: a JSON value, checked, detached and frozen as its own compact text.

`Json` is the only form in which JSON lives inside a document.  It keeps the compact text and
what the text is charged (bytes, values, depth); the Python value is parsed on demand, a fresh
copy each time, so that nothing an author changes later can reach a document.

What passes: `dict` with `str` keys, `list`, `tuple`, `str`, `bool`, `int` within ±(2**53 - 1)
(a JavaScript reader rounds larger ones: an id belongs in a string), finite `float`, `None`, a
`Json`, and attrs instances, which `vocabulary.plain` turns into JSON first.  Everything else is
refused with its path, `a.b[2]`: no set, date, dataclass or bytes is coerced.

Rule: text made here is valid UTF-8.  A lone surrogate, which UTF-8 cannot carry, is written as
the JSON escape it came from.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Final, Never, Protocol, TypeAlias, cast, final

import attrs

from trio_agent.errors import ContractError, abridge
from trio_agent.limits import DEEPEST
from trio_agent.shown import shown
from trio_agent.vocabulary.plain import NotPlainError, is_instance_of_attrs, to_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

JsonValue: TypeAlias = (
    "dict[str, JsonValue] | list[JsonValue] | tuple[JsonValue, ...] | str | int | float | None"
)
"""What `json.loads` gives, and tuples, which count as lists.  `bool` is an `int` to a checker."""

SAFE_INTEGER: Final = 2**53 - 1
"""Largest integer a double holds exactly (ECMAScript `Number.MAX_SAFE_INTEGER`)."""


class _MakeEncoder(Protocol):
    """The C encoder's constructor, as `json.encoder` calls it."""

    def __call__(self, *arguments: object) -> Callable[[object, int], tuple[str, ...]]: ...


def _make_encoder() -> Callable[[object], str]:
    """A compact encoder.

    `JSONEncoder.encode` makes a new C encoder at each call, which takes longer than encoding the
    few values of a typical node; the C encoder itself can be kept.
    """
    encoder = json.JSONEncoder(
        ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
    )
    make: _MakeEncoder | None = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return encoder.encode
    sort_keys = skip_keys = allow_nan = False
    encode = make(
        *(None, encoder.default, encode_basestring, None, ":", ","),
        *(sort_keys, skip_keys, allow_nan),
    )
    return lambda value: "".join(encode(value, 0))


_encode: Final = _make_encoder()
_ALWAYS_JSON: Final = frozenset({str, bool, type(None)})
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class _RefusedError(Exception):
    """Private: the quick walk met something; the slow one finds out what and where."""


def escape_surrogates(text: str) -> str:
    """JSON *text* with every lone surrogate written as a backslash escape."""
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def quote(text: str) -> str:
    """*text* as a JSON string literal that UTF-8 can carry."""
    quoted = encode_basestring(text)
    if quoted.isascii() or _LONE_SURROGATE.search(quoted) is None:
        return quoted
    return escape_surrogates(quoted)


def utf8_size(text: str) -> int:
    """Bytes that JSON *text* takes as UTF-8, lone surrogates counted as escapes."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        return len(escape_surrogates(text).encode())


@final
@attrs.frozen
class Json:
    """One frozen JSON value.  Make it with `Json.of` or `Json.parse`.

    Two are equal when their texts are: order of members counts, `1` and `1.0` differ.

    Attributes:
        text: compact JSON, no spaces, keys in the order they came.
        size: bytes of `text` as UTF-8.
        nodes: JSON values in it, containers and scalars alike.
        depth: nesting; a scalar is 1.
    """

    text: str
    size: int = attrs.field(eq=False, repr=False)
    nodes: int = attrs.field(eq=False, repr=False)
    depth: int = attrs.field(eq=False, repr=False)

    __repr__ = shown

    @classmethod
    def of(cls, value: object, place: str = "value") -> Json:
        """Check and freeze *value*.

        Args:
            value: JSON, or attrs instances, or JSON that holds them; a `Json` is its value.
            place: how the value is called in an error, the root of the path.

        Raises:
            ContractError: `invalid-document`, with the path of what is not JSON.
        """
        deepest = [1]
        try:
            nodes = _count(value, 1, deepest)
        except _RefusedError:
            value = _to_json(value, place)
            deepest = [1]
            nodes = _count(value, 1, deepest)
        text = _encode(value)
        if text.isascii():
            return cls(text, len(text), nodes, deepest[0])
        text = escape_surrogates(text)
        return cls(text, utf8_size(text), nodes, deepest[0])

    @classmethod
    def parse(cls, text: str, place: str = "value") -> Json:
        """Freeze the JSON in *text*, strictly: no NaN, no duplicate member, bounded nesting.

        Raises:
            ContractError: `invalid-document`.
        """
        try:
            value: object = json.loads(
                text,
                parse_int=_read_int,
                parse_constant=_refuse_constant,
                object_pairs_hook=_unique_members,
            )
        except RecursionError:
            raise ContractError("invalid-document", f"{place} nests too deeply") from None
        except ValueError as error:
            raise ContractError("invalid-document", f"{place} is not JSON: {error}") from None
        return cls.of(value, place)

    @property
    def value(self) -> JsonValue:
        """The value, parsed anew: change it as you like."""
        parsed: JsonValue = json.loads(self.text)
        return parsed


def _count(value: object, level: int, deepest: list[int]) -> int:
    """Values in *value*; notes the deepest level.  Stops at the first thing that is not JSON.

    The hot path of every payload: a scalar inside a container costs at most one call.
    """
    if _is_json_scalar(value):
        return 1
    items = _items_of(value)
    if not items:
        return 1
    if level >= deepest[0]:
        if level >= DEEPEST:
            raise _RefusedError
        deepest[0] = level + 1
    nodes = 1 + len(items)
    for item in items:
        if type(item) not in _ALWAYS_JSON and not _is_json_scalar(item):
            nodes += _count(item, level + 1, deepest) - 1
    return nodes


def _items_of(value: object) -> Collection[object]:
    """What a container holds."""
    kind = type(value)
    if kind is dict:
        members = cast("dict[object, object]", value)
        for key in members:
            if type(key) is not str:
                raise _RefusedError
        return members.values()
    if kind is list or kind is tuple:
        return cast("list[object]", value)
    raise _RefusedError


def _is_json_scalar(value: object) -> bool:
    kind = type(value)
    if kind is int:
        return -SAFE_INTEGER <= cast("int", value) <= SAFE_INTEGER
    return kind in _ALWAYS_JSON or (kind is float and math.isfinite(cast("float", value)))


def _to_json(value: object, place: str) -> object:
    """*value* with attrs instances turned into JSON, or the error that names what is not JSON."""
    try:
        return _checked(value, place, 1)
    except NotPlainError as error:
        raise ContractError("invalid-document", str(error)) from None


def _checked(value: object, path: str, level: int) -> object:
    if level > DEEPEST:
        _refuse(path[:200], f"nests deeper than {DEEPEST} levels, or is a cycle")
    kind = type(value)
    if kind is Json:
        return _checked(cast("Json", value).value, path, level)
    if is_instance_of_attrs(value):
        return _checked(to_plain(value, path, level), path, level)
    if kind is dict:
        members = cast("dict[object, object]", value)
        for key in members:
            if type(key) is not str:
                _refuse(path, f"has the key {abridge(key)}; a JSON key is a string")
        return {key: _checked(item, f"{path}.{key}", level + 1) for key, item in members.items()}
    if kind is list or kind is tuple:
        items = cast("list[object]", value)
        return [_checked(item, f"{path}[{i}]", level + 1) for i, item in enumerate(items)]
    _check_scalar(value, path)
    return value


def _check_scalar(value: object, path: str) -> None:
    kind = type(value)
    if _is_json_scalar(value):
        return
    if kind is int:
        _refuse(
            path, f"is an integer beyond ±(2**53 - 1), {_digits(cast('int', value))}; use a string"
        )
    if kind is float:
        _refuse(path, f"is a non-finite number, {value!r}; JSON has none")
    _refuse(path, f"is an instance of {kind.__module__}.{kind.__qualname__}, which is not JSON")


def _digits(number: int) -> str:
    # Python refuses to print integers of more than 4,300 digits.
    return str(number) if number.bit_length() < 128 else f"of {number.bit_length()} bits"


def _refuse(path: str, why: str) -> Never:
    raise ContractError("invalid-document", f"{path} {why}")


def _read_int(digits: str) -> int:
    # Python refuses to read more than 4,300 digits, in words about an interpreter setting.
    if len(digits) > 4000:
        raise ValueError(f"an integer of {len(digits)} digits is beyond ±(2**53 - 1)")
    return int(digits)


def _refuse_constant(name: str) -> Never:
    raise ValueError(f"{name} is not a JSON number")


def _unique_members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the member {abridge(name)} comes more than once")
    return members
