"""What only importing shows."""

import sys

import pytest

from tests.routes.conftest import Workshop
from trio_agent.routes.application import PluginApplication
from trio_agent.routes.checking import check
from trio_agent.routes.diagnostic import Diagnostic

TOOL = "from trio_agent.routes.tools import tool\n@tool({})\ndef x({}) -> str: ...\n"
COMMAND = "from trio_agent import command\n@command()\ndef x(a: int) -> str: ...\n"
RESOURCE = (
    "from trio_agent import resource\n@resource(uri='{}', mime_type='a/b')\ndef x({}) -> str: ...\n"
)
PROVIDER = "from trio_agent import provider\n@provider\ndef p(context): ...\n"
OBJECT = "input_schema={{'type': 'object', 'properties': {}}}"


def found(workshop: Workshop, files: dict[str, str]) -> list[Diagnostic]:
    application = PluginApplication(workshop.write("curator_t", files))
    try:
        return [
            *check(application, refusal=lambda route: route.name if "unfit" in route.name else None)
        ]
    finally:
        assert "curator_t" not in sys.modules


def test_what_loads_is_fine(workshop: Workshop) -> None:
    schema = OBJECT.format({"a": {"type": "integer"}}) + ""
    files = {
        "cli/a.py": COMMAND,
        "mcp/s/tools/x.py": TOOL.format("", "a: int = 1"),
        "mcp/s/tools/y.py": TOOL.format(schema, "a: int = 1"),
        "mcp/s/resources/r.py": RESOURCE.format("x://{a}", "a: str"),
        "mcp/s/prompts/p.py": TOOL.replace("tool", "prompt").format(schema, "a: int = 1"),
        "layout.py": "from trio_agent import Node, layout\n@layout()\ndef x(children: Node): ...\n",
        "providers/p.py": PROVIDER,
    }
    assert found(workshop, files) == []


def test_a_command_without_a_form_on_a_command_line_is_told(workshop: Workshop) -> None:
    files = {
        "cli/a.py": COMMAND.replace("def x", "def unfit"),
        "mcp/s/tools/x.py": TOOL.format("", "a: int").replace("def x", "def unfit"),
    }
    assert found(workshop, files) == [
        Diagnostic(code="TA4814", file="cli/a.py", line=3, message="unfit")
    ]


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("cli/a.py", COMMAND + "1 / 0\n", "cannot import curator_t.cli.a: cli/a.py:4: ZeroDivis"),
        (
            "mcp/s/tools/x.py",
            TOOL.format("", "a"),
            "parameter `a` of curator_t.mcp.s.tools.x.x has no annotation",
        ),
        ("mcp/s/tools/x.py", TOOL.format("", "") + "x = 1\n", "x is no longer a tool when the mod"),
        (
            "mcp/s/resources/x.py",
            RESOURCE.format("x://{a}", ""),
            "the URI 'x://{a}' has the variable a, which is no parameter of",
        ),
        (
            "providers/p.py",
            PROVIDER.replace("context", ""),
            "cannot import curator_t.providers.p: providers/p.py:2: PluginError: p is a provider",
        ),
        (
            "layout.py",
            "from trio_agent.nowhere import layout\n@layout()\ndef x(children): ...\n",
            "cannot import curator_t.layout: layout.py:1: ModuleNotFoundError",
        ),
    ],
)
def test_a_module_that_does_not_load_is_told_with_its_place(
    workshop: Workshop, file: str, text: str, message: str
) -> None:
    (diagnostic,) = found(workshop, {file: text, "cli/b.py": COMMAND})
    assert (diagnostic.code, diagnostic.severity) == ("TA4848", "error")
    assert (diagnostic.file, diagnostic.line) == (file, 3)
    assert diagnostic.message.startswith(message)
    assert str(workshop.folder) not in diagnostic.message


def test_what_is_in_error_already_is_not_imported(workshop: Workshop) -> None:
    files = {"cli/a.py": "x = (", "layout.py": "raise SystemExit", "mcp/s/apps/x.html": ""}
    files |= {"providers/p.py": "raise SystemExit"}
    assert found(workshop, files) == []


def test_a_literal_schema_is_held_against_the_types(workshop: Workshop) -> None:
    wrong = OBJECT.format({"a": {"type": "integer", "maximum": 3}, "c": {}})
    files = {"mcp/s/tools/x.py": TOOL.format(wrong, "a: int = 1, b: str = ''")}
    one, two, three = found(workshop, files)
    assert {one.code, two.code, three.code} == {"TA4849"}
    assert str(one) == (
        "mcp/s/tools/x.py:3:1: TA4849 input_schema= and the types differ: input.c is in the literal"
        " only"
    )
    assert two.message.endswith("input.b is not in the literal")
    assert "input.a maximum is 3 in the literal, and nothing by the types" in three.message
    assert [one.severity, two.severity, three.severity] == ["error", "error", "warning"]


def test_another_schema_altogether_is_told_in_part(workshop: Workshop) -> None:
    wrong = OBJECT.format({f"a{number}": {} for number in range(30)})
    assert len(found(workshop, {"mcp/s/tools/x.py": TOOL.format(wrong, "")})) == 20
