"""A gate that cannot fail guards nothing: each one refuses a sample that breaks its rule."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.architecture import gates

LATER = "TO" + "DO"
"""Spelled in two parts, so that the gate does not refuse this file."""


def tree(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def lines(number: int) -> str:
    return "x = 1\n" * number


# ---------------------------------------------------------------------------------- shape


@pytest.mark.parametrize(
    ("file", "wall"), [("actors/a.py", 350), ("trio_agent/b/c.py", 350), ("tests/test_d.py", 600)]
)
def test_a_file_may_reach_the_wall_but_not_pass_it(tmp_path: Path, file: str, wall: int) -> None:
    assert gates.oversized_files(tree(tmp_path, {file: lines(wall)})) == []

    too_long = gates.oversized_files(tree(tmp_path, {file: lines(wall + 1)}))

    assert too_long == [f"{Path(file)} has {wall + 1} lines, the wall is {wall}"]


def test_a_long_module_needs_a_docstring(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            "actors/short.py": lines(30),
            "actors/told.py": '"""It talks."""\n' + lines(30),
            "trio_agent/silent.py": lines(31),
        },
    )

    assert gates.silent_modules(tmp_path) == [f"{Path('trio_agent/silent.py')} has no docstring"]


def test_an_attrs_class_brings_its_repr_along(tmp_path: Path) -> None:
    head = "import attrs\n@attrs.frozen(kw_only=True)\nclass "
    tree(
        tmp_path,
        {
            "actors/apart.py": f"{head}A:\n    x: int\n",
            "trio_agent/shared.py": f"{head}A:\n    x: int\n    __repr__ = shown\n",
            "trio_agent/own.py": f"{head}A:\n    def __repr__(self): ...\n",
            "trio_agent/plain.py": "class A:\n    x = 1\n",
            "trio_agent/late.py": f"{head}A:\n    repr = shown\n    def f(self): ...\n",
        },
    )

    assert gates.compiled_reprs(tmp_path) == [
        f"{Path('trio_agent/late.py')}:3 `A` has no `__repr__ = shown`"
    ]


# ---------------------------------------------------------------------------------- arrows


def test_a_cycle_is_found_even_if_one_arrow_is_lazy_and_one_for_types(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            "actors/__init__.py": "",
            "actors/a.py": "import actors.b\n",
            "actors/b.py": "def f():\n    from actors import c\n",
            "actors/c.py": "if TYPE_CHECKING:\n    from actors.a import X\n",
        },
    )

    (complaint,) = gates.import_cycles(tmp_path)

    assert complaint.endswith("is a cycle")
    assert all(name in complaint for name in ("actors.a", "actors.b", "actors.c"))


def test_a_submodule_imported_from_its_package_is_not_an_import_of_the_package(
    tmp_path: Path,
) -> None:
    tree(
        tmp_path,
        {
            "actors/__init__.py": "from actors.a import X as X\n",
            "actors/a.py": "from actors import b\nimport os\nfrom sys import path\n",
            "actors/b.py": "",
        },
    )

    assert gates.import_cycles(tmp_path) == []


@pytest.mark.parametrize(
    "body",
    [
        "import rich",
        "# because\n    import rich",
        "# lazy:\n    import rich",
        "# lazy: slow\n    pass\n    import rich",
    ],
)
def test_an_import_in_a_function_needs_a_reason(tmp_path: Path, body: str) -> None:
    tree(tmp_path, {"actors/a.py": f"async def f():\n    {body}\n"})

    (complaint,) = gates.hidden_imports(tmp_path)

    assert "imports inside `f`" in complaint


@pytest.mark.parametrize(
    "body",
    [
        "import rich  # lazy: slow",
        "# lazy: slow to import,\n    # and rarely needed\n    import rich",
        "# lazy: slow\n    import rich\n    from rich import box",
    ],
)
def test_an_import_in_a_function_may_be_lazy_with_a_reason(tmp_path: Path, body: str) -> None:
    tree(tmp_path, {"actors/a.py": f"import os\ndef f():\n    {body}\n"})

    assert gates.hidden_imports(tmp_path) == []


# ---------------------------------------------------------------------------------- names


def test_an_exported_name_needs_an_entry_in_the_reference(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            "actors/__init__.py": "from actors.a import X as X, Y as Y, z\nimport os\n",
            "trio_agent/__init__.py": "from trio_agent.errors import E as E\n",
            "docs/reference/actors.md": "X and Y\n\n::: actors.a.X\n\n::: trio_agent.errors\n",
        },
    )

    assert gates.undocumented_names(tmp_path) == ["docs/reference has no `::: actors.Y`"]


# ---------------------------------------------------------------------------------- errors


def test_an_error_must_be_drawn_as_an_entry_not_only_mentioned(tmp_path: Path) -> None:
    docstring = '"""Tree.\n\n    AError\n    └── BError   unlike CError\n"""\n'
    classes = "".join(f"class {name}Error(Exception): ...\n" for name in "ABC")
    tree(
        tmp_path,
        {
            "actors/errors.py": docstring + classes + "class Value: ...\nx = 1\n",
            "actors/link.py": "class LostError(Exception): ...\n",
        },
    )

    assert gates.undrawn_errors(tmp_path) == [f"{Path('actors/errors.py')} does not draw CError"]


def test_an_error_module_without_a_docstring_draws_nothing(tmp_path: Path) -> None:
    tree(tmp_path, {"trio_agent/errors.py": "class AError(Exception): ...\n"})

    assert len(gates.undrawn_errors(tmp_path)) == 1


def test_a_code_without_a_row_and_a_row_without_a_code_are_found(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            "trio_agent/errors.py": 'import x\nOther = 1\nErrorCode = Literal["one", "two"]\n',
            "docs/reference/errors.md": "| code | means |\n|---|---|\n| `two` | 2 |\n| `three` |\n",
        },
    )

    assert gates.code_table_differences(tmp_path) == [
        "errors.md has no row for `one`",
        "errors.md has a row for `three`, the code has not",
    ]


def test_a_limit_with_another_default_than_its_row_is_found(tmp_path: Path) -> None:
    source = (
        "class Limits:\n"
        "    max_a: int = 10_000\n"
        "    max_b: float = attrs.field(default=60.0, validator=v)\n"
        "    max_c: int = field(validator=v)\n"
        "    max_d: int\n"
        "    def f(self): ...\n"
    )
    rows = "| `max_a` | 10,000 |\n| `max_b` | 50.0 s |\n| `max_d` | 1 |\n"
    tree(tmp_path, {"trio_agent/limits.py": source, "docs/reference/limits.md": rows})

    assert gates.limit_table_differences(tmp_path) == [
        "limits.md has no row for `max_c`",
        "limits.md says 50.0 for `max_b`, the code says 60.0",
        "limits.md says 1 for `max_d`, the code says ",
    ]


def test_what_is_not_there_has_no_values() -> None:
    assert gates.literal_values("A: TypeAlias = Literal['x']\n", "B") == []
    assert gates.literal_values("A: TypeAlias = Literal['x', 1]\n", "A") == ["x"]
    assert gates.class_defaults("class A: ...\n", "B") == {}


# ---------------------------------------------------------------------------------- words


@pytest.mark.parametrize(
    "line",
    [
        "cd /home" + "/ada/src",
        '"/Users' + '/ada/x"',
        f"# {LATER}: later",
        f"# {LATER}(me) later",
        "# FIX" + "ME",
        "made in /srv/build/here",
    ],
)
@pytest.mark.parametrize("file", ["docs/a.md", "trio_agent/a.py", "tox.ini"])
def test_a_forbidden_word_is_found_anywhere(tmp_path: Path, file: str, line: str) -> None:
    tree(tmp_path, {file: f"fine\n{line}\n"})

    (complaint,) = gates.forbidden_words(tmp_path, ("/srv/build",))

    assert complaint.startswith(f"{Path(file)}:2 contains ")


@pytest.mark.parametrize(
    "line", [f"# {LATER}(#12): later", "https://x.org/home/ada/", "cd ~/home/ada/", "[/home/x]"]
)
def test_an_innocent_line_passes(tmp_path: Path, line: str) -> None:
    tree(tmp_path, {"docs/a.md": line, "docs/a.flight": LATER, "other/a.py": LATER})
    tree(tmp_path, {"benchmarks/react/node_modules/a/a.md": LATER})

    assert gates.forbidden_words(tmp_path, ("/srv/build",)) == []


def test_an_example_needs_a_readme(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            "examples/told/README.md": "how",
            "examples/told/cli/a.py": "",
            "examples/silent/cli/a.py": "",
            "examples/leftover/x.pyc": "",
            "examples/README.md": "",
        },
    )

    assert gates.silent_examples(tmp_path) == ["examples/silent has no README.md"]


def test_text_of_a_child_needs_an_encoding(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            "tests/test_silent.py": "run(a, text=True)\n",
            "tests/test_told.py": "run(a, text=True, encoding='utf-8')\nrun(a)\n",
        },
    )

    assert gates.text_without_encoding(tmp_path) == [
        "tests/test_silent.py:1 reads text=True without an encoding="
    ]
