"""Advice: what works, and could be better."""

import pytest

from tests.routes.conftest import Workshop
from trio_agent.routes.advice import advise
from trio_agent.routes.discovery import discover

HEAD = "from trio_agent import Agent, Node, tool, prompt\n"


def advice(workshop: Workshop, files: dict[str, str]) -> list[str]:
    return sorted(map(str, advise(discover(workshop.write("curator_t", files)))))


# ------------------------------------------------------------------------------ descriptions


@pytest.mark.parametrize("kind", ["tool", "prompt"])
def test_what_a_model_chooses_from_says_what_it_is_for(workshop: Workshop, kind: str) -> None:
    text = f"{HEAD}@{kind}()\ndef x() -> str: ...\n"
    described = text.replace("...", "'''Does it.'''")
    files = {f"mcp/s/{kind}s/x.py": text, f"mcp/s/{kind}s/y.py": described}
    (message,) = advice(workshop, files)
    assert message.startswith(f"mcp/s/{kind}s/x.py:3:1: TA4850 x does not say what it is for")


def test_there_is_no_advice_for_what_cannot_be_read(workshop: Workshop) -> None:
    assert advice(workshop, {"mcp/s/tools/x.py": "1 +"}) == []


# ------------------------------------------------------------------------------ facts


def facts(workshop: Workshop, body: str, options: str = "") -> list[str]:
    lines = body.replace("\n", "\n    ")
    text = f"{HEAD}@tool(description='x', {options})\ndef x(root: str) -> Node:\n    {lines}\n"
    return advice(workshop, {"mcp/s/tools/x.py": text})


@pytest.mark.parametrize(
    "body",
    [
        "return Agent.Result(Agent.Markdown(f'{found.files} in {root}'), value=found)",
        "return Agent.Result(Agent.Text(f'{n}'), Agent.Json(1), value={'n': n})",
        "return Agent.Result(Agent.Text(f'{len(found)}'), value=sorted(found))",
        "return Agent.Result(Agent.Text(f'{n}'))",
        "return Agent.Result(Agent.Text(f'{n}'), value=None)",
        "return Agent.Result(Agent.Text(f'{1 + 1}'), value=found)",
        "return Agent.Result(Agent.Text(text), value=found)",
        "return Agent.Result(Agent.Error('E', f'{n}'), value=found)",
        "return make(Agent.Text(f'{n}'), value=found)",
        "return Result(Agent.Text(f'{n}'), value=found)",
    ],
)
def test_a_text_whose_facts_are_in_the_value_is_fine(workshop: Workshop, body: str) -> None:
    assert facts(workshop, body) == []


@pytest.mark.parametrize(
    "body",
    [
        "return Agent.Result(Agent.Markdown(f'{found.x} of {total}'), value=found)",
        "return [Agent.Result([Agent.Context('a' + f'{total:>3}')], value=found)]",
        "def inner():\n    return Agent.Result(Agent.Text(f'{total}'), value=found)",
    ],
)
def test_a_fact_in_text_that_the_value_lacks_is_told(workshop: Workshop, body: str) -> None:
    (message,) = facts(workshop, body)
    assert message.startswith("mcp/s/tools/x.py:")
    assert "TA4851 the text says total, and the value does not" in message


def test_what_another_component_was_given_is_a_fact_like_any_other(workshop: Workshop) -> None:
    component = (
        "\n\n@component\ndef C(total) -> Node:\n"
        "    return Agent.Result(Agent.Text(f'{total}'), value=found)"
    )
    text = (
        f"{HEAD}@tool(description='x')\ndef x(root: str) -> Node:\n    return C(1)\n{component}\n"
    )
    (message,) = advice(workshop, {"mcp/s/tools/x.py": text})
    assert message.startswith("mcp/s/tools/x.py:9:25: TA4851 the text says total")


def test_who_keeps_the_value_back_needs_no_advice(workshop: Workshop) -> None:
    body = "return Agent.Result(Agent.Text(f'{total}'), value=found)"
    assert facts(workshop, body, "structured='never'") == []


# ------------------------------------------------------------------------------ strays


@pytest.mark.parametrize(
    ("file", "decorator", "place"),
    [
        ("mcp/s/tool/x.py", "tool", "mcp/NAME/tools/"),
        ("mcp/s/x.py", "tool", "mcp/NAME/tools/"),
        ("prompts/x.py", "prompt", "mcp/NAME/prompts/"),
        ("commands/x.py", "command", "cli/"),
        ("mcp/s/layouts.py", "layout", "layout.py"),
        ("library/deep/x.py", "provider", "providers/"),
    ],
)
def test_a_route_where_nobody_looks_is_told(
    workshop: Workshop, file: str, decorator: str, place: str
) -> None:
    text = f"from trio_agent import {decorator}\n@{decorator}()\ndef x() -> str: ...\n"
    (message,) = advice(workshop, {file: text})
    assert message == (
        f"{file}:3:1: TA4852 declares @{decorator}, x, and lies where nobody looks for one: its"
        f" place is {place}"
    )


def test_what_is_found_or_told_already_or_unread_on_purpose_is_no_stray(
    workshop: Workshop,
) -> None:
    tool = f"{HEAD}@tool(description='x')\ndef x() -> str: ...\n"
    files = {
        "mcp/s/tools/x.py": tool,
        "mcp/s/tools/deep/x.py": tool,
        "mcp/s/tools/x_cli.py": tool.replace("tool", "tool_command"),
        "mcp/s/layout.py": tool.replace("tool", "layout"),
        "providers/p.py": tool.replace("tool", "provider"),
        "mcp/far/tools/x.py": tool,
        "mcp/hand.py": tool,
        "library/_private.py": tool,
        "library/plain.py": "import trio_agent",
        "library/broken.py": "import trio_agent; 1 +",
        "library/other.py": "1 +",
        "plugin.toml": "[servers.far]\nmode = 'remote'\nurl = 'http://x'",
    }
    assert advice(workshop, files) == []
