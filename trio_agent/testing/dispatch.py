"""What was decided about some words, done in this process and this Trio run, and what came of it.

Shared by `cli` and `scripts`, which differ in what their words mean.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal, cast

from trio_agent.invocation import Runtime
from trio_agent.routes.application import PluginApplication
from trio_agent.routes.plugin import PluginError, find_plugin
from trio_agent.surfaces.cli.answering import COLUMNS, carry_out
from trio_agent.surfaces.cli.aside import Aside
from trio_agent.surfaces.cli.call import Call
from trio_agent.surfaces.cli.preparing import Prepared, prepare
from trio_agent.surfaces.cli.scripts.preparing import prepare_script
from trio_agent.surfaces.cli.session import Session
from trio_agent.testing.cli_outcome import CliOptions, CliOutcome
from trio_agent.testing.memory_streams import MemoryStreams
from trio_agent.testing.printing import printing_to
from trio_agent.testing.proof import HarnessError, Provenance, proving

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.protocol.output import Ending
    from trio_agent.surfaces.cli.plugin_words import PluginDecision
    from trio_agent.testing.plugin_route import TestedPlugin


def find_application(plugin: TestedPlugin, asked: Provenance) -> PluginApplication:
    """The plugin, of which nothing has been read.

    Raises:
        HarnessError: `manifest-unavailable`, there is none.
    """
    if isinstance(plugin, PluginApplication):
        return plugin
    try:
        return PluginApplication(find_plugin(plugin))
    except PluginError as error:
        raise HarnessError("manifest-unavailable", str(error), asked) from error


def refuse_text(argv: Sequence[str]) -> None:
    """Refuse what are no words: one string is a sequence of strings, too, but nobody means its letters.

    Raises:
        TypeError: they are one string, or one of them is none.
    """
    words = cast("Sequence[object]", argv)
    if isinstance(argv, str) or not all(isinstance(word, str) for word in words):
        raise TypeError(f"expected argv to be a list of words, received {argv!r}")


async def dispatch(
    decision: PluginDecision,
    argv: Sequence[str],
    asked: Provenance,
    options: CliOptions,
    *,
    surface: Literal["cli", "script"],
) -> CliOutcome:
    """Print, tell or run what was decided.

    Args:
        decision: what the words mean.
        argv: the words, which say how a complaint is to be told.
        asked: what it will prove.
        options: what it is written to, and what is known.
        surface: the door that this is.

    Raises:
        TypeError: an option that there is not.
    """
    if unknown := sorted(options.keys() - CliOptions.__annotations__.keys()):
        known = ", ".join(CliOptions.__annotations__)
        raise TypeError(f"unknown: {', '.join(unknown)}; a command line is told {known}")
    streams = MemoryStreams(tty=options.get("tty", False), surface=surface)
    aside = Aside(streams.stderr)
    ending: Ending | None = None
    with proving(asked), printing_to(aside.open_text()):
        if isinstance(decision, Call):
            code, ending = await _run(decision, streams, aside, options)
        else:
            code = carry_out(decision, argv, streams.standard)
    value = None if ending is None else ending.value
    return CliOutcome(
        exit_code=code,
        stdout=streams.stdout.text,
        stderr=streams.stderr.text,
        status=None if ending is None else ending.status,
        value=None if value is None else value.value,
        provenance=asked,
    )


async def _run(
    call: Call, streams: MemoryStreams, aside: Aside, options: CliOptions
) -> tuple[int, Ending | None]:
    """The exit code of a command or a script, and how its document came out."""
    script = call.script
    prepared = prepare(call, COLUMNS) if script is None else prepare_script(call, script)
    if not isinstance(prepared, Prepared):
        return carry_out(prepared, call.argv, streams.standard), None
    is_watched = streams.standard.terminal.repaints and prepared.mode is None
    runtime = Runtime(
        call.application, limits=options.get("limits"), providers=options.get("providers")
    )
    session = Session(
        call,
        prepared,
        streams.standard,
        aside if is_watched else None,
        runtime=runtime,
        axes=options.get("axes"),
        host=options.get("host"),
    )
    try:
        return await session.conduct(), session.ending
    finally:
        session.clear_last()


def with_option(option: str, argv: Sequence[str]) -> list[str]:
    """The words with an option more, before the `--` that ends the options.

    Raises:
        TypeError: see `refuse_text`.
    """
    refuse_text(argv)
    end = list(argv).index("--") if "--" in argv else len(argv)
    return [*argv[:end], option, *argv[end:]]


def read_lines(outcome: CliOutcome, *, most: int | None = None) -> list[object]:
    """What standard output says in lines of JSON.

    Args:
        outcome: whose.
        most: how many lines there have to be; None for any number but none.

    Raises:
        AssertionError: it does not; shows it.
    """
    lines = outcome.stdout.splitlines()
    try:
        values = [json.loads(line) for line in lines]
        is_whole = outcome.stdout.endswith("\n")
    except ValueError:
        values, is_whole = [], False
    if not is_whole or most not in {None, len(values)}:
        expected = "one line of JSON" if most == 1 else "lines of JSON"
        raise AssertionError(
            f"expected {expected}, received ({outcome.provenance}):\n{outcome.stdout}"
        )
    return values
