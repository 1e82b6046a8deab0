"""Testing a script: as `trio-agent script PLUGIN NAME` starts it.

    outcome = await run_script("curator", "nightly", ["music"])
    assert outcome.exit_code == 0

A rendered script runs in this process and this Trio run, as commands do (`cli`).  Any other is a
program, which is left alone: it runs as a process of its own, on pipes, with the environment of
the test runner and nothing on its standard input, and `.env` files count.  Both are of the level
`script-dispatch`.

A program that a test has no patience for ends with the test's cancellation, and takes along what
it has started.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

import attrs

from trio_agent.context.process import run_process
from trio_agent.surfaces.cli.answering import COLUMNS
from trio_agent.surfaces.cli.call import Call
from trio_agent.surfaces.cli.complaint import signalled
from trio_agent.surfaces.cli.scripts.words import WORDS, decide_plugin_script
from trio_agent.testing.cli_outcome import CliOutcome
from trio_agent.testing.dispatch import (
    dispatch,
    find_application,
    read_lines,
    refuse_text,
    with_option,
)
from trio_agent.testing.plugin_route import name_of
from trio_agent.testing.proof import Provenance, proving

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Unpack

    from trio_agent.testing.cli_outcome import CliOptions
    from trio_agent.testing.plugin_route import TestedPlugin


async def run_script(
    plugin: TestedPlugin, name: str, argv: Sequence[str] = (), **options: Unpack[CliOptions]
) -> CliOutcome:
    """Run a script of a plugin to its end.

    Args:
        plugin: whose.
        name: of the script, as it is typed.
        argv: the words after its name.
        **options: see `invoke_cli`; for rendered scripts only, since a program of its own is told
            nothing but its words.

    Returns:
        What came of it, also when that is a complaint.

    Raises:
        HarnessError: `manifest-unavailable`, there is no such plugin.
        TypeError: *argv* is one string, or there are options for a script that is not rendered.
        ProcessError: a script that is not rendered cannot be started, or wrote more than 16 MiB.
    """
    refuse_text(argv)
    asked = Provenance(level="script-dispatch", plugin=name_of(plugin))
    application = find_application(plugin, asked)
    found = application.plugin
    asked = attrs.evolve(asked, plugin=found.name)
    words = [name, *argv]
    decision = decide_plugin_script(application, f"{WORDS} {found.name}", words, COLUMNS)
    script = decision.script if isinstance(decision, Call) else None
    if script is None:
        return await dispatch(decision, argv, asked, options, surface="script")
    asked = attrs.evolve(asked, route=script.id)
    if script.script == "rendered":
        return await dispatch(decision, argv, asked, options, surface="script")
    if options:
        raise TypeError(
            f"{script.path} is a program of its own, which is not told {', '.join(options)}"
        )
    reference = str(found.root) if found.origin == "folder" else found.name
    return await _start([reference, *words], asked)


async def script_json(
    plugin: TestedPlugin,
    name: str,
    argv: Sequence[str] = (),
    *,
    exit_code: int = 0,
    **options: Unpack[CliOptions],
) -> object:
    """Run a script with `--json`; the value that it prints.

    Args:
        plugin: whose.
        name: of the script.
        argv: without `--json`.
        exit_code: that is expected.
        **options: see `run_script`.

    Raises:
        AssertionError: it ended otherwise, or did not print one line of JSON.
        HarnessError: see `run_script`, as for the other errors.
    """
    outcome = await run_script(plugin, name, with_option("--json", argv), **options)
    (value,) = read_lines(outcome.expect_exit_code(exit_code), most=1)
    return value


async def script_ndjson(
    plugin: TestedPlugin,
    name: str,
    argv: Sequence[str] = (),
    *,
    exit_code: int = 0,
    **options: Unpack[CliOptions],
) -> tuple[Mapping[str, object], ...]:
    """Run a script with `--ndjson`; the events that it prints, as on the wire.

    Args:
        plugin: whose.
        name: of the script.
        argv: without `--ndjson`.
        exit_code: that is expected.
        **options: see `run_script`.

    Raises:
        AssertionError: it ended otherwise, or printed anything but lines of JSON.
        HarnessError: see `run_script`, as for the other errors.
    """
    outcome = await run_script(plugin, name, with_option("--ndjson", argv), **options)
    events = read_lines(outcome.expect_exit_code(exit_code))
    return tuple(cast("Mapping[str, object]", event) for event in events)


async def _start(words: Sequence[str], asked: Provenance) -> CliOutcome:
    """Run a program to its end, in the way that `trio-agent script` does."""
    command = [sys.executable, "-P", "-m", "trio_agent", "script", *words]
    with proving(asked):
        done = await run_process(command, check=False)
    code = done.returncode
    return CliOutcome(
        exit_code=code if code >= 0 else signalled(-code),
        stdout=done.stdout.decode("utf-8", "backslashreplace"),
        stderr=done.stderr.decode("utf-8", "backslashreplace"),
        status=None,
        value=None,
        provenance=asked,
    )
