"""Names of the operator's environment files, for those who only ask whether there are any.

Apart from `launch_env`, which reads them: a command starts more often than a server, and most
plugins have no such file.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

ENV_FILE: Final = "TRIO_AGENT_ENV_FILE"
DEFAULT_FILES: Final = (".env", ".env.local")


def has_env_files(plugin_root: str, environ: Mapping[str, str]) -> bool:
    """Whether somebody named a file, or one of the two stands in the plugin's folder."""
    if environ.get(ENV_FILE, "").strip():
        return True
    return any(os.path.lexists(os.path.join(plugin_root, name)) for name in DEFAULT_FILES)
