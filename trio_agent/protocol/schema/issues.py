"""What is wrong with a value: every issue, each with its place, and the errors that carry them.

    ContractError
    ├── SchemaError         `invalid-document`: the value does not fit its declared type
    └── DeclarationError    `invalid-element`: the declared type itself has no wire form

    MismatchError           inside this package only, on its way up to a `SchemaError`

A `SchemaError` is about data and is for whoever sent them; a `DeclarationError` is about code and
is for the author.  Nothing here knows how a type is read; `structuring` does.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

import attrs

from trio_agent.errors import ContractError
from trio_agent.shown import shown
from trio_agent.vocabulary.json import escape_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

IssueKind: TypeAlias = Literal["value", "missing", "unknown"]
"""A value that does not fit, a required member that is not there, a member nobody declared."""

MOST_ISSUES: Final = 100
"""Issues that one array or object contributes; a million wrong items are one mistake."""

MOST_SHOWN: Final = 20
"""Issues that a message spells out, so that it stays readable; `issues` has the others."""

LONGEST_SHOWN: Final = 120
"""Characters of a received value that a message quotes."""


_UNSEEN: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Control characters that JSON lets through: C1 drives terminals, the others break lines or turn them round."""


def show(value: object, longest: int = LONGEST_SHOWN) -> str:
    """*value* as JSON for a message: one line, keys sorted, clipped, printable as UTF-8."""
    try:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        # Not JSON at all; the type tells more than a repr that may be megabytes.
        text = f"an instance of {type(value).__module__}.{type(value).__qualname__}"
    text = _UNSEEN.sub(lambda char: f"\\u{ord(char.group()):04x}", escape_surrogates(text))
    return text if len(text) <= longest else text[: longest - 1] + "…"


def join_steps(place: str, steps: Sequence[str | int]) -> str:
    """The path in one text: `input.rows[2].name`."""
    return place + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)


@final
@attrs.frozen(kw_only=True)
class SchemaIssue:
    """One thing that is wrong.

    Attributes:
        expected: in words that complete "expected ...".
        received: the JSON value that was there; None, with no meaning, for a missing one.
        kind: why it is an issue.  For `unknown` the steps lead to the object that has the member
            too many, and *received* is that member's value.
        steps: from the place to the value: member names (aliases) and indices.
        place: how the whole value is called.
    """

    expected: str
    received: object = None
    kind: IssueKind = "value"
    steps: tuple[str | int, ...] = ()
    place: str = "value"

    __repr__ = shown

    @property
    def path(self) -> str:
        """The place and the steps, such as `value.rows[2].name`."""
        return join_steps(self.place, self.steps)

    @property
    def shown(self) -> str:
        """What was received, as clipped JSON, or `nothing`."""
        return "nothing" if self.kind == "missing" else show(self.received)

    def __str__(self) -> str:
        return f"{self.path}: expected {self.expected}, received {self.shown}"

    def below(self, step: str | int) -> SchemaIssue:
        """The same issue seen from one level further up."""
        return attrs.evolve(self, steps=(step, *self.steps))


@final
class SchemaError(ContractError):
    """A value does not fit the type that was declared for it.

    Attributes:
        issues: all of them, in the order of the declaration; at least one.
    """

    def __init__(self, issues: Iterable[SchemaIssue]) -> None:
        self.issues: Final = tuple(issues)
        lines = [str(issue) for issue in self.issues[:MOST_SHOWN]]
        if len(self.issues) > MOST_SHOWN:
            lines.append(f"... and {len(self.issues) - MOST_SHOWN} more")
        super().__init__("invalid-document", "\n".join(lines))


@final
class DeclarationError(ContractError):
    """A type was declared that has no wire form, or a signature that cannot be called.

    Attributes:
        has_place: the message says which field or parameter it is about.
    """

    def __init__(self, message: str, *, has_place: bool = False) -> None:
        super().__init__("invalid-element", message)
        self.has_place: Final = has_place

    def placed(self, place: str) -> DeclarationError:
        """This error with *place* in front of its message, unless it names one already."""
        if self.has_place:
            return self
        return DeclarationError(f"{place}: {self.message}", has_place=True)


@final
class MismatchError(Exception):
    """A hook found issues; their steps begin at the value that the hook was given."""

    def __init__(self, *issues: SchemaIssue) -> None:
        super().__init__()
        self.issues: Final = issues


def mismatch(expected: str, received: object) -> MismatchError:
    """The error of a hook whose own value does not fit."""
    return MismatchError(SchemaIssue(expected=expected, received=received))
