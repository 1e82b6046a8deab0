"""What may stand in a place of the command line: the candidates for the word under the cursor.

    trio-agent, `run`          the first words; folders, for a plugin
    a plugin, its groups       commands and groups, aliases left out; nothing is imported
    a command                  its options, and for a value what the grammar says: choices, files

Pure but for reading the plugin's files, and importing the one module of a command whose options
are asked for.  It never complains: where nothing can be said there are no candidates.  Above:
`completing`, which talks to the shells.  Below: `catalog`, `grammar`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from trio_agent.errors import TrioAgentError
from trio_agent.routes.application import PluginApplication
from trio_agent.routes.plugin import find_package, find_plugin
from trio_agent.routes.record import RouteRecord
from trio_agent.surfaces.cli.catalog import FoundCommand, FoundGroup, find
from trio_agent.surfaces.cli.completion.candidates import NOTHING, Completion
from trio_agent.surfaces.cli.completion.shells import SHELLS
from trio_agent.surfaces.cli.grammar import read_grammar
from trio_agent.surfaces.cli.help.program import PROGRAM_HELP
from trio_agent.surfaces.cli.help.usage import Row
from trio_agent.surfaces.cli.inspect.words import INSPECT
from trio_agent.surfaces.cli.tool_call import open_tool_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trio_agent.routes.projections import CommandRecord
    from trio_agent.surfaces.cli.completion.candidates import Place
    from trio_agent.surfaces.cli.grammar import Grammar, Parameter

_MCP: Final = (
    Row(term="list", text="Show what a server offers."),
    Row(term="invoke", text="Call a tool."),
    Row(term="run", text="Serve with other environment files."),
)
HELP: Final = Row(term="--help", text="Print help.")
VERSION: Final = Row(term="--version", text="Print the version.")
COMPLETION: Final = Row(term="--completion", text="Print a script that completes in a shell.")
JSON: Final = Row(term="--json", text="Print the value as one line of JSON.")
NDJSON: Final = Row(term="--ndjson", text="Print each event as one line of JSON.")
SHELL_ROWS: Final = tuple(Row(term=shell) for shell in SHELLS)


def complete_program(words: Sequence[str]) -> Completion:
    """Complete the words of `trio-agent`.

    Args:
        words: after the program's name, up to the cursor; the last one is being typed, and may
            be empty.  None at all is as good as an empty one.
    """
    typed = words[-1] if words else ""
    found = NOTHING
    match [*words[:-1]]:
        case []:
            found = _matching((*PROGRAM_HELP.commands, HELP, VERSION, COMPLETION), typed)
        case ["--completion"]:
            found = _matching(SHELL_ROWS, typed)
        case ["run" | "script" | "inspect" | "serve"] | ["mcp", "list" | "invoke" | "run"]:
            found = _matching((HELP,), typed, "folders")
        case ["mcp"]:
            found = _matching((*_MCP, HELP), typed)
        case [("run" | "script" | "inspect") as first, reference, *given]:
            found = _complete_named(first, reference, [*given, typed])
        case _:
            pass
    return found


def _complete_named(first: str, reference: str, words: Sequence[str]) -> Completion:
    """Complete the words after a plugin that was named, for `run`, `script` or `inspect`."""
    *given, typed = words
    if first == "inspect":
        options = [Row(term=f"--{one.name}", text=one.description) for one in INSPECT.options]
        left = [row for row in (*options, JSON) if row.term not in given]
        return _matching((*left, HELP), typed)
    if first == "script" and given:
        # Its words are its own affair; most of them are files.
        return Completion(place="files")
    try:
        application = _named(reference)
        if first == "run":
            return complete_plugin(application, words)
        scripts = application.graph.scripts
    except TrioAgentError:
        return NOTHING
    rows = (Row(term=one.name, text=one.description or one.title or "") for one in scripts)
    return _matching((*rows, HELP), typed)


def _named(reference: str) -> PluginApplication:
    # As the shell would hand it over; what is under the cursor comes as it was typed.
    expanded = os.path.expandvars(os.path.expanduser(reference))
    return PluginApplication(find_plugin(expanded))


def complete_package(package: str, words: Sequence[str]) -> Completion:
    """Complete the words of a plugin's own program.

    Raises:
        TrioAgentError: see `complete_plugin`.
    """
    application = PluginApplication(find_package(package))
    return complete_plugin(application, words, is_program=True)


def complete_plugin(
    application: PluginApplication, words: Sequence[str], *, is_program: bool = False
) -> Completion:
    """Complete the words after a plugin.

    Args:
        application: the plugin.
        words: as for `complete_program`.
        is_program: the plugin is a program of its own, which prints completion scripts too.

    Raises:
        TrioAgentError: the plugin or the command cannot be read; there are no candidates.
    """
    typed = words[-1] if words else ""
    before = words[:-1]
    if is_program and [*before] == ["--completion"]:
        return _matching(SHELL_ROWS, typed)
    found = find(application.commands(), before)
    if isinstance(found, FoundCommand):
        grammar, has_events = _grammar_of(application, found.record)
        return complete_command(grammar, [*found.argv, typed], has_events=has_events)
    if not isinstance(found, FoundGroup) or found.argv:
        return NOTHING
    options = [HELP]
    if not found.words:
        options += [VERSION, COMPLETION] if is_program else [VERSION]
    return _matching((*sorted(found.rows, key=_term), *options), typed)


def _grammar_of(application: PluginApplication, record: CommandRecord) -> tuple[Grammar, bool]:
    if isinstance(record, RouteRecord):
        route = application.load(record)
        return read_grammar(route.signature.input_type), route.answer.is_nodes
    tool = open_tool_command(application, record)
    return tool.shown, tool.route.answer.is_nodes


def complete_command(grammar: Grammar, words: Sequence[str], *, has_events: bool) -> Completion:
    """Complete the words after a command.

    Args:
        grammar: what the command takes.
        words: after the command's own; the last one is being typed.
        has_events: whether there is `--ndjson`.
    """
    *before, typed = words
    options = {f"--{option.name}": option for option in grammar.options}
    if "--" not in before:
        open_option = _option_before(before, options)
        if open_option is not None and not typed.startswith("--"):
            return _values(open_option, typed)
        name, equals, value = typed.partition("=")
        if equals and name in options and options[name].form != "flag":
            return _values(options[name], value, f"{name}=")
        if typed.startswith("-"):
            return _matching(_options(options, before, has_events=has_events), typed)
    return _argument(grammar, _count_arguments(before, options), typed)


def _option_before(before: Sequence[str], options: dict[str, Parameter]) -> Parameter | None:
    """The option whose value comes next."""
    option = options.get(before[-1]) if before else None
    is_value = len(before) > 1 and _option_before(before[:-1], options) is not None
    return None if option is None or option.form == "flag" or is_value else option


def _options(
    options: dict[str, Parameter], before: Sequence[str], *, has_events: bool
) -> Iterable[Row]:
    """Those that may still be given."""
    given = {word.partition("=")[0] for word in before}
    for term, option in options.items():
        if option.is_repeated or term not in given:
            yield Row(term=term, text=option.description)
    if not given & {JSON.term, NDJSON.term}:
        yield JSON
        if has_events:
            yield NDJSON
    yield HELP


def _count_arguments(before: Sequence[str], options: dict[str, Parameter]) -> int:
    count = 0
    takes_value = False
    for position, word in enumerate(before):
        if word == "--" and not takes_value:
            return count + len(before) - position - 1
        if takes_value:
            takes_value = False
        elif word.startswith("--"):
            option = options.get(word)
            takes_value = option is not None and option.form != "flag"
        else:
            count += 1
    return count


def _argument(grammar: Grammar, count: int, typed: str) -> Completion:
    positionals = grammar.positionals
    if count < len(positionals):
        return _values(positionals[count], typed)
    if positionals and positionals[-1].is_repeated:
        return _values(positionals[-1], typed)
    return NOTHING


def _values(parameter: Parameter, typed: str, prefix: str = "") -> Completion:
    """What may be the value of a parameter."""
    rows = [Row(term=prefix + text) for text, _ in parameter.choices]
    place: Place | None = "files" if parameter.is_path else None
    return _matching(rows, prefix + typed, place, prefix)


def _matching(
    rows: Iterable[Row], typed: str, place: Place | None = None, prefix: str = ""
) -> Completion:
    # Options only when somebody has begun one: most words are no options.
    wants_options = typed.startswith("-")
    return Completion(
        rows=tuple(
            row
            for row in rows
            if row.term.startswith(typed) and (wants_options or not row.term.startswith("-"))
        ),
        place=place,
        prefix=prefix,
    )


def _term(row: Row) -> str:
    return row.term
