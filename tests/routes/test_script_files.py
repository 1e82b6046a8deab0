"""What lies below `scripts/`, and how each is started."""

import ast
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tests.routes.conftest import Workshop
from trio_agent.routes.discovery import discover
from trio_agent.routes.graph import RouteGraph
from trio_agent.routes.plugin import Plugin
from trio_agent.routes.script_files import describe_shell, find_main

RENDERED = """
from trio_agent import script

@script(title="x")
async def handle() -> None: ...

1 / 0
"""
CALLED = '"""Clean up.\n\nMore."""\n\ndef main(argv): ...\n'


def found(workshop: Workshop, files: dict[str, str]) -> RouteGraph:
    return discover(workshop.write("curator_t", files))


def told(graph: RouteGraph) -> list[tuple[str, str]]:
    return [(found.file, found.code) for found in graph.diagnostics]


def test_each_form_is_known_without_importing(workshop: Workshop) -> None:
    graph = found(
        workshop,
        {
            "scripts/d.sh": "#!/bin/sh\n# Say hello.\necho hello\n",
            "scripts/clean_up.py": RENDERED,
            "scripts/a.py": CALLED,
            "scripts/b.py": "1 / 0\n",
            "scripts/c.bash": "",
            "scripts/README.md": "",
            "scripts/_library.py": "",
            "scripts/.hidden.sh": "",
        },
    )

    assert told(graph) == []
    assert [(one.id, one.script, one.handler, one.line) for one in graph.scripts] == [
        ("script:a", "plain", "main", 5),
        ("script:b", "plain", None, 1),
        ("script:c", "shell", None, 1),
        ("script:clean-up", "rendered", "handle", 5),
        ("script:d", "shell", None, 1),
    ]
    assert [one.description for one in graph.scripts] == [
        "Clean up.",
        None,
        None,
        None,
        "Say hello.",
    ]
    assert [one.module for one in graph.scripts] == [
        "curator_t.scripts.a",
        "curator_t.scripts.b",
        "",
        "curator_t.scripts.clean_up",
        "",
    ]
    record = graph.find_script("clean-up")
    assert record is graph.find_route("script:clean-up")
    assert record is not None
    assert (record.words, record.name, record.title) == (("clean-up",), "clean-up", "x")
    assert graph.find_script("clean_up") is None


def test_a_script_that_lies_too_deep_is_an_error(workshop: Workshop) -> None:
    graph = found(
        workshop, {"scripts/a/b.py": RENDERED, "scripts/c/d.sh": "", "scripts/e/f.txt": ""}
    )

    assert graph.scripts == ()
    assert told(graph) == [("scripts/a/b.py", "TA4808"), ("scripts/c/d.sh", "TA4808")]
    assert graph.diagnostics[0].severity == "error"
    assert "is no script: each is a file right below scripts/; move it" in str(graph.diagnostics[0])


def test_mistakes_of_scripts(workshop: Workshop) -> None:
    graph = found(
        workshop,
        {
            "scripts/a.py": RENDERED,
            "scripts/a/__init__.py": "",
            "scripts/a/x.sh": "",
            "scripts/b.py": "1 +",
            "scripts/c d.py": RENDERED,
            "scripts/e-f.sh": "",
            "scripts/g.py": RENDERED.replace("script", "command"),
            "scripts/_private/x.py": RENDERED,
        },
    )

    assert [(one.name, one.script) for one in graph.scripts] == [
        ("a", "rendered"),
        ("b", None),
        ("g", None),
    ]
    assert told(graph) == [
        ("scripts/a.py", "TA4802"),
        ("scripts/a/x.sh", "TA4808"),
        ("scripts/b.py", "TA4815"),
        ("scripts/c d.py", "TA4803"),
        ("scripts/e-f.sh", "TA4803"),
        ("scripts/g.py", "TA4815"),
    ]


def test_files_of_one_name_are_one_script_that_is_in_error(workshop: Workshop) -> None:
    graph = found(workshop, {"scripts/x.py": "", "scripts/x.sh": "", "scripts/x.bash": ""})

    (record,) = graph.scripts
    assert record.path == "scripts/x.py"
    assert [one.message for one in graph.errors_of(record)] == [
        "is a script, and scripts/x.sh has its name: rename one of them",
        "is a script, and scripts/x.bash has its name: rename one of them",
    ]
    assert {one.code for one in graph.diagnostics} == {"TA4802"}


