"""The commands of a plugin as a tree of words: what somebody asks for, and what help lists.

Pure, and made of static records only, so that nothing of the plugin's is imported for a list.
Above: `shell`.  Below: `usage`, which writes the texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, final

import attrs

from trio_agent.routes.glance import GROUP
from trio_agent.shown import shown
from trio_agent.surfaces.cli.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.routes.projections import CommandRecord
    from trio_agent.surfaces.cli.help.usage import Row


@final
@attrs.frozen(kw_only=True)
class FoundCommand:
    """The words lead to a command.

    Attributes:
        record: what is known of it without importing its module.
        argv: the words after the command's own.
    """

    record: CommandRecord
    argv: Sequence[str]

    __repr__ = shown

    @property
    def words(self) -> Sequence[str]:
        """The command's own words; not the alias that was typed."""
        return self.record.words


@final
@attrs.frozen(kw_only=True)
class FoundGroup:
    """The words end, or options begin, before there is a command.

    Attributes:
        words: of the group; none for the plugin itself.
        rows: its commands and groups.
        argv: the words after the group's own.
    """

    words: Sequence[str]
    rows: tuple[Row, ...]
    argv: Sequence[str]

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class UnknownWord:
    """A word leads nowhere.

    Attributes:
        words: of the group it was looked for in.
        word: the word.
        known: the commands and groups that are there instead, by name.
        suggestion: what was probably meant.
    """

    words: Sequence[str]
    word: str
    known: Sequence[str]
    suggestion: str | None

    __repr__ = shown


Found: TypeAlias = FoundCommand | FoundGroup | UnknownWord


def find(records: Sequence[CommandRecord], argv: Sequence[str]) -> Found:
    """Follow the words of *argv*, up to the first option, as far as they lead."""
    group: list[str] = []
    for position, word in enumerate(argv):
        if word.startswith("-") and word != "-":
            break
        below = [record for record in records if _is_below(record, group)]
        command = _named(below, len(group), word)
        if command is not None:
            return FoundCommand(record=command, argv=argv[position + 1 :])
        if not any(record.words[len(group)] == word for record in below):
            known = tuple(sorted({record.words[len(group)] for record in below}))
            return UnknownWord(words=group, word=word, known=known, suggestion=nearest(word, known))
        group.append(word)
    return FoundGroup(words=group, rows=tuple(_rows(records, group)), argv=argv[len(group) :])


def _is_below(record: CommandRecord, group: Sequence[str]) -> bool:
    depth = len(group)
    return len(record.words) > depth and [*record.words[:depth]] == [*group]


def _named(below: Sequence[CommandRecord], depth: int, word: str) -> CommandRecord | None:
    """The command of that name; a name wins over an alias."""
    commands = [record for record in below if len(record.words) == depth + 1]
    for record in commands:
        if record.words[depth] == word:
            return record
    return next((record for record in commands if word in record.aliases), None)


def _rows(records: Sequence[CommandRecord], group: Sequence[str]) -> list[Row]:
    """One row for each command and each group right below *group*."""
    depth: Final = len(group)
    texts: dict[str, str] = {}
    for record in records:
        if not _is_below(record, group):
            continue
        word = record.words[depth]
        if len(record.words) == depth + 1:
            texts[word] = record.description or record.title or ""
        else:
            texts.setdefault(word, GROUP)
    # lazy: for help, and not on the way to a command.
    from trio_agent.surfaces.cli.help.usage import Row  # noqa: PLC0415

    return [Row(term=word, text=text) for word, text in texts.items()]
