"""Testing a command: the plugin's own command line, in this process and this Trio run.

    outcome = await invoke_cli("curator", ["audit-library", "music"])
    assert (outcome.exit_code, outcome.value) == (0, {"files": 412})

From the words to the exit code everything is what a program of the plugin does: how words are
read, what help and complaints say, which module is imported, the layouts and providers, what goes
to which stream.  What a process would add is missing, and that is the level `cli-dispatch`: no
descriptor is redirected, no signal is handled, no `.env` file and nothing of the environment or of
the terminal of the test runner is read.

An invocation ends with the test's own cancellation, which propagates as always in Trio.  Any
number of them may run at a time; what their components print is kept apart by `printing`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import attrs

from trio_agent.invocation import Runtime
from trio_agent.routes.application import PluginApplication
from trio_agent.routes.plugin import PluginError, find_plugin
from trio_agent.surfaces.cli.answering import COLUMNS, carry_out
from trio_agent.surfaces.cli.aside import Aside
from trio_agent.surfaces.cli.call import Call
from trio_agent.surfaces.cli.plugin_words import decide_plugin
from trio_agent.surfaces.cli.preparing import Prepared, prepare
from trio_agent.surfaces.cli.session import Session
from trio_agent.testing.cli_outcome import CliOutcome
from trio_agent.testing.memory_streams import MemoryStreams
from trio_agent.testing.plugin_route import name_of
from trio_agent.testing.printing import printing_to
from trio_agent.testing.proof import HarnessError, Provenance, proving

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from trio_agent.protocol.output import Ending
    from trio_agent.testing.cli_outcome import CliOptions
    from trio_agent.testing.plugin_route import TestedPlugin


async def invoke_cli(
    plugin: TestedPlugin, argv: Sequence[str], **options: Unpack[CliOptions]
) -> CliOutcome:
    """Run one command line of a plugin to its end.

    Args:
        plugin: whose.
        argv: the words after the program's name: `["audit-library", "music", "--json"]`.
        **options: what it is written to, and what is known; see there.

    Returns:
        What came of it, also when that is a complaint.

    Raises:
        HarnessError: `manifest-unavailable`, there is no such plugin.  One that is broken has a
            command line, which says so.
        TypeError: *argv* is one string.
    """
    if isinstance(argv, str):
        # It is a sequence of strings, too, and nobody means its letters.
        raise TypeError(f"expected argv to be a list of words, received {argv!r}")
    asked = Provenance(level="cli-dispatch", plugin=name_of(plugin))
    application = _find(plugin, asked)
    asked = attrs.evolve(asked, plugin=application.plugin.name)
    streams = MemoryStreams(tty=options.get("tty", False))
    aside = Aside(streams.stderr)
    ending: Ending | None = None
    with proving(asked), printing_to(aside.open_text()):
        columns = streams.standard.terminal.stdout.columns or COLUMNS
        decision = decide_plugin(application, application.plugin.name, argv, columns)
        if isinstance(decision, Call):
            asked = attrs.evolve(asked, route=decision.record.id)
            code, ending = await _run(decision, columns, streams, aside, options)
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


async def cli_json(
    plugin: TestedPlugin,
    argv: Sequence[str],
    *,
    exit_code: int = 0,
    **options: Unpack[CliOptions],
) -> object:
    """Run a command line with `--json`; the value that it prints.

    Args:
        plugin: whose.
        argv: without `--json`.
        exit_code: that is expected.
        **options: see `invoke_cli`.

    Raises:
        AssertionError: it ended otherwise, or did not print one line of JSON.
        HarnessError: see `invoke_cli`.
    """
    outcome = await invoke_cli(plugin, _with_option("--json", argv), **options)
    (value,) = _lines(outcome.expect_exit_code(exit_code), most=1)
    return value


async def cli_ndjson(
    plugin: TestedPlugin,
    argv: Sequence[str],
    *,
    exit_code: int = 0,
    **options: Unpack[CliOptions],
) -> tuple[Mapping[str, object], ...]:
    """Run a command line with `--ndjson`; the events that it prints, as on the wire.

    Args:
        plugin: whose.
        argv: without `--ndjson`.
        exit_code: that is expected.
        **options: see `invoke_cli`.

    Raises:
        AssertionError: it ended otherwise, or printed anything but lines of JSON.
        HarnessError: see `invoke_cli`.
    """
    outcome = await invoke_cli(plugin, _with_option("--ndjson", argv), **options)
    events = _lines(outcome.expect_exit_code(exit_code))
    return tuple(cast("Mapping[str, object]", event) for event in events)


def _find(plugin: TestedPlugin, asked: Provenance) -> PluginApplication:
    if isinstance(plugin, PluginApplication):
        return plugin
    try:
        return PluginApplication(find_plugin(plugin))
    except PluginError as error:
        raise HarnessError("manifest-unavailable", str(error), asked) from error


async def _run(
    call: Call, columns: int, streams: MemoryStreams, aside: Aside, options: CliOptions
) -> tuple[int, Ending | None]:
    """The exit code of a command, and how its document came out."""
    prepared = prepare(call, columns)
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


def _with_option(option: str, argv: Sequence[str]) -> Sequence[str]:
    """The words with an option more, before the `--` that ends the options."""
    if isinstance(argv, str):
        return argv
    end = list(argv).index("--") if "--" in argv else len(argv)
    return [*argv[:end], option, *argv[end:]]


def _lines(outcome: CliOutcome, *, most: int | None = None) -> list[object]:
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
