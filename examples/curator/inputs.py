"""Inputs that several tools have in common."""

from pathlib import Path
from typing import Annotated, TypeAlias

from trio_agent import Description

Directory: TypeAlias = Annotated[
    Path | None,
    Description("Absolute, or relative to the library of the server; by default the library."),
]

FilePath: TypeAlias = Annotated[
    str,
    Description("Absolute, or relative to the library of the server; as other tools show it."),
]
