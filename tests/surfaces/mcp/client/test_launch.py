"""Which process a server is."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.testing.folders import DEPOT, write_plugin
from trio_agent.routes.plugin import PluginError
from trio_agent.surfaces.mcp.client.launch import Launch, find_launch
from trio_agent.surfaces.mcp.client.words import CommandServer, PluginServer, UsageError

TOML = """
    [servers.near]
    mode = "command"
    command = "node"
    args = ["server.js", "--fast"]
    cwd = "js"
    env = { LEVEL = "3" }

    [servers.here]
    mode = "command"
    command = "deno"

    [servers.far]
    mode = "remote"
    url = "https://example.com/mcp"
    """


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    (tmp_path / "mixed" / "js").mkdir(parents=True)
    return write_plugin(tmp_path / "mixed", {"plugin.toml": TOML})


def test_a_plugin_is_started_as_a_host_starts_it() -> None:
    launch = find_launch(PluginServer(str(DEPOT)))

    words = (sys.executable, "-P", "-m", "trio_agent.serve", str(DEPOT), "depot")
    assert launch == Launch(words=(*words, "--no-heartbeat"))


def test_a_command_server_is_what_the_plugin_says(mixed: Path) -> None:
    near = find_launch(PluginServer(str(mixed), "near"))
    here = find_launch(PluginServer(str(mixed), "here"))

    assert near.words == ("node", "server.js", "--fast")
    assert near.cwd == os.fspath(mixed / "js")
    assert dict(near.env) == {"LEVEL": "3"}
    assert (here.words, here.cwd) == (("deno",), os.fspath(mixed))


def test_a_command_is_itself() -> None:
    assert find_launch(CommandServer(("a", "b"))) == Launch(words=("a", "b"))


@pytest.mark.parametrize(
    ("server", "named"),
    [
        ("far", "the server far of mixed is remote: only a process can be started"),
        ("near_by", "it has far, here, near"),
        (None, "more than one MCP server"),
    ],
)
def test_what_cannot_be_started_is_a_usage_error(
    mixed: Path, server: str | None, named: str
) -> None:
    with pytest.raises(UsageError, match=named):
        find_launch(PluginServer(str(mixed), server))


def test_a_plugin_that_is_not_there_is_one_and_a_broken_one_is_not(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no plugin"):
        find_launch(PluginServer(str(tmp_path / "nowhere")))
    toml = write_plugin(tmp_path / "broken", {"plugin.toml": "name = 3"})
    with pytest.raises(PluginError, match=r"plugin\.toml"):
        find_launch(PluginServer(str(toml)))
    # A server that is two things at once.
    both = {
        "plugin.toml": '[servers.both]\nmode = "command"\n',
        "mcp/both/tools/a.py": "from trio_agent import tool\n\n\n@tool()\ndef a() -> int: ...\n",
    }
    with pytest.raises(PluginError, match="TA4800"):
        find_launch(PluginServer(str(write_plugin(tmp_path / "double", both))))
