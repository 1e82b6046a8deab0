"""Finding one command by its path says the same as looking at everything."""

import tempfile
from pathlib import Path

import attrs
from hypothesis import given, strategies as st

from tests.routes.conftest import Workshop
from trio_agent.routes.application import PluginApplication
from trio_agent.routes.discovery import discover, discover_command
from trio_agent.routes.manifest import Manifest, read_manifest
from trio_agent.routes.plugin import Plugin
from trio_agent.surfaces.cli.catalog import FoundCommand, find

ROUTE = """
from trio_agent import command

@command(description="Runs.", aliases=["other", "b"])
def run() -> str:
    return "done"
"""
TOOL = ROUTE.replace("command", "tool").replace(', aliases=["other", "b"]', "")
BROKEN = "def run(: pass"


def look_up(plugin: Plugin, *words: str) -> list[str] | None:
    graph = discover_command(plugin, read_manifest(plugin), words)
    return None if graph is None else [one.id for one in graph.commands]


def test_a_command_is_found_without_a_look_at_its_siblings(workshop: Workshop) -> None:
    plugin = workshop.write(
        "narrow_t",
        {
            "cli/audit.py": ROUTE,
            "cli/broken.py": BROKEN,
            "cli/db/clean_up.py": ROUTE,
            "layout.py": BROKEN,
            "providers/shelf.py": ROUTE.replace("@command", "@provider  #"),
        },
    )
    graph = discover_command(plugin, Manifest(name="x"), ["db", "clean-up", "x", "--json"])
    assert graph is not None
    assert [one.id for one in graph.commands] == ["cli:db/clean-up"]
    assert [one.path for one in graph.layouts] == ["layout.py"]
    assert [one.key for one in graph.providers] == ["shelf"]
    assert {one.file for one in graph.diagnostics} == {"layout.py", "providers/shelf.py"}


def test_what_no_path_tells_is_left_to_the_whole_graph(workshop: Workshop) -> None:
    plugin = workshop.write(
        "narrow_u", {"cli/audit.py": ROUTE, "cli/db/clean_up.py": ROUTE, "cli/_hidden.py": ROUTE}
    )
    assert look_up(plugin, "audit") == ["cli:audit"]
    for words in (
        [],
        ["db"],
        ["db", "--json"],
        ["other"],
        ["nothing"],
        ["db", "clean_up"],
        ["_hidden"],
        ["-hidden"],
        ["Audit"],
        ["audit", "--help"],
        ["audit", "-h"],
        ["../cli", "audit"],
        ["db/clean-up"],
        [""],
    ):
        assert look_up(plugin, *words) is None, words


def test_tools_that_are_commands_are_looked_at(workshop: Workshop) -> None:
    plugin = workshop.write("narrow_v", {"cli/audit.py": ROUTE, "mcp/shelf/tools/count.py": TOOL})
    assert look_up(plugin, "audit") == ["cli:audit"]
    workshop.write("narrow_v", {"mcp/shelf/tools/count_cli.py": TOOL})
    assert look_up(plugin, "audit") is None


def test_commands_by_the_table_are_looked_at(workshop: Workshop) -> None:
    files = {"cli/audit.py": ROUTE, "mcp/shelf/tools/count.py": TOOL}
    plugin = workshop.write("narrow_w", {**files, "plugin.toml": "[commands]\n"})
    assert look_up(plugin, "audit") is None


def test_a_module_that_serves_is_no_command(workshop: Workshop) -> None:
    toml = '[servers.x]\nmode = "custom"\nentry = "cli/audit.py"\n'
    plugin = workshop.write("narrow_x", {"cli/audit.py": ROUTE, "plugin.toml": toml})
    assert look_up(plugin, "audit") is None


def test_an_application_is_narrowed_to_what_the_words_begin_with(workshop: Workshop) -> None:
    plugin = workshop.write("narrow_y", {"cli/audit.py": ROUTE, "cli/other.py": ROUTE})
    whole = PluginApplication(plugin)
    assert [one.id for one in whole.narrowed(["audit"]).commands()] == ["cli:audit"]
    assert whole.narrowed(["nothing"]) is whole


NAMES = st.sampled_from(["a", "b", "a_b", "_p", "c d", "A", "x"])
FILES = st.dictionaries(
    st.lists(NAMES, min_size=1, max_size=3).map("/".join),
    st.sampled_from([ROUTE, BROKEN, "", ROUTE + ROUTE]),
    max_size=6,
)
WORDS = st.lists(st.sampled_from(["a", "b", "a-b", "a_b", "A", "x", "other", "--json"]), max_size=4)


@given(files=FILES, words=WORDS)
def test_one_command_is_what_the_whole_graph_says_it_is(
    files: dict[str, str], words: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "narrow_z"
        for name, text in files.items():
            file = root / "cli" / f"{name}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        root.mkdir(exist_ok=True)
        plugin = Plugin(name="narrow_z", root=root, origin="folder")
        part = discover_command(plugin, read_manifest(plugin), words)
        if part is None:
            return
        whole = discover(plugin)
    narrow, full = find(part.commands, words), find(whole.commands, words)
    assert isinstance(narrow, FoundCommand)
    assert isinstance(full, FoundCommand)
    assert narrow.argv == full.argv
    # Which aliases are free is known to the whole graph only.
    assert attrs.evolve(narrow.record, aliases=()) == attrs.evolve(full.record, aliases=())
    errors = [whole.errors_of(full.record), part.errors_of(narrow.record)]
    assert errors[0] == errors[1]
