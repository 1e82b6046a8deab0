"""The decorator `@tool_command`, and what it makes of a function."""

from collections.abc import Callable
from typing import cast

import attrs
import pytest

from trio_agent import tool_command
from trio_agent.routes.flags import Flag
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.tool_commands import ToolCommand


@attrs.frozen
class Input:
    root: str
    count: int = 3
    total: int = attrs.field(init=False, default=0)


def made(said: dict[str, object], function: Callable[..., object] | None = None) -> ToolCommand:
    decorate = cast("Callable[..., Callable[..., ToolCommand]]", tool_command)
    return decorate(**said)(function or (lambda flags: flags))


def test_what_the_decorator_said_is_kept() -> None:
    @tool_command(
        description="Audit.",
        title="Audit",
        command="db audit",
        aliases=["check"],
        confirm=True,
        exit_code="result",
        flags={
            "root": {"name": "from", "description": "Where.", "required": False},
            "count": {"aliases": ["n", "top"], "default": None},
        },
        positionals=["root"],
    )
    def audit(flags: dict[str, object]) -> dict[str, object]:
        return {**flags, "seen": True}

    assert audit.name.endswith("audit")
    assert audit.is_mapper
    assert audit.handler({"a": 1}) == {"a": 1, "seen": True}
    assert (audit.description, audit.title, audit.command) == ("Audit.", "Audit", "db audit")
    assert (audit.aliases, audit.confirm, audit.exit_code) == (("check",), True, "result")
    assert audit.positionals == ("root",)
    assert audit.flags == {
        "root": Flag(name="from", description="Where.", is_required=False),
        "count": Flag(aliases=("n", "top"), default=None),
    }


def test_a_function_without_a_parameter_makes_nothing() -> None:
    @tool_command()
    def plain() -> None: ...

    assert not plain.is_mapper
    assert (plain.command, plain.confirm, plain.positionals) == (None, None, None)
    assert (plain.flags, plain.aliases, plain.description) == ({}, (), None)


def test_defaults_are_for_what_is_not_given() -> None:
    command = made({"flags": {"count": {"default": 5}, "root": {"name": "from"}}})
    assert command.complete({}) == {"count": 5}
    assert command.complete({"count": 1, "root": "x"}) == {"count": 1, "root": "x"}


async def _waits(flags: dict[str, object]) -> dict[str, object]:
    return flags


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (_waits, "_waits is an async def; the words of a command are read by a def"),
        (lambda a, b: (a, b), "takes one parameter, the dictionary of what was typed, or none"),
        (lambda *a: a, r"takes one parameter.* received \(\*a\)"),
        (lambda **a: a, r"takes one parameter.* received \(\*\*a\)"),
        (len, "takes a def or an async def, received <built-in function len>"),
    ],
)
def test_what_is_no_function_of_the_words_is_refused(
    function: Callable[..., object], message: str
) -> None:
    with pytest.raises(PluginError, match=message):
        made({}, function)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"command": "a  b"}, "command is words of letters, digits and inner . _ -"),
        ({"command": ""}, "command is words"),
        ({"command": "-a"}, "command is words"),
        ({"command": 1}, "command is words"),
        ({"aliases": "x"}, "aliases is a list of strings"),
        ({"confirm": "yes"}, "confirm is True, False or None"),
        ({"exit_code": "value"}, "exit_code is 'result' or None"),
        ({"positionals": ["a", "a"]}, "positionals is a list of fields, each once, or None"),
        ({"positionals": [1]}, "positionals is a list of fields"),
        ({"flags": {"a": object()}}, "flags.a is an instance of builtins.object"),
        ({"flags": {"a": 1}}, r"flags\['a'\] is an object, received 1"),
        (
            {"flags": {"a": {"nmae": "x"}}},
            (
                r"flags\['a'\]: 'nmae' is no key; there are name, aliases, default, description,"
                " required"
            ),
        ),
        ({"flags": {"a": {"name": "--x"}}}, r"flags\['a'\]: name is letters, digits and inner"),
        ({"flags": {"a": {"aliases": "x"}}}, "aliases is a list of names"),
        ({"flags": {"a": {"aliases": ["x", ""]}}}, "aliases is a list of names"),
        ({"flags": {"a": {"description": " "}}}, "description is a string that is not blank"),
        ({"flags": {"a": {"required": True}}}, "required is False, or left to the field"),
    ],
)
def test_what_an_argument_does_not_take_is_refused(said: dict[str, object], message: str) -> None:
    with pytest.raises(PluginError, match=message):
        made(said)


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"flags": {"roto": {}}}, "flags: 'roto' is no field of the tool; there are root, count"),
        ({"positionals": ["total"]}, "positionals: 'total' is no field of the tool; there are ro"),
        (
            {"positionals": ["root"], "flags": {"root": {"aliases": ["r"]}}},
            "flags['root']: an argument has no other names",
        ),
    ],
)
def test_a_command_speaks_of_fields_that_there_are(said: dict[str, object], fault: str) -> None:
    command = made(said)
    with pytest.raises(PluginError) as caught:
        command.check(Input)
    assert str(caught.value).startswith(fault)
    assert [one[: len(fault)] for one in command.faults(Input)] == [fault]


def test_a_default_is_one_that_the_tool_takes() -> None:
    command = made({"flags": {"count": {"default": "many"}, "root": {"default": "."}}})
    command.check(Input)
    assert [*command.faults(Input)] == [
        "flags['count']: the default: expected integer, received \"many\""
    ]


def test_a_tool_without_fields_has_none() -> None:
    @attrs.frozen
    class Nothing: ...

    with pytest.raises(PluginError, match="'x' is no field of the tool; there are none"):
        made({"positionals": ["x"]}).check(Nothing)
