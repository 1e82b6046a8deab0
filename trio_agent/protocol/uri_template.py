"""URI templates: which variables a URI has, and the URI that values make.

RFC 6570 level 1, and of level 2 the operator `+`:

    curator://book/{id}        `id` is all of the characters up to the next `/`, `?` or `#`
    curator://file/{+path}     `path` may have those too

Matching is the way back from expansion, which RFC 6570 does not define.  Rules: a variable is
never empty; values are percent-decoded and have to be UTF-8; literals are compared as they are
written.  Where several readings are possible, variables before a `{+...}` end as early as they
can, and those behind it begin as late; so matching takes time in proportion to the URI, whatever
it is.  For that reason there is one `{+...}` at most, and a literal between two variables.

Pure.  Above: `routes.resources`.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final, TypeAlias, final
from urllib.parse import quote, unquote

import attrs

from trio_agent.errors import ContractError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_EXPRESSION: Final = re.compile(r"\{([^{}]*)\}")
_NAME: Final = re.compile(r"(\+?)([A-Za-z_][A-Za-z0-9_]*)")
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")

_UNRESERVED: Final = "-._~"
_RESERVED: Final = ":/?#[]@!$&'()*+,;="
_ENDS: Final = "/?#"
"""Where a variable without `+` ends."""


@final
@attrs.frozen
class Variable:
    """A variable of a template.

    Attributes:
        name: letters, digits and `_`.
        is_reserved: it may have `/`, `?` and `#`, as `{+name}`.
    """

    name: str
    is_reserved: bool

    __repr__ = shown


Part: TypeAlias = str | Variable


@final
@attrs.frozen
class UriTemplate:
    """A template, taken apart.  Make one with `UriTemplate.parse`.

    Attributes:
        text: as it was written.
        parts: literals and variables, in order; no two variables stand side by side.
    """

    text: str
    parts: tuple[Part, ...]

    __repr__ = shown

    @classmethod
    def parse(cls, text: str) -> UriTemplate:
        """Take a template apart.

        Raises:
            ContractError: `invalid-element`: an expression is neither `{name}` nor `{+name}`, a
                name comes twice, or variables stand so that a URI has no one reading.
        """
        parts: list[Part] = []
        for index, piece in enumerate(_EXPRESSION.split(text)):
            if index % 2:
                parts.append(_variable(text, piece))
            elif piece:
                parts.append(piece)
        _check(text, parts)
        return cls(text, tuple(parts))

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables, in order."""
        return tuple(part.name for part in self.parts if isinstance(part, Variable))

    def match(self, uri: str) -> dict[str, str] | None:
        """The values that make *uri* out of this template, decoded; None when none do."""
        if not self.variables:
            return {} if uri == self.text else None
        split = self._split
        if split is None:
            return _decoded(_match_all(self.parts, uri))
        before = _match_start(self.parts[:split], uri)
        if before is None:
            return None
        middle = uri[before.end :]
        # The same from the other end: read backwards, a late beginning is an early end.
        after = _match_start([_reversed(part) for part in self.parts[:split:-1]], middle[::-1])
        if after is None or after.end >= len(middle):
            return None
        name = self.variables[len(before.values)]
        rest = {key: value[::-1] for key, value in reversed(after.values.items())}
        return _decoded(before.values | {name: middle[: len(middle) - after.end]} | rest)

    @property
    def _split(self) -> int | None:
        """Where the variable stands that may have `/`."""
        for index, part in enumerate(self.parts):
            if isinstance(part, Variable) and part.is_reserved:
                return index
        return None

    def expand(self, values: Mapping[str, str]) -> str:
        """The URI of these values.

        Args:
            values: one for each variable.
        """
        return "".join(
            part
            if isinstance(part, str)
            else quote(
                values[part.name],
                safe=_UNRESERVED + _RESERVED if part.is_reserved else _UNRESERVED,
            )
            for part in self.parts
        )


@final
@attrs.frozen
class _Start:
    """How far a URI matched, and what its variables had, still encoded."""

    end: int
    values: dict[str, str]

    __repr__ = shown


def _variable(text: str, expression: str) -> Variable:
    found = _NAME.fullmatch(expression)
    if found is None:
        raise _refusal(text, f"has {{{expression}}}, and takes {{name}} and {{+name}} only")
    return Variable(found[2], bool(found[1]))


def _check(text: str, parts: Sequence[Part]) -> None:
    variables = [part for part in parts if isinstance(part, Variable)]
    names = [variable.name for variable in variables]
    if any("{" in part or "}" in part for part in parts if isinstance(part, str)):
        raise _refusal(text, "has a brace without its other one")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise _refusal(text, f"has {{{twice}}} twice")
    if sum(variable.is_reserved for variable in variables) > 1:
        raise _refusal(text, "has more than one {+name}")
    for part, following in itertools.pairwise(parts):
        if isinstance(part, Variable) and isinstance(following, Variable):
            raise _refusal(text, f"has nothing between {{{part.name}}} and {{{following.name}}}")


def _refusal(text: str, why: str) -> ContractError:
    return ContractError("invalid-element", f"the URI template {text!r:.120} {why}")


def _match_all(parts: Sequence[Part], uri: str) -> dict[str, str] | None:
    """The values of a template without `{+...}`; its end has to be the end of the URI."""
    suffix = parts[-1] if isinstance(parts[-1], str) else ""
    if not uri.endswith(suffix):
        return None
    body = uri[: len(uri) - len(suffix)]
    *inner, last = parts[:-1] if suffix else parts
    start = _match_start(inner, body)
    value = "" if start is None else body[start.end :]
    if start is None or not isinstance(last, Variable) or not _is_simple(value):
        return None
    return start.values | {last.name: value}


def _match_start(parts: Sequence[Part], uri: str) -> _Start | None:
    """Match the beginning of a URI; *parts* end with a literal, if there are any."""
    end = 0
    values: dict[str, str] = {}
    pending: Variable | None = None
    for part in parts:
        if isinstance(part, Variable):
            pending = part
        elif pending is None:
            if not uri.startswith(part, end):
                return None
            end += len(part)
        else:
            found = uri.find(part, end + 1)
            value = uri[end:found]
            if found < 0 or not _is_simple(value):
                return None
            values[pending.name] = value
            end, pending = found + len(part), None
    return _Start(end, values)


def _is_simple(value: str) -> bool:
    return bool(value) and not any(char in value for char in _ENDS)


def _reversed(part: Part) -> Part:
    return part[::-1] if isinstance(part, str) else part


def _decoded(values: Mapping[str, str] | None) -> dict[str, str] | None:
    if values is None or any(map(_BAD_ESCAPE.search, values.values())):
        return None
    try:
        decoded = {name: unquote(value, errors="strict") for name, value in values.items()}
        for value in decoded.values():
            value.encode()
    except UnicodeError:
        return None
    return decoded
