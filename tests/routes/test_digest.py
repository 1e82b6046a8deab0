"""The digest of a graph: the same on every machine, another for another plugin."""

import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from trio_agent.routes.discovery import discover
from trio_agent.routes.examination import examine
from trio_agent.routes.plugin import Plugin
from trio_agent.surfaces.cli.inspect.page import inspection_json, inspection_page

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


FOLDERS = ["", "cli", "cli/a", "mcp", "mcp/a", "mcp/a/tools", "mcp/a/tools/x", "mcp/a/resources"]
FOLDERS += [
    "mcp/a/apps",
    "mcp/a-b/tools",
    "mcp/_p/tools",
    "scripts",
    "scripts/x",
    "events",
    "events/stop",
]
NAMES = [
    "x.py",
    "x_cli.py",
    "layout.py",
    "stop.py",
    "__init__.py",
    "a b.py",
    "ä.py",
    "x.html",
    ".x.py",
]
NAMES += ["failure.py", "state.py", "mcp.py", "x.PY", "import.py", "\udcff.py"]
TEXTS = [*FILES.values(), "", "1 +", "\0", "from trio_agent import tool\n@tool\ndef x(): ...\n"]
TEXTS += ["from trio_agent import resource\n@resource(uri='{', **x)\ndef x() -> str: ...\n"]


@given(
    files=st.dictionaries(
        st.tuples(st.sampled_from(FOLDERS), st.sampled_from(NAMES)),
        st.sampled_from(TEXTS),
        max_size=8,
    ),
    manifest=st.sampled_from(["", "[servers.a]\nurl = 'http://x'", "[servers.b]", "[commands]"]),
)
def test_any_plugin_is_examined_and_every_line_is_one(
    tmp_path_factory: pytest.TempPathFactory, files: dict[tuple[str, str], str], manifest: str
) -> None:
    root = tmp_path_factory.mktemp("x") / "curator"
    root.mkdir()
    (root / "plugin.toml").write_text(manifest, encoding="utf-8")
    for (folder, name), text in files.items():
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / name).write_text(text, encoding="utf-8")
    found = examine(Plugin(name="curator", root=root, origin="folder"))
    assert all(str(one).isprintable() or "\udcff" in str(one) for one in found.diagnostics)
    assert all(one.line > 0 and one.column > 0 for one in found.diagnostics)
    assert {*found.graph.diagnostics} <= {*found.diagnostics}
    assert len({record.id for record in found.graph.routes}) == len([*found.graph.routes]) or any(
        one.code == "TA4802" for one in found.diagnostics
    )
    assert inspection_page(found, 80).encode("utf-8", "surrogateescape")
    assert json.loads(inspection_json(found))["digest"] == found.graph.digest
