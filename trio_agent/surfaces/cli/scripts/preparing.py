"""From the words after a rendered script to what is invoked.

Exactly `--json` and `--ndjson` before `--` are ours; every other word is the script's, `--`
included, in its place and as it was typed.  Runs nothing of the author's but the import.  Above:
`run`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trio_agent.errors import ContractError
from trio_agent.protocol.schema.issues import show
from trio_agent.routes.plugin import PluginError
from trio_agent.surfaces.cli.complaint import FAILURE, Complaint
from trio_agent.surfaces.cli.preparing import Prepared
from trio_agent.vocabulary.invocation import Invocation
from trio_agent.vocabulary.json import Json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.routes.record import RouteRecord
    from trio_agent.routes.scripts import ScriptRoute
    from trio_agent.surfaces.cli.call import Call
    from trio_agent.surfaces.cli.complaint import MachineMode

_MODES: Final[dict[str, MachineMode]] = {"--json": "json", "--ndjson": "ndjson"}


def split_words(words: Sequence[str]) -> tuple[list[str], frozenset[MachineMode]]:
    """The words that are the script's, and the modes that the others name."""
    end = words.index("--") if "--" in words else len(words)
    argv = [word for word in words[:end] if word not in _MODES]
    modes: set[MachineMode] = {_MODES[word] for word in words[:end] if word in _MODES}
    return [*argv, *words[end:]], frozenset(modes)


def prepare_script(call: Call, record: RouteRecord) -> Prepared | Complaint:
    """Import the module and divide the words."""
    argv, modes = split_words(call.argv)
    try:
        route = call.application.load_script(record)
    except (PluginError, ContractError) as error:
        return Complaint.of_error(error, FAILURE, program=call.program)
    is_data = not route.answer.is_nodes
    wrong = _refusal(route, argv, modes, is_data=is_data)
    if wrong is not None:
        return Complaint.of_usage(wrong, program=call.program)
    invocation = Invocation(
        kind="script",
        target=record.name,
        # Strings fit whatever is in them: bytes that are no text were escaped by Python.
        props=Json.of(route.input_of(argv), "input"),
        operation_id=record.id,
        surface="script",
    )
    return Prepared(
        invocation=invocation, mode=next(iter(modes), None), is_data=is_data, policy=None
    )


def _refusal(
    route: ScriptRoute, argv: Sequence[str], modes: frozenset[MachineMode], *, is_data: bool
) -> str | None:
    """What is wrong with the words; None when nothing is."""
    if len(modes) > 1:
        return '--ndjson: expected one of --json and --ndjson, received ["--json","--ndjson"]'
    if is_data and "ndjson" in modes:
        return '--ndjson: expected no --ndjson, this script has no events, received "--ndjson"'
    if argv and not route.takes_argv:
        return f"argument 1: expected no words, this script takes none, received {show(argv[0])}"
    return None
