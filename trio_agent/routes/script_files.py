"""Finding scripts: what lies right below `scripts/`, and how each is started.

    rendered   a module that declares `@script`: its document is rendered
    plain      any other module: it is a program of its own, which is left alone
    shell      `.sh` and `.bash`

A plain module is imported and its `main` is called, if it defines one at its top level and does
not call it there itself; otherwise it is run from its first line to its last.  `if __name__ ==
"__main__":` is for whoever starts the file by hand, and does not count.

Nothing is imported.  Below: `search`, `static`, `source`.  Above: `discovery`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

import attrs

from trio_agent.routes.decorated import first_paragraph
from trio_agent.routes.folders import is_segment
from trio_agent.routes.record import RouteRecord
from trio_agent.routes.source import (
    FunctionStatement,
    SourceReader,
    declarations,
    parse_module,
)
from trio_agent.routes.static import read_declaration, state
from trio_agent.routes.walk import misnamed, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trio_agent.routes.search import Search

FOLDER: Final = "scripts"
SHELLS: Final = (".sh", ".bash")
SUFFIXES: Final = (".py", *SHELLS)

_DEFINES: Final = (FunctionStatement, ast.ClassDef, ast.Import, ast.ImportFrom)


def find_scripts(search: Search) -> tuple[RouteRecord, ...]:
    """Every script of a plugin, by its word; what is wrong with them is noted."""
    files: dict[str, list[str]] = {}
    for file, stem in _files(search):
        files.setdefault(stem, []).append(file)
    for name, is_folder in search.entries(FOLDER):
        if is_folder:
            _check_folder(search, name, files.get(name, ()))
    records = (_record(search, stem, files[stem]) for stem in files)
    return tuple(sorted(records, key=lambda record: record.words))


def _files(search: Search) -> Iterator[tuple[str, str]]:
    """The files that are scripts, a module before others of its name, and their stems."""
    names = [name for name, is_folder in search.entries(FOLDER) if not is_folder]
    for suffix in SUFFIXES:
        for name in names:
            file, stem = f"{FOLDER}/{name}", name.removesuffix(suffix)
            if not name.endswith(suffix) or search.is_claimed(file):
                continue
            if is_segment(stem):
                yield file, stem
            else:
                search.diagnostics.append(misnamed(file, stem))


def _check_folder(search: Search, name: str, files: Sequence[str]) -> None:
    module = f"{FOLDER}/{name}.py"
    has_module = module in files
    if has_module:
        search.complain_of_package(
            module, "TA4802", "is a script, and {folder}/ has its name: rename one of them"
        )
    suffixes = SHELLS if has_module else SUFFIXES
    search.complain_of_depth(f"{FOLDER}/{name}", FOLDER, "script", "error", suffixes)


def _record(search: Search, stem: str, files: Sequence[str]) -> RouteRecord:
    file, *others = files
    for other in others:
        search.complain(
            "TA4802", file, f"is a script, and {other} has its name: rename one of them"
        )
    word = stem.replace("_", "-")
    record = RouteRecord(id=f"script:{word}", kind="script", words=(word,), path=file, module="")
    source = read_file(search.path(file))
    if file.endswith(SHELLS):
        return attrs.evolve(record, script="shell", description=describe_shell(source))
    reader = SourceReader(file, source, ("script",))
    record = _read_module(attrs.evolve(record, module=search.module_name(file)), reader)
    search.diagnostics.extend(reader.found)
    return record


def _read_module(record: RouteRecord, reader: SourceReader) -> RouteRecord:
    tree = parse_module(reader)
    if tree is None:
        return record
    if declarations(tree):
        static = read_declaration(tree, reader)
        return record if static is None else attrs.evolve(state(record, static), script="rendered")
    main = find_main(tree)
    return attrs.evolve(
        record,
        script="plain",
        handler=None if main is None else main.name,
        line=1 if main is None else main.lineno,
        description=first_paragraph(ast.get_docstring(tree)),
    )


def find_main(tree: ast.Module) -> FunctionStatement | None:
    """The function `main` that is left to others to call; None without one."""
    main: FunctionStatement | None = None
    for statement in tree.body:
        if isinstance(statement, FunctionStatement) and statement.name == "main":
            main = statement
        elif _calls_main(statement):
            return None
    return main


def _calls_main(statement: ast.stmt) -> bool:
    """Whether it calls `main`, or hands it to something that will, when the module is run."""
    if isinstance(statement, _DEFINES) or _is_guard(statement):
        return False
    calls = (part for part in ast.walk(statement) if isinstance(part, ast.Call))
    return any(_mentions(call, "main") for call in calls)


def _is_guard(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and _mentions(statement.test, "__name__")


def _mentions(expression: ast.expr, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(expression))


def describe_shell(source: bytes) -> str | None:
    """The first paragraph of the comment that a shell script begins with, after its `#!`."""
    told: list[str] = []
    for line in source.decode("utf-8", "replace").splitlines():
        words = line.strip()
        if words.startswith("#!") or not (words or told):
            continue
        if not words.startswith("#"):
            break
        told.append(words.lstrip("#"))
    return first_paragraph("\n".join(told))
