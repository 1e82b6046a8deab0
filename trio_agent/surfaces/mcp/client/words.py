"""What `trio-agent mcp ...` was asked for.

    mcp list PLUGIN [SERVER] [--json]              mcp list [--json] -- COMMAND ...
    mcp invoke PLUGIN [SERVER] TOOL --input JSON   mcp invoke TOOL --input JSON -- COMMAND ...
    mcp run PLUGIN [SERVER] [--env-file FILE]... [--no-env]

Pure: no file is looked at here.  Above: `run`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, TypeAlias, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PROGRAM: Final = "trio-agent mcp"

USAGE: Final = f"""\
Usage: {PROGRAM} list PLUGIN [SERVER] [--json]
       {PROGRAM} invoke PLUGIN [SERVER] TOOL (--input JSON | --input-file FILE) [--json]
       {PROGRAM} run PLUGIN [SERVER] [--env-file FILE]... [--no-env]

Starts an MCP server as a host would and talks to it, or is that server.

Commands:
  list               Show what a server offers: tools, resources and prompts.
  invoke             Call one tool and print what it answers.
  run                Serve over standard input and output, for another client.

Arguments:
  <plugin>           A folder, or the dotted name of an installed package.
  [server]           Which of its servers; needed where there are several.
  <tool>             The name of a tool.
  -- COMMAND ...     Instead of a plugin: any command that serves over standard input and output.

Options:
  --input JSON       The arguments of the tool, a JSON object.
  --input-file FILE  The same, in a file.
  --json             Print one JSON document: the whole listing, or the tool's result.
  --env-file FILE    Read this file instead of the plugin's .env files; may be repeated.
  --no-env           Read none.
  --no-heartbeat     `run`: say nothing on standard error while all is well.
  -h, --help         Print this help.

