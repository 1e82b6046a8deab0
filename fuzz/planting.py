"""Planting: a module of the project with a fault in it, in this process and for one block.

The changed source is run in the module's own namespace, and whoever had imported a class or a
function of it by name gets the new one.  Afterwards everything is as it was.  No file is touched.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Final

import attrs
import pytest

_TOUCHED: Final = ("actors", "trio_agent", "fuzz")


@attrs.frozen
class Change:
    """In which module what is replaced by what; it must be there once."""

    module: str
    old: str
    new: str


@contextmanager
def planted(change: Change) -> Iterator[None]:
    """Let the block run with the fault."""
    module = importlib.import_module(change.module)
    path = Path(str(module.__file__))
    source = path.read_text(encoding="utf-8")
    assert source.count(change.old) == 1, f"{change.module} has {source.count(change.old)} of it"
    code = compile(source.replace(change.old, change.new), f"<{change.module}>", "exec")
    before = dict(vars(module))
    with pytest.MonkeyPatch.context() as patch:
        try:
            exec(code, vars(module))
            _rebind(patch, module, before)
            yield
        finally:
            vars(module).clear()
            vars(module).update(before)


def _rebind(patch: pytest.MonkeyPatch, changed: ModuleType, before: dict[str, object]) -> None:
    """Give the new classes and functions to whoever holds the old ones."""
    new = {
        id(old): vars(changed)[name]
        for name, old in before.items()
        if getattr(old, "__module__", None) == changed.__name__ and callable(old)
    }
    for holder in list(sys.modules.values()):
        if holder is changed or holder.__name__.partition(".")[0] not in _TOUCHED:
            continue
        for name, value in list(vars(holder).items()):
            if id(value) in new:
                patch.setattr(holder, name, new[id(value)])
