"""What an author may write in `Annotated[T, ...]` beside the type.

Constraints judge the JSON value, before it becomes a path or a date, and only where they apply,
as JSON Schema has it: `Annotated[int | None, Ge(1)]` lets None pass.  A constraint that can never
apply to its type is refused when the type is read.  `Url` is a type that has one already.

`Description` is for people and models, `Positional` for the command line, `Header` for HTTP; none
of them is checked against a value.
Objects of other libraries in `Annotated` are left alone.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Final, Literal, TypeAlias, cast, final

import attrs

from trio_agent.protocol.schema.issues import DeclarationError, show
from trio_agent.shown import shown

WireKind: TypeAlias = Literal["string", "number", "boolean", "null", "array", "object"]
"""What a JSON value is, before anything is known about its type."""

_NUMBER: Final[frozenset[WireKind]] = frozenset({"number"})
_STRING: Final[frozenset[WireKind]] = frozenset({"string"})
_SIZED: Final[frozenset[WireKind]] = frozenset({"string", "array", "object"})
_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_URL: Final = re.compile(
    # After these schemes RFC 3986 would let a path follow, and whoever asks for one needs a host.
    r"(?!(?:https?|wss?|ftp):(?!//[^/?#]))"
    r"[A-Za-z][A-Za-z0-9+.\-]*:(?:[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+",
    re.IGNORECASE,
)
_UNITS: Final[dict[object, tuple[str, str]]] = {
    str: ("string", "character"),
    dict: ("object", "member"),
}


def wire_kind(value: object) -> WireKind | None:
    """What *value* is in JSON; None when it is nothing of JSON."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, (list, tuple)):
        return "array"
    return "object" if isinstance(value, dict) else "null" if value is None else None


def _counted(value: object, comparison: str, limit: int) -> str:
    noun, unit = _UNITS.get(type(value), ("array", "item"))
    return f"{noun} with {comparison} {limit} {unit}{'' if limit == 1 else 's'}"


def _check_bound(constraint: object, _: object, limit: float) -> None:
    # JSON Schema has no infinity to compare with, and authors are not always type-checked.
    if type(limit) not in {int, float} or not math.isfinite(limit):
        raise DeclarationError(
            f"{type(constraint).__name__} takes a finite number, received {limit!r:.120}"
        )


def _check_length(constraint: object, _: object, length: int) -> None:
    if type(length) is not int or length < 0:
        raise DeclarationError(
            f"{type(constraint).__name__} takes an integer from 0 up, received {length!r:.120}"
        )


@final
@attrs.frozen
class Ge:
    """A number that is at least *limit*."""

    limit: float = attrs.field(validator=_check_bound)
    kinds = _NUMBER

    __repr__ = shown

    def accepts(self, value: object) -> bool:
        """Whether a number passes."""
        return cast("float", value) >= self.limit

    def words(self, _: object) -> str:
        """What is expected."""
        return f"number >= {self.limit}"


@final
@attrs.frozen
class Gt:
    """A number that is more than *limit*."""

    limit: float = attrs.field(validator=_check_bound)
    kinds = _NUMBER

    __repr__ = shown

    def accepts(self, value: object) -> bool:
        """Whether a number passes."""
        return cast("float", value) > self.limit

    def words(self, _: object) -> str:
        """What is expected."""
        return f"number > {self.limit}"


@final
@attrs.frozen
class Le:
    """A number that is at most *limit*."""

    limit: float = attrs.field(validator=_check_bound)
    kinds = _NUMBER

    __repr__ = shown

    def accepts(self, value: object) -> bool:
        """Whether a number passes."""
        return cast("float", value) <= self.limit

    def words(self, _: object) -> str:
        """What is expected."""
        return f"number <= {self.limit}"


@final
@attrs.frozen
class Lt:
    """A number that is less than *limit*."""

    limit: float = attrs.field(validator=_check_bound)
    kinds = _NUMBER

    __repr__ = shown

    def accepts(self, value: object) -> bool:
        """Whether a number passes."""
        return cast("float", value) < self.limit

    def words(self, _: object) -> str:
        """What is expected."""
        return f"number < {self.limit}"


@final
@attrs.frozen
class MinLength:
    """At least *length* code points of a string, items of an array or members of an object."""

    length: int = attrs.field(validator=_check_length)
    kinds = _SIZED

    __repr__ = shown

    def accepts(self, value: object) -> bool:
        """Whether something sized passes."""
        return len(cast("str", value)) >= self.length

    def words(self, value: object) -> str:
        """What is expected where *value* stands."""
        if self.length == 1 and isinstance(value, str):
            return "non-empty string"
        return _counted(value, "at least", self.length)


