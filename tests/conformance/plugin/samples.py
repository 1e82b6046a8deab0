"""What the tools, resources and prompts show: one red pixel, and no sound at all."""

from __future__ import annotations

import base64
from typing import Final

RED_PIXEL: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC"
)
"""A PNG of one pixel."""

SILENCE: Final = base64.b64decode("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=")
"""A WAV of no samples."""
