"""The digest of a graph: the same on every machine, another for another plugin."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from trio_agent.routes.discovery import discover
from trio_agent.routes.plugin import Plugin

TOOL = "from trio_agent import tool\n@tool({})\ndef x() -> str: ...\n"
FILES = {
    "cli/a.py": "from trio_agent import command\n@command()\ndef a() -> str: ...\n",
    "cli/broken.py": "x = (",
    "mcp/s/tools/x.py": TOOL.format("input_schema={'type': 'object'}"),
    "mcp/s/tools/y.py": TOOL.format("title='Y'"),
    "mcp/s/layout.py": "from trio_agent import layout\n@layout()\ndef x(children): ...\n",
    "providers/p.py": "from trio_agent import provider\n@provider\ndef p(): ...\n",
    "events/stop.py": "from trio_agent import event\n@event()\ndef x() -> None: ...\n",
}


def digest(root: Path, files: dict[str, str]) -> str:
    for file, text in files.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text, encoding="utf-8")
    return discover(Plugin(name=root.name, root=root, origin="folder")).digest


@given(
    files=st.sets(st.sampled_from([*FILES]), min_size=1),
    folder=st.sampled_from(["a", "b/curator", "c d/x"]),
    blank=st.sampled_from(["", "\n", "# a comment\n"]),
)
def test_moving_the_checkout_or_its_lines_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, files: set[str], folder: str, blank: str
) -> None:
    chosen = {file: FILES[file] for file in sorted(files)}
    first = digest(tmp_path_factory.mktemp("x") / "curator", chosen)
    moved = {file: blank + text for file, text in reversed(chosen.items())}
    assert digest(tmp_path_factory.mktemp("y") / folder, moved) == first
    assert len(first) == 64


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("mcp/s/tools/z.py", TOOL.format("")),
        ("mcp/s/tools/y.py", TOOL.format("title='Z'")),
        ("mcp/s/tools/x.py", TOOL.format("input_schema={'type': 'object', 'x': 1}")),
        ("providers/q.py", FILES["providers/p.py"]),
        ("cli/broken.py", FILES["cli/a.py"]),
        ("layout.py", FILES["mcp/s/layout.py"]),
        ("plugin.toml", "[servers.far]\nurl = 'http://x'\n"),
    ],
)
def test_what_the_graph_says_counts(tmp_path: Path, file: str, text: str) -> None:
    before = digest(tmp_path, FILES)
    assert digest(tmp_path, FILES) == before
    assert digest(tmp_path, {file: text}) != before
