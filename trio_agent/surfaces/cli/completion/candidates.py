"""What may stand in a place of the command line, as a value.

Above: `words`, which finds it, and `shells`, which tells it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from trio_agent.surfaces.cli.help.usage import Row

Place: TypeAlias = Literal["files", "folders"]
"""What the shell itself should offer, beside the candidates."""


@final
@attrs.frozen(kw_only=True)
class Completion:
    """What may stand where the cursor is.

    Attributes:
        rows: whole words that begin with what is there already, and what they mean.
        place: what the shell offers of its own.
        prefix: the beginning of the word that a path of the shell's would follow, `--root=`.
    """

    rows: tuple[Row, ...] = ()
    place: Place | None = None
    prefix: str = ""

    __repr__ = shown


NOTHING: Final = Completion()
