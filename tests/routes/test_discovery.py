"""Discovery: which files are routes, what they are called, what is said about the others."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tests.routes.conftest import Workshop
from trio_agent.routes.decorated import first_paragraph
from trio_agent.routes.diagnostic import Diagnostic
from trio_agent.routes.discovery import discover
from trio_agent.routes.graph import RouteGraph
from trio_agent.routes.manifest import Manifest
from trio_agent.routes.plugin import Plugin, PluginError
from trio_agent.routes.static import read_route
from trio_agent.routes.walk import is_own_file, read_file, walk_modules

ROUTE = """
from trio_agent import command

@command()
def run() -> str:
    return "done"
"""
EXPLODES = ROUTE + "raise SystemExit('imported')\n"


def with_options(options: str, extra: str = "") -> str:
    return f"from trio_agent import command\n@command({options})\ndef run() -> str: ...\n{extra}"


def names(graph: RouteGraph) -> list[str]:
    return [record.name for record in graph.commands]


def messages(graph: RouteGraph) -> list[str]:
    return [str(found) for found in graph.diagnostics]


def test_the_path_is_the_identity_and_nothing_is_imported(workshop: Workshop) -> None:
    plugin = workshop.write(
        "curator_t",
        {"cli/audit_library.py": EXPLODES, "cli/db/clean_up.py": EXPLODES, "__init__.py": "1/0"},
    )
    graph = discover(plugin)
    assert graph.plugin is plugin
    assert messages(graph) == []
    one, two = graph.commands
    assert (one.id, one.words, one.name) == (
        "cli:audit-library",
        ("audit-library",),
        "audit-library",
    )
    assert (one.kind, one.path) == ("cli", "cli/audit_library.py")
    assert (one.module, one.handler, one.line) == ("curator_t.cli.audit_library", "run", 5)
    assert (two.id, two.words, two.name) == ("cli:db/clean-up", ("db", "clean-up"), "db clean-up")
    assert two.module == "curator_t.cli.db.clean_up"


def test_private_hidden_and_foreign_files_are_not_routes(workshop: Workshop) -> None:
    files = [
        "cli/__init__.py",
        "cli/_shared.py",
        "cli/.hidden.py",
        "cli/_private/a.py",
        "cli/.git/a.py",
        "cli/__pycache__/a.py",
        "cli/notes.md",
        "cli/types.pyi",
        "library/a.py",
        "mcp/x/helpers/a.py",
        "a.py",
    ]
    graph = discover(
        workshop.write("curator_t", {"cli/a.py": ROUTE, **dict.fromkeys(files, ROUTE)})
    )
    assert (names(graph), messages(graph)) == (["a"], [])


def test_links_are_not_followed(workshop: Workshop) -> None:
    plugin = workshop.write("curator_t", {"cli/a.py": ROUTE, "other/b.py": ROUTE})
    (plugin.root / "cli" / "linked.py").symlink_to(plugin.root / "cli" / "a.py")
    (plugin.root / "cli" / "folder").symlink_to(plugin.root / "other")
    # A link of the command's name is no group either.
    (plugin.root / "cli" / "a").symlink_to(plugin.root / "other")
    graph = discover(plugin)
    assert (names(graph), messages(graph)) == (["a"], [])
    linked = workshop.write("linked_t").root
    (linked / "cli").symlink_to(plugin.root / "cli")
    assert discover(Plugin(name="linked_t", root=linked, origin="folder")).commands == ()


def test_a_plugin_without_commands_has_an_empty_graph(workshop: Workshop) -> None:
    plugin = workshop.write("curator_t", {"cli": ""})
    assert discover(plugin) == RouteGraph(plugin=plugin)


@pytest.mark.parametrize(
    ("file", "advice"),
    [
        ("cli/audit-library.py", "rename it to audit_library,"),
        ("cli/db.old/clean.py", "rename it to db_old,"),
        ("cli/1st.py", "rename it,"),
        ("cli/import_.py", "rename it to import,"),
        ("cli/prüfen.py", "rename it to pr_fen,"),
        ("cli/a b.py", "rename it to a_b,"),
    ],
)
def test_a_name_that_cannot_be_imported_is_a_diagnostic(
    workshop: Workshop, file: str, advice: str
) -> None:
    graph = discover(workshop.write("curator_t", {file: EXPLODES, "cli/good.py": ROUTE}))
    assert names(graph) == ["good"]
    (found,) = graph.diagnostics
    assert (found.code, found.severity, found.file) == ("TA4803", "error", file)
    assert advice in found.message


def test_a_command_beside_a_group_of_its_name_is_a_diagnostic(workshop: Workshop) -> None:
    plugin = workshop.write("curator_t", {"cli/db.py": ROUTE, "cli/db/sub/clean.py": ROUTE})
    graph = discover(plugin)
    assert names(graph) == ["db", "db sub clean"]
    (message,) = messages(graph)
    assert message == (
        "cli/db.py:1:1: TA4813 cli/db.py is a command and cli/db/ a group of the same name:"
        " rename one of them"
    )
    assert [bool(graph.errors_of(record)) for record in graph.commands] == [True, False]


def test_a_folder_of_data_is_no_group_and_an_empty_package_is(workshop: Workshop) -> None:
    data = discover(workshop.write("one_t", {"cli/db.py": ROUTE, "cli/db/rows.csv": ""}))
    assert messages(data) == []
    package = discover(workshop.write("two_t", {"cli/db.py": ROUTE, "cli/db/__init__.py": ""}))
    assert [found.code for found in package.diagnostics] == ["TA4813"]


# ------------------------------------------------------------------------------ metadata


def test_metadata_is_read_from_the_decorator(workshop: Workshop) -> None:
    text = '''
    import attrs as attr
    from trio_agent import Agent, command as route

    @attr.frozen
    class Receipt: ...

    @route(
        description="Audits "
        "a library.",
        title="Audit",
        aliases=["check", "scan"],
        exit_code="result",
        render={"max_elapsed_s": 120},
        thread=False,
        result=list[module.Receipt] | None,
    )
    async def anything(root: str) -> Agent.Node:
        """Not this."""
    '''
    (record,) = discover(workshop.write("curator_t", {"cli/audit.py": text})).commands
    assert (record.handler, record.line) == ("anything", 18)
    assert (record.description, record.title) == ("Audits a library.", "Audit")
    assert (record.aliases, record.exit_code) == (("check", "scan"), "result")
    assert record.result == "list[module.Receipt] | None"


def test_the_docstring_is_the_default_description(workshop: Workshop) -> None:
    text = '''
    import trio_agent

    @other
    @trio_agent.command(result=None)
    def run() -> str:
        """Audits a library,
        thoroughly.

        More.
        """
    '''
    (record,) = discover(workshop.write("curator_t", {"cli/audit.py": text})).commands
    assert (record.description, record.result) == ("Audits a library, thoroughly.", None)


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [(None, None), ("", None), ("  \n ", None), ("a", "a"), ("\n a \n  b\n\nc", "a b")],
)
def test_the_first_paragraph_is_one_line(docstring: str | None, expected: str | None) -> None:
    assert first_paragraph(docstring) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("title=f'x'", "2:16: TA4806 title is read without running the module: write a literal"),
        ("title=TITLE", "2:16: TA4806 title is read without running the module"),
        ("title='a' + 'b'", "2:16: TA4806 title is read without running the module"),
        ("title='ä', aliases=[X]", "2:29: TA4806 aliases is read without running the module"),
        ("render={[]: 1}", "2:17: TA4806 render is read without running the module"),
        ("**OPTIONS", "2:12: TA4806 ** hides arguments: write each by name"),
        ("result=make()", "2:17: TA4806 result is the name of a type, received make()"),
        ("result=A + B", "2:17: TA4806 result is the name of a type, received A + B"),
        ("result=3", "2:17: TA4806 result is the name of a type, received 3"),
        ("'audit'", "2:10: TA4805 arguments are given by name"),
        ("descripton='x'", "2:21: TA4805 descripton is no argument; there are description, title"),
        ("description=3", "2:22: TA4805 description is a string that is not blank, received 3"),
        ("description=' '", "2:22: TA4805 description is a string that is not blank"),
        ("aliases='x'", "2:18: TA4805 aliases is a list of strings, received 'x'"),
        ("aliases=[1]", "2:18: TA4805 aliases is a list of strings, received [1]"),
        ("exit_code=1", "2:20: TA4805 exit_code is 'result' or None, received 1"),
        ("exit_code=[]", "2:20: TA4805 exit_code is 'result' or None, received []"),
        ("render=60", "2:17: TA4805 render is an object of limits, received 60"),
        ("thread=0", "2:17: TA4805 thread is True or False, received 0"),
    ],
)
def test_an_argument_that_cannot_be_read_is_a_diagnostic_and_the_route_stays(
    workshop: Workshop, options: str, expected: str
) -> None:
    graph = discover(workshop.write("curator_t", {"cli/a.py": with_options(options)}))
    (record,) = graph.commands
    assert record.description is record.title is record.exit_code is record.result is None or (
        options.startswith("title='ä'")
    )
    assert record.aliases == ()
    (message,) = messages(graph)
    assert message.startswith(f"cli/a.py:{expected}")
    assert graph.errors_of(record) == graph.diagnostics


def test_a_long_expression_is_cut_in_a_message() -> None:
    source = with_options(f"title=make({'x' * 1000})").encode()
    _, (found,) = read_route(source, "a.py", "command")
    assert found.message.endswith("xxx...")
    assert len(found.message) < 200


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(:\n", "1:7: TA4815 is not Python: "),
        ("x = '\0'\n", "1:1: TA4815 is not Python: "),
        ("# -*- coding: nonsense -*-\n", "1:1: TA4815 is not Python: "),
        ("(" * 150 + "\n", "1:"),
        ("- " * 100_000 + "1\n", "1:1: TA4815 is not Python: "),
        ("def helper(): ...\n", "1:1: TA4815 declares no route: decorate one function"),
        ("from other import command\n@command()\ndef f() -> str: ...\n", "1:1: TA4815 declares no"),
        ("from .trio_agent import command\n@command()\ndef f() -> str: ...\n", "1:1: TA4815 decl"),
        (
            "import trio_agent\n@trio_agent.tool()\ndef f() -> str: ...\n",
            "2:2: TA4815 declares a tool, f, where a command belongs: decorate it with @command",
        ),
        ("import trio_agent\n@trio_agent.agent()\ndef f(): ...\n", "1:1: TA4815 declares no"),
        ("import trio_agent\n@(lambda f: f)\ndef f() -> str: ...\n", "1:1: TA4815 declares"),
        ("from trio_agent import command\nif 1:\n  @command()\n  def f() -> str: ...\n", "1:1: TA"),
        (
            ROUTE + ROUTE.replace("run", "two"),
            "11:1: TA4815 declares a second route, two, after run",
        ),
        (ROUTE.replace("()\n", "\n", 1), "4:2: TA4815 write @command(), with parentheses"),
        (ROUTE.replace("-> str", ""), "5:1: TA4815 run has no return annotation: write -> Node"),
    ],
)
def test_a_module_that_is_no_route_is_a_diagnostic_and_a_command_that_says_so(
    workshop: Workshop, text: str, expected: str
) -> None:
    plugin = workshop.write("curator_t", {"cli/b.py": ROUTE})
    (plugin.root / "cli" / "a.py").write_text(text, encoding="utf-8")
    graph = discover(plugin)
    assert names(graph) == ["a", "b"]
    is_one_route = "annotation" in expected or "parentheses" in expected
    assert graph.commands[0].handler == ("run" if is_one_route else None)
    assert messages(graph)[0].startswith(f"cli/a.py:{expected}")
    assert [bool(graph.errors_of(record)) for record in graph.commands] == [True, False]


def test_a_module_that_is_not_text_is_a_diagnostic(workshop: Workshop) -> None:
    plugin = workshop.write("curator_t", {"cli/a.py": ""})
    (plugin.root / "cli" / "a.py").write_bytes(b"x = '\xff'\n")
    (found,) = discover(plugin).diagnostics
    assert found.code == "TA4815"


@given(
    source=st.binary(max_size=80)
    | st.text(max_size=80).map(lambda text: text.encode("utf-8", "replace"))
)
def test_any_bytes_are_read_or_diagnosed(source: bytes) -> None:
    route, found = read_route(source, "a.py", "command")
    assert (route is None) == bool(found)
    assert all("\n" not in str(diagnostic) for diagnostic in found)


# ------------------------------------------------------------------------------ aliases


def test_a_command_is_found_by_its_name_and_by_its_aliases(workshop: Workshop) -> None:
    files = {"cli/db/clean_up.py": with_options("aliases=('clean',)"), "cli/audit.py": ROUTE}
    graph = discover(workshop.write("curator_t", files))
    audit, clean = graph.commands
    assert graph.find_command("audit") is audit
    assert graph.find_command("db clean-up") is graph.find_command("db clean") is clean
    for unknown in ("clean", "db", "db clean_up", "", "audit "):
        assert graph.find_command(unknown) is None


@pytest.mark.parametrize(
    ("alias", "reason"),
    [
        ("b", "is the name of a command or group beside it"),
        ("db", "is the name of a command or group beside it"),
        ("a", "is the name of a command or group beside it"),
        ("--x", "is not made of letters, digits and inner . _ -"),
        ("", "is not made of letters, digits and inner . _ -"),
        ("c d", "is not made of letters, digits and inner . _ -"),
    ],
)
def test_an_alias_that_is_taken_or_unsafe_is_a_diagnostic(
    workshop: Workshop, alias: str, reason: str
) -> None:
    files = {
        "cli/a.py": with_options(f"aliases=['free', {alias!r}]"),
        "cli/b.py": ROUTE,
        "cli/db/c.py": ROUTE,
    }
    graph = discover(workshop.write("curator_t", files))
    assert graph.commands[0].aliases == ("free",)
    assert messages(graph) == [f"cli/a.py:3:1: TA4813 the alias {alias!r} {reason}"]


def test_an_alias_that_two_claim_belongs_to_neither(workshop: Workshop) -> None:
    options = with_options("aliases=['x']")
    files = {"cli/a.py": options, "cli/b.py": options, "cli/db/a.py": options}
    graph = discover(workshop.write("curator_t", files))
    assert [record.aliases for record in graph.commands] == [(), (), ("x",)]
    assert [graph.errors_of(record) for record in graph.commands] == [(), (), ()]
    reason = "TA4813 the alias 'x' is claimed more than once: cli/a.py, cli/b.py"
    assert messages(graph) == [f"cli/a.py:3:1: {reason}", f"cli/b.py:3:1: {reason}"]


# ------------------------------------------------------------------------------ order, failures


@given(stems=st.sets(st.sampled_from(["a", "b", "a_b", "B", "a1", "db/a", "db/b", "db2/a"])))
def test_the_graph_does_not_depend_on_the_order_of_writing(
    tmp_path_factory: pytest.TempPathFactory, stems: set[str]
) -> None:
    graphs = []
    for order in (sorted(stems), sorted(stems, reverse=True)):
        root = tmp_path_factory.mktemp("x") / "curator_t"
        for stem in order:
            (root / "cli" / stem).parent.mkdir(parents=True, exist_ok=True)
            (root / "cli" / f"{stem}.py").write_text(ROUTE, encoding="utf-8")
        root.mkdir(exist_ok=True)
        graphs.append(discover(Plugin(name="curator_t", root=root, origin="folder")))
    assert graphs[0].commands == graphs[1].commands
    assert {record.path for record in graphs[0].commands} == {f"cli/{stem}.py" for stem in stems}
    assert [record.words for record in graphs[0].commands] == sorted(
        record.words for record in graphs[0].commands
    )


def test_what_cannot_be_read_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"cli: cannot be listed: "):
        [*walk_modules(tmp_path / "cli")]
    with pytest.raises(PluginError, match=r"a.py: cannot be read: "):
        read_file(tmp_path / "a.py")
    with pytest.raises(PluginError, match=r"x: cannot be read: "):
        is_own_file(tmp_path / ("x" * 300))
    # As a folder that may not be entered, which nobody can make for root.
    nameless = Plugin(name="x", root=tmp_path / ("x" * 300), origin="folder")
    with pytest.raises(PluginError, match=r"cli: cannot be listed: "):
        discover(nameless, Manifest(name="x"))


def test_a_diagnostic_shows_place_code_and_message() -> None:
    found = Diagnostic(code="TA4806", file="cli/a.py", line=3, column=9, message="is odd")
    assert str(found) == "cli/a.py:3:9: TA4806 is odd"
    assert Path(found.file).name == "a.py"
