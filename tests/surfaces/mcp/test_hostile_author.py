"""Author code that ends a process if it can: the session of a real server survives it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.surfaces.mcp.child import Child

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from trio_agent.surfaces.mcp.rpc import JsonObject

HELLO: JsonObject = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "host", "version": "1"},
}

HEAD = """
import asyncio, sys
import attrs, trio
from trio_agent import Agent, Node, Suspense, ToolContext, component, tool

class Panic(BaseException):
    pass

class Unshown(Exception):
    def __repr__(self):
        raise ValueError("no repr")
    __str__ = __repr__

class Unshown2(Exception):
    def __repr__(self):
        raise SystemExit(9)
    __str__ = __repr__

def panics(raises=Panic):
    raise raises

@component
async def Later() -> Node:
    panics()
"""

TOOLS = {
    "panic": 'async def panic() -> Node:\n    raise Panic("core")',
    "panic_step": "def panic_step() -> Node:\n    panics()",
    "panic_thread": "def panic_thread() -> Node:\n    panics(asyncio.CancelledError)",
    "panic_group": 'async def panic_group() -> Node:\n    raise BaseExceptionGroup("", [Panic()])',
    "panic_mixed": (
        "async def panic_mixed() -> Node:\n"
        '    raise BaseExceptionGroup("", [Panic(), ValueError("plain")])'
    ),
    "panic_later": (
        "async def panic_later(context: ToolContext) -> Node:\n"
        "    async def work():\n        panics()\n"
        "    await context.defer(work)"
    ),
    "panic_begin": (
        "async def panic_begin(context: ToolContext) -> Node:\n    await context.defer(panics)"
    ),
    "panic_boundary": (
        "async def panic_boundary() -> Node:\n    return Suspense(Later(), fallback=None)"
    ),
    "unshown": "async def unshown() -> Node:\n    raise Unshown",
    "unshown_exit": "async def unshown_exit() -> Node:\n    raise Unshown2",
    "unshown_group": (
        'async def unshown_group() -> Node:\n    raise ExceptionGroup("", [Unshown(), Unshown()])'
    ),
    "unshown_thread": "def unshown_thread() -> Node:\n    raise Unshown",
}
SAID = {
    "panic": "panic raised hostile.mcp.desk.tools.panic.Panic: core",
    "panic_thread": "panic_thread raised asyncio.exceptions.CancelledError",
    "panic_mixed": "plain",
    "unshown": "unshown raised hostile.mcp.desk.tools.unshown.Unshown: it cannot be put into words",
}


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    tools = tmp_path / "hostile" / "mcp" / "desk" / "tools"
    tools.mkdir(parents=True)
    for name, code in TOOLS.items():
        option = "thread=False" if name == "panic_step" else ""
        text = f'{HEAD}\n\n@tool(description="x"{", " * bool(option)}{option})\n{code}\n'
        (tools / f"{name}.py").write_text(text, encoding="utf-8")
    return tmp_path / "hostile"


@contextmanager
def served(plugin: Path) -> Generator[Child, None, None]:
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "trio_agent.serve", str(plugin)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        try:
            child = Child(process)
            child.call("initialize", HELLO)
            yield child
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def call(child: Child, name: str) -> str:
    result = child.call("tools/call", {"name": name, "arguments": {}})
    assert result["isError"] is True
    return str(result["content"][-1]["text"])


def test_whatever_a_handler_raises_fails_its_call_and_never_the_session(plugin: Path) -> None:
    with served(plugin) as child:
        for name in TOOLS:
            text = call(child, name)
            assert "raised" in text or name in SAID, (name, text)
            assert SAID.get(name, text) == text
        code, _, errors = child.end()
    assert code == 0
    assert "TrioInternalError" not in errors
    assert "Panic: core" in errors


MODULES = {
    "panics": "class Panic(BaseException):\n    pass\nraise Panic('while imported')",
    "unshown": "class E(Exception):\n    def __str__(self):\n        raise SystemExit(4)\nraise E",
}


@pytest.mark.parametrize("name", list(MODULES))
def test_a_module_that_raises_whatever_costs_neither_the_session_nor_other_tools(
    plugin: Path, name: str
) -> None:
    tools = plugin / "mcp" / "desk" / "tools"
    declared = textwrap.dedent(
        f"""
        from trio_agent import tool

        @tool(description="x")
        async def broken_{name}() -> str:
            return ""

        """
    )
    (tools / f"broken_{name}.py").write_text(declared + MODULES[name], encoding="utf-8")
    with served(plugin) as child:
        listed = [tool["name"] for tool in child.call("tools/list")["tools"]]
        assert listed == sorted(TOOLS)
        assert "cannot import" in call(child, f"broken_{name}")


def test_an_input_that_raises_whatever_while_it_is_made_fails_its_call(plugin: Path) -> None:
    code = textwrap.dedent(
        """
        @attrs.frozen
        class Order:
            def __attrs_post_init__(self):
                panics()

        @tool(description="x")
        async def ordered(order: Order) -> str:
            return ""
        """
    )
    (plugin / "mcp" / "desk" / "tools" / "ordered.py").write_text(HEAD + code, encoding="utf-8")
    with served(plugin) as child:
        child.send("tools/call", {"name": "ordered", "arguments": {}})
        assert child.read()["error"]["code"] == -32603
        assert "Panic" in call(child, "panic")


def test_a_stdout_that_cannot_be_flushed_changes_no_exit_code(plugin: Path) -> None:
    code = textwrap.dedent(
        """
        class Wrapper:
            def write(self, text):
                raise OSError("closed")
            def flush(self):
                raise OSError("closed")

        @tool(description="x")
        async def wraps() -> str:
            sys.stdout = sys.stderr = Wrapper()
            return "wrapped"
        """
    )
    (plugin / "mcp" / "desk" / "tools" / "wraps.py").write_text(HEAD + code, encoding="utf-8")
    with served(plugin) as child:
        assert child.call("tools/call", {"name": "wraps"})["content"][0]["text"] == "wrapped"
        assert child.end()[0] == 0
