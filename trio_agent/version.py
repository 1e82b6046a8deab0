"""The version of trio-agent, where no package metadata has to be read to know it."""

from typing import Final

__version__: Final = "0.1.0.dev0"
