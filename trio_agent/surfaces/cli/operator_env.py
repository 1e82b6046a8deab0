"""What whoever operates a plugin adds to the environment, before any code of the author's runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from trio_agent.context.env_names import has_env_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio_agent.routes.plugin import Plugin


def add_operator_env(plugin: Plugin, *, warn: Callable[[str], object]) -> None:
    """Set what the `.env` files of *plugin* say in the environment of this process.

    Args:
        plugin: whose.
        warn: is told what is wrong with them.
    """
    root = str(plugin.root)
    if has_env_files(root, os.environ):
        # lazy: most plugins have none.
        from trio_agent.context.launch_env import apply_operator_env  # noqa: PLC0415

        apply_operator_env(root, warn=warn)
