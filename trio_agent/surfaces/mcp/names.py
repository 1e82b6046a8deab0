"""Names as people read them."""

from __future__ import annotations


def in_words(name: str) -> str:
    """A name as a title: `audit_library` is "Audit library"."""
    words = " ".join(name.replace("_", " ").replace("-", " ").split())
    return words[:1].upper() + words[1:]
