"""What a group of commands says about itself: the docstring of its folder's `__init__.py`.

Read, never run.  Above: help.  Below: `walk`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from trio_agent.routes.discovery import COMMANDS
from trio_agent.routes.record import first_paragraph
from trio_agent.routes.walk import is_own_file, read_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.routes.plugin import Plugin


def describe_group(plugin: Plugin, words: Sequence[str]) -> str:
    """The first paragraph of the docstring, as one line; empty without one.

    Args:
        plugin: whose.
        words: of the group, as somebody types them, `("db",)`.

    Raises:
        PluginError: the file cannot be read.
    """
    parts = [word.replace("-", "_") for word in words]
    file = plugin.root.joinpath(COMMANDS, *parts, "__init__.py")
    if not is_own_file(file):
        return ""
    try:
        module = ast.parse(read_file(file))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Whoever runs a command below it is told; help lists what there is.
        return ""
    return first_paragraph(ast.get_docstring(module)) or ""