def test_a_shell_script_that_is_no_file_of_its_own_is_left_out(workshop: Workshop) -> None:
    plugin = workshop.write("curator_t", {"scripts/a.sh": ""})
    (plugin.root / "scripts" / "b.sh").symlink_to(plugin.root / "scripts" / "a.sh")

    assert [one.name for one in discover(plugin).scripts] == ["a"]


@pytest.mark.parametrize("name", ["x.py", "x.sh"])
@pytest.mark.parametrize(
    "text", ["# Other words.\n", '"""Other words."""\ndef main(): ...\n', RENDERED]
)
def test_what_a_script_says_counts_in_the_digest(tmp_path: Path, name: str, text: str) -> None:
    plugin = Plugin(name="curator", root=tmp_path, origin="folder")
    before = discover(plugin).digest
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / name).write_text("", encoding="utf-8")
    empty = discover(plugin).digest
    (tmp_path / "scripts" / name).write_text(f"\n{text}", encoding="utf-8")

    assert before != empty
    assert (discover(plugin).digest == empty) is (name == "x.py" and text.startswith("#")) or (
        name == "x.sh" and not text.startswith("#")
    )


# ------------------------------------------------------------------------------ main

MAIN = "def main(): ...\n"
GUARD = "if __name__ == '__main__':\n    main()\n"


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        (MAIN, True),
        ("async def main(): ...\n", True),
        (MAIN + GUARD, True),
        (MAIN + "if '__main__' == __name__:\n    sys.exit(main())\n", True),
        (MAIN + "print(name)\nx = f(1)\n", True),
        (MAIN + "def other():\n    main()\n", True),
        (MAIN + "class A:\n    x = main()\n", True),
        (MAIN + "main()\n", False),
        (MAIN + "sys.exit(main())\n", False),
        (MAIN + "raise SystemExit(main())\n", False),
        (MAIN + "trio.run(main)\n", False),
        (MAIN + "code = main()\n", False),
        (MAIN + "try:\n    main()\nfinally:\n    pass\n", False),
        (MAIN + "if sys.argv:\n    main()\n", False),
        ("from elsewhere import main\n", False),
        ("main = 1\n", False),
        ("class main: ...\n", False),
        ("if x:\n    def main(): ...\n", False),
        (GUARD, False),
        ("", False),
    ],
)
def test_main_is_left_to_others_if_the_module_does_not_call_it(text: str, is_found: bool) -> None:
    assert (find_main(ast.parse(text)) is not None) is is_found


def test_of_several_functions_main_the_last_is_meant() -> None:
    main = find_main(ast.parse(MAIN + MAIN))
    assert main is not None
    assert main.lineno == 2


@given(
    statements=st.lists(
        st.sampled_from([MAIN, GUARD, "main()\n", "x = 1\n", "import main\n", "f(main, 2)\n"])
    )
)
def test_a_module_is_started_in_exactly_one_way(statements: list[str]) -> None:
    """It is called when it has `main` and nothing runs it on import; otherwise it is run."""
    main = find_main(ast.parse("".join(statements)))
    runs_itself = "main()\n" in statements or "f(main, 2)\n" in statements
    assert (main is not None) is (MAIN in statements and not runs_itself)


# ------------------------------------------------------------------------------ comments


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"", None),
        (b"#!/bin/sh\n", None),
        (b"#!/bin/sh\necho x\n# no\n", None),
        (b"#!/bin/sh\n#\n# Say it.\n# Twice.\n#\n# More.\necho\n", "Say it. Twice."),
        (b"\n\n## Say it.\n\n# More.\n", "Say it."),
        (b"# \xff\n", "\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_a_shell_script_is_described_by_its_first_comment(
    source: bytes, expected: str | None
) -> None:
    assert describe_shell(source) == expected


@given(source=st.binary())
def test_any_shell_script_can_be_described(source: bytes) -> None:
    described = describe_shell(source)
    assert described is None or described.strip()
