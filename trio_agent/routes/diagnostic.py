"""What is wrong with a plugin: values that say where, what, and what to do about it.

A diagnostic is found by reading files, never by running the author's code, and it never stops
the routes beside the one that it is about.  Below: nothing.  Above: everything that reads.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, final

import attrs

from trio_agent.shown import shown

DiagnosticCode: TypeAlias = Literal[
    "TA4309",
    "TA4310",
    "TA4340",
    "TA4341",
    "TA4800",
    "TA4802",
    "TA4803",
    "TA4804",
    "TA4805",
    "TA4806",
    "TA4808",
    "TA4810",
    "TA4812",
    "TA4813",
    "TA4814",
    "TA4815",
    "TA4818",
    "TA4822",
    "TA4823",
    "TA4824",
    "TA4825",
    "TA4826",
    "TA4829",
    "TA4830",
    "TA4831",
    "TA4832",
    "TA4835",
    "TA4836",
    "TA4843",
    "TA4844",
    "TA4845",
    "TA4846",
    "TA4847",
    "TA4848",
    "TA4849",
    "TA4850",
    "TA4851",
    "TA4852",
    "TA4940",
    "TA4941",
    "TA4942",
]
"""What can be wrong; the reference page about routes says what each means.

The numbers are those of the system that this one re-implements, wherever the meaning is the
same; TA4846 and the next ones are ours.
"""

Severity: TypeAlias = Literal["error", "warning"]


@final
@attrs.frozen(kw_only=True)
class Diagnostic:
    """One thing that is wrong, where, and what to do about it.

    Attributes:
        file: relative to the plugin, with `/`.
        line: from 1.
        column: from 1, in characters.
        message: one line.
        subject: id of what it keeps from running, when that is not the route in *file*:
            `server:curator`.
    """

    code: DiagnosticCode
    severity: Severity = "error"
    file: str
    line: int = 1
    column: int = 1
    message: str
    subject: str | None = None

    __repr__ = shown

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.code} {self.message}"
