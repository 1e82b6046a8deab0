"""What somebody probably meant by a word that is not known."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that *word* was probably meant to be, or None."""
    # lazy: only a mistake needs it, and a command line without mistakes should start quickly.
    import difflib  # noqa: PLC0415

    # Capitals are a slip of the finger, too.
    spelled = {one.lower(): one for one in known}
    found = difflib.get_close_matches(word.lower(), spelled, n=1)
    return spelled[found[0]] if found else None
