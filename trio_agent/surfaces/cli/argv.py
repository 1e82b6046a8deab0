"""The words of a command line -> the input of one command, or everything that is wrong with them.

    --name VALUE, --name=VALUE      an option; a word that begins with `--` is never its value
    --name                          a flag; it takes no value
    --                              everything after it is an argument
    -5                              an argument where a number is expected, otherwise a mistake
    -                               an argument or a value like any other
    --json, --ndjson                how to print; not both, and `--ndjson` only where there are events

A list option may be repeated and keeps the order; anything else given twice is a mistake.
`-h` and `--help` count anywhere before `--` (`call.wants_help`); `--version` is a word of the program,
not of a command.

Pure: reads no environment, prints nothing.  A token that is no number stays a string, so that the
schema refuses it together with everything else: all mistakes come at once, in the words of the
command line.  Above: the command; below: `grammar`, `usage`, `protocol.schema`.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, TypeAlias, final

import attrs

from trio_agent.protocol.schema.issues import SchemaError, SchemaIssue, join_steps, show
from trio_agent.protocol.schema.structuring import structure
from trio_agent.shown import shown
from trio_agent.surfaces.cli.nearest import nearest
from trio_agent.surfaces.cli.usage_error import UsageError, UsageIssue
from trio_agent.vocabulary.json import SAFE_INTEGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from trio_agent.surfaces.cli.grammar import Grammar, Parameter
    from trio_agent.surfaces.cli.help.usage import CommandHelp
    from trio_agent.surfaces.cli.usage_error import OutputMode

ReadInput: TypeAlias = "Callable[[Mapping[str, object], bool], attrs.AttrsInstance | None]"
"""Of what was typed, by field, or `SchemaError`; None only when told of mistakes before it."""

_MODES: Final[dict[str, OutputMode]] = {"json": "json", "ndjson": "ndjson"}
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,4000}")
"""Python reads integers of 4,300 digits and no more; nobody types a longer one."""
_NUMBER: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


@final
@attrs.frozen(kw_only=True)
class ParsedArgv:
    """An input, and how its result is to be printed.

    Attributes:
        value: an instance of the input class.
        mode: None when nothing was said.
    """

    value: attrs.AttrsInstance
    mode: OutputMode | None

    __repr__ = shown


def parse_argv(
    grammar: Grammar,
    argv: Sequence[str],
    describe: Callable[[], CommandHelp],
    *,
    has_events: bool = True,
    read: ReadInput | None = None,
) -> ParsedArgv:
    """Make the input of a command.

    Args:
        grammar: what the command takes.
        argv: the words after the command's own.
        describe: makes the same command for people, whose usage goes into the error.
        has_events: whether there is a stream of events that `--ndjson` could print.
        read: makes the input, where that is more than to read it by its class.

    Raises:
        UsageError: with every mistake there is.
    """
    words = _Words(grammar, argv, has_events=has_events)
    words.sort()
    data = dict(words.values())
    try:
        value = read(data, bool(words.issues)) if read else structure(grammar.input_type, data)
        refused: Sequence[SchemaIssue] = ()
    except SchemaError as error:
        value, refused = None, error.issues
    words.issues.extend(_translated(grammar, refused, words.troubled))
    mode = words.modes[0] if words.modes else None
    if value is None or words.issues:
        # lazy: only a mistake has to be explained.
        from trio_agent.surfaces.cli.help.usage import hint_line, usage_line  # noqa: PLC0415

        described = describe()
        raise UsageError(
            words.issues, usage=usage_line(described), hint=hint_line(described), mode=mode
        )
    return ParsedArgv(value=value, mode=mode)


def _translated(
    grammar: Grammar, issues: Iterable[SchemaIssue], troubled: set[str]
) -> Iterator[UsageIssue]:
    """Issues of the schema in the words of the command line.

    Fields in *troubled* have an issue already, and the schema did not see what was typed.
    """
    parameters = {one.alias: one for one in (*grammar.positionals, *grammar.options)}
    for issue in issues:
        first, *rest = issue.steps or ("",)
        parameter = parameters.get(str(first))
        is_missing = issue.kind == "missing"
        is_own = is_missing and not rest
        if first not in troubled:
            yield UsageIssue(
                target=join_steps("input" if parameter is None else parameter.target, rest),
                expected=parameter.words if is_own and parameter else issue.expected,
                received=issue.received,
                is_missing=is_missing,
                remark=_meant(parameter, issue.received),
            )


def _meant(parameter: Parameter | None, received: object) -> str:
    """Which of its choices somebody probably meant; empty when nobody can tell."""
    if parameter is None or not isinstance(received, str):
        return ""
    known = nearest(received, [text for text, _ in parameter.choices])
    return "" if known is None else f"did you mean {known}?"


@final
class _Words:
    """The words of one command line, sorted: what belongs to which field, and what to none."""

    def __init__(self, grammar: Grammar, argv: Sequence[str], *, has_events: bool) -> None:
        self.issues: Final[list[UsageIssue]] = []
        self.troubled: Final[set[str]] = set()
        self.modes: Final[list[OutputMode]] = []
        self._options: Final = {
            name: option for option in grammar.options for name in (option.name, *option.aliases)
        }
        self._parameters: Final = (*grammar.positionals, *grammar.options)
        self._positionals: Final = grammar.positionals
        self._argv: Final = argv
        self._has_events: Final = has_events
        self._given: Final[dict[str, list[object]]] = {}
        self._arguments: Final[list[str]] = []
        self._has_unknown = False

    def sort(self) -> None:
        """Read all words, once."""
        position = 0
        while position < len(self._argv):
            word = self._argv[position]
            position += 1
            if word == "--":
                self._arguments.extend(self._argv[position:])
                break
            if word.startswith("--"):
                position = self._take_option(word, position)
            elif word.startswith("-") and word != "-" and not self._is_negative_number(word):
                expected = "an option with two dashes, or an argument after --"
                self._refuse(_printable(word), expected, word)
            else:
                self._arguments.append(word)
        self._check_modes()
        self._place_arguments()

    def values(self) -> Iterator[tuple[str, object]]:
        """The fields that were given, and their JSON; what was given twice becomes an issue."""
        for parameter in self._parameters:
            given = self._given.get(parameter.alias, [])
            if parameter.is_repeated and given:
                yield parameter.alias, given
            elif len(given) == 1:
                yield parameter.alias, given[0]
            elif given:
                self.troubled.add(parameter.alias)
                self._refuse(parameter.target, "to be given once", given)

    def _take_option(self, word: str, position: int) -> int:
        """Take an option and its value, if that is the next word; where to go on."""
        name, equals, value = word[2:].partition("=")
        parameter = self._options.get(name)
        if name in _MODES or (parameter is not None and parameter.form == "flag"):
            self._take_flag(name, value if equals else None)
        elif parameter is None and name == "help":
            # Without a value it is no word of the input; see `call.wants_help`.
            self._refuse("--help", "no value, it is a flag", value)
        elif parameter is None:
            self._refuse_unknown(name)
            has_value = not equals and position < len(self._argv)
            if has_value and not self._argv[position].startswith("-"):
                # Most likely its value, and no argument to be judged.
                return position + 1
        elif equals:
            self._give(parameter, value)
        elif position < len(self._argv) and not self._argv[position].startswith("--"):
            self._give(parameter, self._argv[position])
            return position + 1
        else:
            self.troubled.add(parameter.alias)
            self.issues.append(
                UsageIssue(
                    target=parameter.target,
                    expected=parameter.words,
                    is_missing=True,
                    remark="the option requires a value",
                )
            )
        return position

    def _take_flag(self, name: str, value: str | None) -> None:
        if value is not None:
            self._refuse(f"--{name}", "no value, it is a flag", value)
        if name in _MODES:
            self.modes.append(_MODES[name])
        else:
            parameter = self._options[name]
            self._given.setdefault(parameter.alias, []).append(parameter.sets)

    def _give(self, parameter: Parameter, text: str) -> None:
        value = _to_json(parameter, text)
        if parameter.form == "integer" and isinstance(value, int) and abs(value) > SAFE_INTEGER:
            # No document may hold it, which would be told later, and in other words.
            self.troubled.add(parameter.alias)
            expected = "an integer within ±(2**53 - 1), an id belongs in a string"
            self._refuse(parameter.target, expected, value)
            return
        self._given.setdefault(parameter.alias, []).append(value)

    def _is_negative_number(self, word: str) -> bool:
        """Whether the argument that comes next is a number, and *word* is one."""
        if not self._positionals:
            return False
        following = self._positionals[min(len(self._arguments), len(self._positionals) - 1)]
        return following.form in {"integer", "number"} and _NUMBER.fullmatch(word) is not None

    def _check_modes(self) -> None:
        if len(set(self.modes)) > 1:
            self._refuse("--ndjson", "one of --json and --ndjson", ["--json", "--ndjson"])
        elif len(self.modes) > 1:
            self._refuse(f"--{self.modes[0]}", "to be given once", self.modes)
        elif "ndjson" in self.modes and not self._has_events:
            self._refuse("--ndjson", "no --ndjson, this command has no events", "--ndjson")

    def _place_arguments(self) -> None:
        count = len(self._positionals)
        takes_all = count > 0 and self._positionals[-1].is_repeated
        for position, text in enumerate(self._arguments):
            if position < count or takes_all:
                self._give(self._positionals[min(position, count - 1)], text)
        surplus = self._arguments[count:]
        # After an unknown option nobody knows whether the next word was its value.
        if self._has_unknown:
            missing = self._positionals[len(self._arguments) :]
            self.troubled.update(parameter.alias for parameter in missing)
        if surplus and not takes_all and not self._has_unknown:
            expected = f"at most {count} argument{'' if count == 1 else 's'}"
            self._refuse(f"argument {count + 1}", expected if count else "no arguments", surplus[0])

    def _refuse_unknown(self, name: str) -> None:
        self._has_unknown = True
        known = nearest(name, (*self._options, *_MODES, "help"))
        suggestion = "" if known is None else f", did you mean --{known}?"
        expected = f"an option of this command{suggestion}"
        self._refuse(_printable(f"--{name}"), expected, f"--{name}")

    def _refuse(self, target: str, expected: str, received: object) -> None:
        self.issues.append(UsageIssue(target=target, expected=expected, received=received))


def _printable(word: str) -> str:
    """A word that nobody declared, as it can stand in a line."""
    return show(word)[1:-1]


def _to_json(parameter: Parameter, text: str) -> object:
    """The JSON of one token; the token itself when it has none of that form."""
    if parameter.form == "choice":
        return next((plain for typed, plain in parameter.choices if typed == text), text)
    if parameter.form == "text":
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if parameter.form == "number" and _NUMBER.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text
