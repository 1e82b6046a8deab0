"""What is said when there is nothing to show: one clear line, and an exit code.

A `Complaint` is a value; it is told in the way that the caller asked to be answered in:

    mode      standard output                     standard error
    (none)    nothing                             the lines for people
    json      nothing                             `{"error":{"code":...,"message":...}}`
    ndjson    `{"type":"error","sequence":0,...}` nothing

Pure, and known to nothing but the command line: failures of an invocation that has begun are
`protocol.output.failure_lines`.  Below: `argv`, `protocol.output`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast, final

import attrs

from trio_agent.protocol.output import Output
from trio_agent.shown import shown
from trio_agent.surfaces.cli.help.overview import PROGRAM
from trio_agent.vocabulary.json import escape_surrogates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trio_agent.context.input_required import InputRequiredError
    from trio_agent.context.question import Question
    from trio_agent.errors import TrioAgentError
    from trio_agent.surfaces.cli.usage_error import UsageError

MachineMode: TypeAlias = Literal["json", "ndjson"]

SUCCESS: Final = 0
FAILURE: Final = 1
USAGE: Final = 2
LEFT: Final = 141
"""The reader of standard output left.  Other programs die of SIGPIPE then, which a shell reports
as 128 + 13; `set -o pipefail` and scripts that forgive 141 work the same with us."""


def signalled(number: int) -> int:
    """The exit code of a process that a signal ended, as a shell reports it."""
    return 128 + number


@final
@attrs.frozen(kw_only=True)
class Complaint:
    """Why nothing was run.

    Attributes:
        exit_code: `USAGE` or `FAILURE`.
        lines: for people.
        error: for machines; strings, and lists and mappings of them.
    """

    exit_code: int
    lines: Sequence[str]
    error: Mapping[str, object]

    __repr__ = shown

    @classmethod
    def of_usage(cls, message: str, *more: str, program: str = PROGRAM) -> Complaint:
        """The words are wrong before there is a command; *more* says where help is."""
        return cls(
            exit_code=USAGE,
            lines=(f"{program}: {message}", *more),
            error={"code": "CLI_INPUT_INVALID", "message": message},
        )

    @classmethod
    def of_input(cls, error: UsageError) -> Complaint:
        """The words do not make an input of the command."""
        wire = error.to_wire()
        return cls(
            exit_code=USAGE,
            lines=error.lines,
            error=dict(sorted({"message": error.message, **wire}.items())),
        )

    @classmethod
    def of_error(
        cls, error: TrioAgentError, exit_code: int, *, program: str = PROGRAM
    ) -> Complaint:
        """The plugin cannot be found, read, imported or understood."""
        return cls(
            exit_code=exit_code,
            lines=(f"{program}: {error}",),
            error={"code": error.code, "message": str(error)},
        )

    @classmethod
    def of_questions(cls, error: InputRequiredError, *, program: str = PROGRAM) -> Complaint:
        """The command cannot go on without answers, and nobody can be asked."""
        asked = [*error.questions.values()]
        return cls(
            exit_code=USAGE,
            lines=(
                *(f"{program}: [{error.code}] {_asked(question)}" for question in asked),
                f"{program}: it asks at a terminal that a person sits at",
            ),
            error={
                "code": error.code,
                "message": str(error),
                "questions": [question.to_wire() for question in asked],
            },
        )

    def outputs(self, mode: MachineMode | None, sequence: int = 0) -> Sequence[Output]:
        """How it is told.

        Args:
            mode: how the caller wants to be answered.
            sequence: number of the event that tells it.
        """
        if mode == "ndjson":
            event = {"type": "error", "sequence": sequence, "error": self.error}
            return (_line("stdout", event),)
        if mode == "json":
            return (_line("stderr", {"error": self.error}),)
        return (Output("stderr", "".join(f"{line}\n" for line in self.lines)),)


def _asked(question: Question) -> str:
    """A question in one line: what is asked, and the fields of its form."""
    params = cast("Mapping[str, object]", question.params.value)
    schema = cast("Mapping[str, object]", params.get("requestedSchema", {}))
    fields = ", ".join(cast("Mapping[str, object]", schema.get("properties", {})))
    return " ".join(question.message.split()) + (f" ({fields})" if fields else "")


def _line(stream: Literal["stdout", "stderr"], wire: Mapping[str, object]) -> Output:
    # Not through the JSON gate: what somebody typed may be a number that no document may hold.
    text = json.dumps(wire, ensure_ascii=False, separators=(",", ":"))
    return Output(stream, f"{escape_surrogates(text)}\n", is_json=True)


def stated_mode(argv: Sequence[str]) -> MachineMode | None:
    """How the caller wants to be answered, for complaints that come before the words are read."""
    options = argv[: argv.index("--")] if "--" in argv else argv
    if "--ndjson" in options:
        return None if "--json" in options else "ndjson"
    return "json" if "--json" in options else None


def plain(word: str) -> str:
    """A word as it can stand in a line."""
    return repr(word)[1:-1]


def refuse(
    message: str, words: str, meant: str | None = None, why: Sequence[str] = ()
) -> Complaint:
    """A complaint about words, with what was probably meant and where help is."""
    suggestion = "" if meant is None else f", did you mean {meant}?"
    return Complaint.of_usage(
        message + suggestion,
        *why,
        f"Run `{words} --help` for help.",
        program=words.partition(" ")[0],
    )
