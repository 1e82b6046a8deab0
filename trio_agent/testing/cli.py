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

from typing import TYPE_CHECKING, cast

import attrs

from trio_agent.surfaces.cli.answering import COLUMNS
from trio_agent.surfaces.cli.call import Call
from trio_agent.surfaces.cli.plugin_words import decide_plugin
from trio_agent.testing.dispatch import (
    dispatch,
    find_application,
    read_lines,
    refuse_text,
    with_option,
)
from trio_agent.testing.plugin_route import name_of
from trio_agent.testing.proof import Provenance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from trio_agent.testing.cli_outcome import CliOptions, CliOutcome
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
    refuse_text(argv)
    asked = Provenance(level="cli-dispatch", plugin=name_of(plugin))
    application = find_application(plugin, asked)
    asked = attrs.evolve(asked, plugin=application.plugin.name)
    decision = decide_plugin(application, application.plugin.name, argv, COLUMNS)
    if isinstance(decision, Call):
        asked = attrs.evolve(asked, route=decision.record.id)
    return await dispatch(decision, argv, asked, options, surface="cli")


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
    outcome = await invoke_cli(plugin, with_option("--json", argv), **options)
    (value,) = read_lines(outcome.expect_exit_code(exit_code), most=1)
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
    outcome = await invoke_cli(plugin, with_option("--ndjson", argv), **options)
    events = read_lines(outcome.expect_exit_code(exit_code))
    return tuple(cast("Mapping[str, object]", event) for event in events)
