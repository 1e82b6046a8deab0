"""Writes a lot to standard error."""

import logging
import sys

from trio_agent import tool


@tool()
async def noise(kib: int = 256) -> str:
    """Make noise."""
    sys.stderr.write("x" * 1023 * kib + "\n")
    logging.getLogger("trials").warning("loud: %s", "y" * 1024 * kib)
    print("z" * 1024 * kib)
    return "said"
