"""Aliases of commands: which of them are free.

An alias belongs to a command only if nothing beside the command answers to it, so that no
command can take a word from its neighbour.  Pure.  Above: `discovery`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar, final

import attrs

from trio_agent.routes.diagnostic import Diagnostic
from trio_agent.routes.walk import SEGMENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trio_agent.routes.projections import ToolCommandRecord
    from trio_agent.routes.record import RouteRecord

_Words: TypeAlias = tuple[str, ...]
CommandT = TypeVar("CommandT", "RouteRecord", "ToolCommandRecord")


def without_taken_aliases(
    records: Sequence[CommandT],
    diagnostics: list[Diagnostic],
    beside: Sequence[RouteRecord | ToolCommandRecord] = (),
) -> list[CommandT]:
    """The commands with those aliases only that nothing beside them answers to.

    Args:
        records: the commands.
        diagnostics: where to say what was taken.
        beside: other commands that answer to words; theirs are looked after elsewhere.
    """
    siblings = _Siblings([*records, *beside])
    kept: list[CommandT] = []
    for record in records:
        refusals = {alias: siblings.refusal(record, alias) for alias in record.aliases}
        diagnostics += [
            Diagnostic(
                code="TA4813",
                # The command still runs by its name; a neighbour must not be able to stop it.
                severity="warning",
                file=record.path,
                line=record.line,
                message=f"the alias {alias!r} {refusal}",
            )
            for alias, refusal in refusals.items()
            if refusal is not None
        ]
        free = tuple(alias for alias, refusal in refusals.items() if refusal is None)
        kept.append(attrs.evolve(record, aliases=free))
    return kept


@final
class _Siblings:
    """What answers to which word, group by group."""

    def __init__(self, records: Iterable[RouteRecord | ToolCommandRecord]) -> None:
        self._names: Final = defaultdict[_Words, set[str]](set)
        self._claims: Final = defaultdict[_Words, list[str]](list)
        for record in records:
            for depth, word in enumerate(record.words):
                self._names[record.words[:depth]].add(word)
            for alias in record.aliases:
                self._claims[*record.words[:-1], alias].append(record.path)

    def refusal(self, record: RouteRecord | ToolCommandRecord, alias: str) -> str | None:
        """Why *record* may not have *alias*; None when it may."""
        group = record.words[:-1]
        claims = self._claims[*group, alias]
        if SEGMENT.fullmatch(alias) is None:
            return "is not made of letters, digits and inner . _ -"
        if alias in self._names[group]:
            return "is the name of a command or group beside it"
        return f"is claimed more than once: {', '.join(claims)}" if len(claims) > 1 else None