Exit codes: 0; 1, the tool failed, or the server did; 2, a usage error.
"""

_OPTIONS: Final[Mapping[str, Mapping[str, bool]]] = {
    "list": {"--json": False},
    "invoke": {"--json": False, "--input": True, "--input-file": True},
    "run": {"--env-file": True, "--no-env": False, "--no-heartbeat": False},
}
"""The options of each command, and whether they take a value."""


class UsageError(ValueError):
    """The words make no sense; one line for the person who typed them."""


@final
@attrs.frozen
class PluginServer:
    """A server of a plugin.

    Attributes:
        plugin: a folder or a package.
        server: its name; None for the only one.
    """

    plugin: str
    server: str | None = None

    __repr__ = shown


@final
@attrs.frozen
class CommandServer:
    """A command that is a server.

    Attributes:
        words: at least one.
    """

    words: tuple[str, ...]

    __repr__ = shown


Server: TypeAlias = "PluginServer | CommandServer"


@final
@attrs.frozen(kw_only=True)
class ListWish:
    """Somebody wants to see what a server offers."""

    server: Server
    is_json: bool = False

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class InvokeWish:
    """Somebody wants to call a tool.

    Attributes:
        text: its arguments as JSON; None when they are in a file.
        file: where they are; None when they are here.
    """

    server: Server
    tool: str
    text: str | None = None
    file: str | None = None
    is_json: bool = False

    __repr__ = shown


@final
@attrs.frozen(kw_only=True)
class RunWish:
    """Somebody wants to be the server.

    Attributes:
        env_files: instead of the plugin's own, the weakest first; None for those.
        heartbeat: whether lines that say "still here" go to standard error.
    """

    server: PluginServer
    env_files: tuple[str, ...] | None = None
    heartbeat: bool = True

    __repr__ = shown


Wish: TypeAlias = "ListWish | InvokeWish | RunWish"


def read_wish(argv: Sequence[str]) -> Wish | str:
    """Read the words after `mcp`; a text is to be printed.

    Raises:
        UsageError: a word is missing, unknown, or given twice.
    """
    command, *words = argv or ("",)
    own = words[: words.index("--")] if "--" in words else words
    if {"-h", "--help"} & {command, *own}:
        return USAGE
    if command not in _OPTIONS:
        received = repr(command) if command else "nothing"
        raise UsageError(f"expected list, invoke or run, received {received}")
    names, given = _sorted_out(own, _OPTIONS[command])
    process = tuple(words[len(own) + 1 :]) if len(own) < len(words) else None
    if process == ():
        raise UsageError("--: expected a command after it, received nothing")
    match command:
        case "list":
            return ListWish(server=_server(names, process), is_json="--json" in given)
        case "invoke":
            return _read_invoke(names, given, process)
        case _:
            return _read_run(names, given, process)


def stated_json(argv: Sequence[str]) -> bool:
    """Whether the caller wants to be answered in JSON, for complaints about the words."""
    own = argv[: argv.index("--")] if "--" in argv else argv
    return "--json" in own


def _sorted_out(
    words: Sequence[str], options: Mapping[str, bool]
) -> tuple[list[str], Mapping[str, list[str]]]:
    """The names among *words*, and the values of each option."""
    names: list[str] = []
    given: defaultdict[str, list[str]] = defaultdict(list)
    rest = iter(words)
    for word in rest:
        option, joined, value = word.partition("=")
        if not word.startswith("-"):
            names.append(word)
        elif option not in options:
            raise UsageError(f"unknown option {word!r:.120}")
        elif joined and not options[option]:
            raise UsageError(f"{option} takes no value, received {value!r:.120}")
        else:
            given[option].append(next(rest, "") if options[option] and not joined else value)
    for option, values in given.items():
        _check_values(option, values, takes_value=options[option])
    return names, given


def _check_values(option: str, values: Sequence[str], *, takes_value: bool) -> None:
    if takes_value and "" in values:
        raise UsageError(f"{option}: expected a value, received nothing")
    if len(values) > 1 and option != "--env-file":
        raise UsageError(f"{option} is given twice")


def _server(names: Sequence[str], process: tuple[str, ...] | None) -> Server:
    if process is None:
        return _plugin_server(names)
    if names:
        raise UsageError(f"expected a plugin or a command after --, not {names[0]!r:.120} too")
    return CommandServer(process)


def _plugin_server(names: Sequence[str]) -> PluginServer:
    if not 1 <= len(names) <= 2:
        raise UsageError(f"expected a plugin and at most one server, {_received(names)}")
    return PluginServer(*names)


def _read_invoke(
    names: Sequence[str], given: Mapping[str, list[str]], process: tuple[str, ...] | None
) -> InvokeWish:
    *before, tool = names or ("",)
    if not tool or (process is None and not before):
        expected = "a plugin and the name of a tool" if process is None else "the name of a tool"
        raise UsageError(f"expected {expected}, {_received(names)}")
    if ("--input" in given) == ("--input-file" in given):
        raise UsageError(
            "expected exactly one of --input and --input-file, received "
            + ("both" if "--input" in given else "neither")
        )
    (text,), (file,) = given.get("--input", [None]), given.get("--input-file", [None])
    return InvokeWish(
        server=_server(before, process), tool=tool, text=text, file=file, is_json="--json" in given
    )


def _read_run(
    names: Sequence[str], given: Mapping[str, list[str]], process: tuple[str, ...] | None
) -> RunWish:
    if process is not None:
        raise UsageError("run serves a plugin, and takes no command after --")
    files = tuple(given.get("--env-file", ()))
    if files and "--no-env" in given:
        raise UsageError("--env-file and --no-env exclude each other")
    none_or_own = () if "--no-env" in given else None
    return RunWish(
        server=_plugin_server(names),
        env_files=files or none_or_own,
        heartbeat="--no-heartbeat" not in given,
    )


def _received(names: Sequence[str]) -> str:
    return "received " + (" ".join(map(repr, names)) or "nothing")
