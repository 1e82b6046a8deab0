"""The `repr()` of every attrs class of trio-agent, written once.

attrs compiles a `__repr__` for each class that has none, while the module of the class is
imported, and that is a third of what it takes to make a class.  A command makes a hundred of
them before it runs, and hardly ever shows one.  So a class says

    __repr__ = shown

below its fields, and attrs leaves it alone.  What is printed is what attrs would have printed.

Comparing, hashing and initialising stay compiled: they are done often.  This module knows nothing
of what it shows; everything that has attrs classes is above it.
"""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING, Final

import attrs

if TYPE_CHECKING:
    from attrs import AttrsInstance

_being_shown: Final[set[tuple[int, int]]] = set()
"""Object and thread, so that what contains itself ends."""


def shown(self: AttrsInstance) -> str:
    """`Name(a=1, b='x')`, without the fields that have `repr=False`.

    It takes one level of the stack, as attrs does, and no loop in it is a comprehension: a
    document is as deep as a recursive walk may just be.
    """
    here = (id(self), get_ident())
    if here in _being_shown:
        return "..."
    _being_shown.add(here)
    try:
        words: list[str] = []
        for field in attrs.fields(type(self)):
            if field.repr is not False:
                value: object = getattr(self, field.name, attrs.NOTHING)
                text = field.repr(value) if callable(field.repr) else f"{value!r}"
                words.append(f"{field.name}={text}")
        return f"{type(self).__qualname__.rpartition('>.')[2]}({', '.join(words)})"
    finally:
        _being_shown.remove(here)
