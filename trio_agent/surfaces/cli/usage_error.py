"""What is wrong with the words of a command, as values: one by one, and all together.

Above: `argv`, which finds the mistakes, and `complaint`, which tells them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

import attrs

from trio_agent.errors import TrioAgentError
from trio_agent.protocol.schema.issues import show
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

OutputMode: TypeAlias = Literal["json", "ndjson"]
"""How a machine wants to be answered."""


@final
@attrs.frozen(kw_only=True)
class UsageIssue:
    """One mistake.

    Attributes:
        target: what it is about: `--flag`, `<positional>`, `--list[1]`, `argument 2`, `input`.
        expected: in words that complete "expected ...".
        received: as JSON; means nothing when nothing was received.
        is_missing: nothing was received.
        remark: stands in parentheses at the end.
    """

    target: str
    expected: str
    received: object = None
    is_missing: bool = False
    remark: str = ""

    __repr__ = shown

    @property
    def message(self) -> str:
        """Target, expectation, received value: one line."""
        shown = "nothing" if self.is_missing else show(self.received)
        remark = f" ({self.remark})" if self.remark else ""
        return f"{self.target}: expected {self.expected}, received {shown}{remark}"

    def to_wire(self) -> dict[str, object]:
        """Its form in the error object of the JSON modes; keys in alphabetical order."""
        wire: dict[str, object] = {"expected": self.expected, "message": self.message}
        if not self.is_missing:
            wire["received"] = self.received
        wire["target"] = self.target
        return wire


@final
class UsageError(TrioAgentError):
    """The words do not make an input.  The caller prints it and exits with 2.

    Attributes:
        issues: every mistake, in the order of the words, then of the fields; at least one.
        usage: the usage line.
        hint: the line that says where help is; not for the JSON modes.
        mode: how the caller wanted to be answered, as far as that is known.
    """

    def __init__(
        self,
        issues: Iterable[UsageIssue],
        *,
        usage: str,
        hint: str,
        mode: OutputMode | None = None,
    ) -> None:
        self.issues: Final = tuple(issues)
        self.usage: Final = usage
        self.hint: Final = hint
        self.mode: Final = mode
        super().__init__("CLI_INPUT_INVALID", "\n".join(issue.message for issue in self.issues))

    @property
    def lines(self) -> tuple[str, ...]:
        """What a person reads: one line for each issue, the usage, the hint."""
        return (*(issue.message for issue in self.issues), self.usage, self.hint)

    def to_wire(self) -> dict[str, object]:
        """What a machine reads: the value of `error`; keys in alphabetical order."""
        return {
            "code": self.code,
            "issues": [issue.to_wire() for issue in self.issues],
            "usage": self.usage,
        }
