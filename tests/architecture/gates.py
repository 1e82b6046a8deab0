"""The rules of the repository that no linter knows, as plain functions over a folder.

Every gate takes the root of a tree and returns complaints, one sentence each; no complaint means
that the rule holds. Nothing here imports the code it judges: text and `ast` are enough, so a gate
also works on a tree that cannot be imported. `test_repository` runs the gates on this repository,
`test_gates` shows for each of them a tree that it refuses.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import attrs

PACKAGES = ("actors", "trio_agent")
TESTS = ("tests", "fuzz")
OTHERS = ("examples", "benchmarks", "docs")

CODE_LINES = 350
TEST_LINES = 600
SILENT_LINES = 30
"""A module may go without a docstring up to here."""

_TEXT = {".cfg", ".ini", ".json", ".md", ".py", ".toml", ".txt", ".yml"}
_BUILD_MACHINE = re.compile(r"(?<![\w.~$}])/(?:home|Users)/(?!x/|user/|you/|me/)\w+/")
_UNNUMBERED = re.compile(r"\b(?:TO" + r"DO(?!\(#\d+\))|FIX" + r"ME|XX" + r"X)\b")
_TABLE_CELL = re.compile(r"^\|\s*`([^`]+)`\s*\|", re.MULTILINE)
_DIRECTIVE = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)


@attrs.frozen
class Module:
    """One Python file: its dotted name, its text and its tree."""

    path: Path
    name: str
    text: str
    tree: ast.Module


def modules(root: Path, *folders: str) -> Iterator[Module]:
    """The modules below the folders, in the order of their paths."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            text = path.read_text(encoding="utf-8")
            yield Module(path.relative_to(root), name, text, ast.parse(text))


# ---------------------------------------------------------------------------------- shape


def oversized_files(root: Path) -> list[str]:
    """A file that does not fit in a head is two files."""
    walls = dict.fromkeys((*PACKAGES, "examples", "benchmarks"), CODE_LINES)
    walls |= dict.fromkeys(TESTS, TEST_LINES)
    return [
        f"{module.path} has {lines} lines, the wall is {wall}"
        for folder, wall in walls.items()
        for module in modules(root, folder)
        if (lines := len(module.text.splitlines())) > wall
    ]


def silent_modules(root: Path) -> list[str]:
    """A module longer than a screen says what it is."""
    return [
        f"{module.path} has no docstring"
        for module in modules(root, *PACKAGES)
        if len(module.text.splitlines()) > SILENT_LINES and not ast.get_docstring(module.tree)
    ]


def compiled_reprs(root: Path) -> list[str]:
    """attrs compiles a `__repr__` for a class without one, and whoever imports it waits for that."""
    return [
        f"{module.path}:{node.lineno} `{node.name}` has no `__repr__ = shown`"
        for module in modules(root, "trio_agent")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(one).startswith("attrs.") for one in node.decorator_list)
        and not any(_defines(statement, "__repr__") for statement in node.body)
    ]