@final
@attrs.frozen
class MaxLength:
    """At most *length* code points of a string, items of an array or members of an object."""

    length: int = attrs.field(validator=_check_length)
    kinds = _SIZED

    __repr__ = shown

    def accepts(self, value: object) -> bool:
        """Whether something sized passes."""
        return len(cast("str", value)) <= self.length

    def words(self, value: object) -> str:
        """What is expected where *value* stands."""
        return _counted(value, "at most", self.length)


@final
@attrs.frozen
class Pattern:
    """A string in which *regex* is found; anchor it with `^` and `$` to match all of it.

    The syntax is that of `re`, and `$` is the very end: no line break may follow.

    Raises:
        DeclarationError: *regex* is no regular expression.
    """

    regex: str
    kinds = _STRING

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        try:
            re.compile(self.regex)
        except re.error as error:
            raise DeclarationError(
                f"Pattern({self.regex!r}) is no regular expression: {error}"
            ) from None

    def accepts(self, value: object) -> bool:
        """Whether a string passes."""
        # lazy: most commands declare no pattern.
        from trio_agent.protocol.schema.portable import portable  # noqa: PLC0415

        # `re` keeps compiled expressions, and `portable` what it made.
        return re.search(portable(self.regex).python, cast("str", value)) is not None

    def words(self, _: object) -> str:
        """What is expected."""
        return f"string matching /{self.regex}/"


@final
class AbsoluteUrl:
    """A string that is an absolute URI of RFC 3986, and names a host if its scheme needs one.

    Not public: an author writes `Url`.
    """

    # No class of attrs, because it has no fields, and every start of a command would pay for it.
    __slots__ = ()
    kinds = _STRING

    def __repr__(self) -> str:
        return "AbsoluteUrl()"

    def accepts(self, value: object) -> bool:
        """Whether a string passes."""
        return _URL.fullmatch(cast("str", value)) is not None

    def words(self, _: object) -> str:
        """What is expected."""
        return "URL"


@final
@attrs.frozen
class OneOf:
    """One of some scalars: what the validator `attrs.validators.in_` says.

    Not public: an author writes a `Literal`.
    """

    values: tuple[str | int | float, ...]

    __repr__ = shown

    @property
    def kinds(self) -> frozenset[WireKind]:
        """The kinds of the values; values of other kinds are not judged."""
        return frozenset(kind for value in self.values if (kind := wire_kind(value)))

    def accepts(self, value: object) -> bool:
        """Whether a scalar passes."""
        kind = wire_kind(value)
        return any(wire_kind(one) == kind and one == value for one in self.values)

    def words(self, _: object) -> str:
        """What is expected."""
        return "one of: " + ", ".join(map(show, self.values))


Constraint: TypeAlias = Ge | Gt | Le | Lt | MinLength | MaxLength | Pattern | OneOf | AbsoluteUrl

CONSTRAINTS: Final = (Ge, Gt, Le, Lt, MinLength, MaxLength, Pattern, OneOf, AbsoluteUrl)

Url: TypeAlias = Annotated[str, AbsoluteUrl()]
"""An absolute URL, such as `https://example.org/a?b=c`; a string in Python and in JSON.

What is not ASCII is percent-encoded, as in RFC 3986.  `http`, `https`, `ws`, `wss` and `ftp` need
a host; any other scheme is taken as it comes.
"""


def holds(constraint: Constraint, value: object) -> bool:
    """Whether a JSON *value* passes; what the constraint is not about passes."""
    return wire_kind(value) not in constraint.kinds or constraint.accepts(value)


@final
@attrs.frozen
class Description:
    """One sentence about a field, for help texts and schemas."""

    text: str

    __repr__ = shown


@final
@attrs.frozen
class Positional:
    """On a command line this field is an argument, in the order of the fields, not an option."""

    __repr__ = shown


def _check_token(_: object, __: object, name: str) -> None:
    # Authors are not always type-checked.
    if not isinstance(cast("object", name), str) or _TOKEN.fullmatch(name) is None:
        raise DeclarationError(
            f"Header takes a token of RFC 9110 such as 'Region', received {name!r:.120}"
        )


@final
@attrs.frozen
class Header:
    """HTTP clients repeat this argument of a tool in the header `Mcp-Param-<name>`.

    What stands between client and server can then route without reading bodies.  For strings,
    integers and booleans that are fields of the input, or of a class that is one.  From the
    revision 2026-07-28 on; a request whose header and argument differ is refused.
    """

    name: str = attrs.field(validator=_check_token)

    __repr__ = shown
