"""The version of trio-agent, where no package metadata has to be read to know it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

__version__: Final = "0.1.0.dev0"