def _defines(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.FunctionDef(name=found) | ast.Assign(targets=[ast.Name(id=found)]):
            return found == name
        case _:
            return False


# ---------------------------------------------------------------------------------- arrows


def _imported(statement: ast.stmt, known: frozenset[str]) -> Iterator[str]:
    if isinstance(statement, ast.Import):
        yield from (alias.name for alias in statement.names if alias.name in known)
    elif isinstance(statement, ast.ImportFrom) and statement.module is not None:
        for alias in statement.names:
            submodule = f"{statement.module}.{alias.name}"
            if submodule in known:
                yield submodule
            elif statement.module in known:
                yield statement.module


def import_cycles(root: Path) -> list[str]:
    """No module imports itself through others: not lazily, and not for types alone."""
    found = list(modules(root, *PACKAGES))
    known = frozenset(module.name for module in found)
    graph = {
        module.name: {
            name
            for node in ast.walk(module.tree)
            if isinstance(node, ast.stmt)
            for name in _imported(node, known)
        }
        for module in found
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [f"{' <- '.join(error.args[1])} is a cycle"]
    return []


def _marked_lazy(lines: list[str], number: int) -> bool:
    here = number - 1
    if re.search(r"# lazy: \S", lines[here]):
        return True
    above = here - 1
    while above >= 0 and lines[above].lstrip().startswith("#"):
        if re.match(r"\s*# lazy: \S", lines[above]):
            return True
        above -= 1
    # Imports that stand together share the reason above the first of them.
    return above >= 0 and "import " in lines[above] and _marked_lazy(lines, above + 1)


def text_without_encoding(root: Path) -> list[str]:
    """A child's output read as text says its encoding: warnings are errors, elsewhere than here."""
    return [
        f"{module.path}:{call.lineno} reads text=True without an encoding="
        for module in modules(root, *PACKAGES, *TESTS, *OTHERS)
        for call in ast.walk(module.tree)
        if isinstance(call, ast.Call)
        and "text=True" in (given := [ast.unparse(word) for word in call.keywords])
        and not any(word.startswith("encoding=") for word in given)
    ]


def hidden_imports(root: Path) -> list[str]:
    """An import inside a function says why: `# lazy: ` and the reason."""
    return [
        f"{module.path}:{inner.lineno} imports inside `{function.name}` without `# lazy: why`"
        for module in modules(root, *PACKAGES)
        for function in ast.walk(module.tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(function)
        if isinstance(inner, ast.Import | ast.ImportFrom)
        and not _marked_lazy(module.text.splitlines(), inner.lineno)
    ]


# ---------------------------------------------------------------------------------- names


def public_names(root: Path, package: str) -> dict[str, str]:
    """What a package exports, `from x import Y as Y`, and the modules it comes from."""
    tree = ast.parse((root / package / "__init__.py").read_text(encoding="utf-8"))
    return {
        alias.name: node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }


def undocumented_names(root: Path) -> list[str]:
    """What can be imported can be looked up: the reference has its name, or all of its module."""
    pages = sorted((root / "docs" / "reference").rglob("*.md"))
    shown = {name for page in pages for name in _DIRECTIVE.findall(page.read_text("utf-8"))}
    last_parts = {name.rpartition(".")[2] for name in shown}
    return [
        f"docs/reference has no `::: {package}.{name}`"
        for package in PACKAGES
        if (root / package / "__init__.py").exists()
        for name, module in sorted(public_names(root, package).items())
        if name not in last_parts and module not in shown
    ]


# ---------------------------------------------------------------------------------- errors


def undrawn_errors(root: Path) -> list[str]:
    """An error is in the tree that the docstring of its module draws."""
    complaints: list[str] = []
    for module in modules(root, *PACKAGES):
        if module.path.name != "errors.py":
            continue
        drawn = ast.get_docstring(module.tree) or ""
        complaints += [
            f"{module.path} does not draw {node.name}"
            for node in module.tree.body
            if isinstance(node, ast.ClassDef)
            and node.name.endswith("Error")
            and not re.search(rf"^[│├└─ ]*{node.name}\b", drawn, re.MULTILINE)
        ]
    return complaints


def literal_values(source: str, name: str) -> list[str]:
    """The strings of `name: TypeAlias = Literal[...]` (or without the annotation)."""
    for node in ast.parse(source).body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=found), value=ast.expr() as value):
                pass
            case ast.Assign(targets=[ast.Name(id=found)], value=value):
                pass
            case _:
                continue
        if found == name:
            constants = [part for part in ast.walk(value) if isinstance(part, ast.Constant)]
            return [part.value for part in constants if isinstance(part.value, str)]
    return []


def class_defaults(source: str, name: str) -> dict[str, str]:
    """Annotated attributes of a class and the source of their defaults, `10000` for `10_000`."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
            return {ast.unparse(part.target): _default(part.value) for part in fields}
    return {}


def _default(value: ast.expr | None) -> str:
    if isinstance(value, ast.Call):
        given = {keyword.arg: keyword.value for keyword in value.keywords}
        value = given.get("default")
    return "" if value is None else ast.unparse(value)


def table(markdown: str) -> list[str]:
    """The first cells, where they are code, of the tables of a page."""
    return _TABLE_CELL.findall(markdown)


def code_table_differences(root: Path) -> list[str]:
    """The closed list of codes and the table of the reference are one list."""
    source = (root / "trio_agent" / "errors.py").read_text(encoding="utf-8")
    page = (root / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
    codes, rows = literal_values(source, "ErrorCode"), table(page)
    return _differences(dict.fromkeys(codes, ""), dict.fromkeys(rows, ""), "errors.md")


def limit_table_differences(root: Path) -> list[str]:
    """The limits, their defaults included, and the table of the reference are one list."""
    source = (root / "trio_agent" / "limits.py").read_text(encoding="utf-8")
    page = (root / "docs" / "reference" / "limits.md").read_text(encoding="utf-8")
    row = re.compile(r"^\|\s*`(max_\w+)`\s*\|\s*([\d,.]+)", re.MULTILINE)
    rows = {name: default.replace(",", "") for name, default in row.findall(page)}
    return _differences(class_defaults(source, "Limits"), rows, "limits.md")


def _differences(code: Mapping[str, str], rows: Mapping[str, str], page: str) -> list[str]:
    return [
        *(f"{page} has no row for `{name}`" for name in code if name not in rows),
        *(f"{page} has a row for `{name}`, the code has not" for name in rows if name not in code),
        *(
            f"{page} says {rows[name]} for `{name}`, the code says {value}"
            for name, value in code.items()
            if name in rows and rows[name] != value
        ),
    ]


# ---------------------------------------------------------------------------------- words


def texts(root: Path) -> Iterator[tuple[Path, str]]:
    """The text files that belong to the project, whatever else lies about in a checkout."""
    folders = [root / name for name in (*PACKAGES, *TESTS, *OTHERS)]
    inside = (path for folder in folders for path in sorted(folder.rglob("*")))
    for path in (*sorted(root.glob("*")), *inside):
        # What npm installed for a benchmark is somebody else's.
        if "node_modules" not in path.parts and path.is_file() and path.suffix in _TEXT:
            yield path.relative_to(root), path.read_text(encoding="utf-8")


def forbidden_words(root: Path, machine: tuple[str, ...] = ()) -> list[str]:
    """No path of a build machine, and nothing left to do without the number of an issue.

    Args:
        root: the tree to judge.
        machine: absolute paths of this machine that must not appear anywhere.
    """
    return [
        f"{path}:{number} contains {word!r}"
        for path, text in texts(root)
        for number, line in enumerate(text.splitlines(), 1)
        for word in (
            *(path for path in machine if path in line),
            *_BUILD_MACHINE.findall(line),
            *_UNNUMBERED.findall(line),
        )
    ]


def silent_examples(root: Path) -> list[str]:
    """An example says what it shows and how to run it."""
    folders = (path for path in sorted((root / "examples").glob("*")) if path.is_dir())
    return [
        f"examples/{folder.name} has no README.md"
        for folder in folders
        if any(folder.rglob("*.py")) and not (folder / "README.md").is_file()
    ]
