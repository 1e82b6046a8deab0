"""Finding a plugin's routes: a walk over its folders, and a look into each module.

    cli/audit_library.py     cli:audit-library     audit-library
    cli/db/clean_up.py       cli:db/clean-up       db clean-up

Rules of the walk: regular files only and no symbolic links, in the order of their names; what
begins with `_` or `.` is private; a folder is a group.  Rules of names: each part is a Python
identifier that begins and ends with a letter or a digit, and `_` is typed `-`.  The path is the
identity; the name of the function is not.

No module is imported.  A route in error stays in the graph beside its diagnostic.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final, TypeAlias, final

import attrs

from trio_agent.routes.plugin import PluginError
from trio_agent.routes.record import Diagnostic, RouteGraph, RouteKind, RouteRecord
from trio_agent.routes.static import read_route

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from trio_agent.routes.plugin import Plugin

FOLDERS: Final[dict[RouteKind, str]] = {"cli": "cli"}
"""The folder of each kind of route."""

_SEGMENT: Final = re.compile(r"[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?")

_Words: TypeAlias = tuple[str, ...]


def discover(plugin: Plugin) -> RouteGraph:
    """Find every route of *plugin*, and everything that is wrong with them.

    Raises:
        PluginError: a folder or a file of the plugin cannot be read.
    """
    diagnostics: list[Diagnostic] = []
    found = list(_find_routes(plugin, "cli", diagnostics))
    commands = _without_taken_aliases(found, diagnostics)
    return RouteGraph(
        plugin=plugin,
        commands=tuple(sorted(commands, key=lambda record: record.words)),
        diagnostics=tuple(
            sorted(diagnostics, key=lambda item: (item.file, item.line, item.column))
        ),
    )


def _find_routes(
    plugin: Plugin, kind: RouteKind, diagnostics: list[Diagnostic]
) -> Iterator[RouteRecord]:
    folder = plugin.root / FOLDERS[kind]
    if not _is_own_folder(folder):
        return
    for path in _walk(folder):
        inner = path.relative_to(folder).with_suffix("").parts
        file = path.relative_to(plugin.root).as_posix()
        wrong = next((part for part in inner if not _is_segment(part)), None)
        if wrong is not None:
            diagnostics.append(_misnamed(file, wrong))
            continue
        static, found = read_route(_read(path), file)
        diagnostics += found
        if _holds_modules(path.with_suffix("")):
            diagnostics.append(_command_and_group(file))
        words = tuple(part.replace("_", "-") for part in inner)
        record = RouteRecord(
            id=f"{kind}:{'/'.join(words)}",
            kind=kind,
            words=words,
            path=file,
            module=".".join((plugin.name, FOLDERS[kind], *inner)),
        )
        yield (
            record
            if static is None
            else attrs.evolve(record, **attrs.asdict(static, recurse=False))
        )


def _is_own_folder(folder: Path) -> bool:
    try:
        return folder.is_dir() and not folder.is_symlink()
    except OSError as error:
        raise PluginError(f"{folder}: cannot be listed: {error}") from error


def _walk(folder: Path) -> Iterator[Path]:
    """Every public module below *folder*, in the order of their names."""
    try:
        with os.scandir(folder) as entries:
            public = sorted(
                (entry for entry in entries if not entry.name.startswith(("_", "."))),
                key=lambda entry: entry.name,
            )
    except OSError as error:
        raise PluginError(f"{folder}: cannot be listed: {error}") from error
    for entry in public:
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(folder / entry.name)
        elif entry.is_file(follow_symlinks=False) and entry.name.endswith(".py"):
            yield folder / entry.name


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise PluginError(f"{path}: cannot be read: {error}") from error


def _is_segment(part: str) -> bool:
    return _SEGMENT.fullmatch(part) is not None and part.isidentifier()


def _misnamed(file: str, part: str) -> Diagnostic:
    fix = re.sub(r"\W+", "_", part, flags=re.ASCII).strip("_")
    advice = f"rename it to {fix}" if _is_segment(fix) else "rename it"
    return Diagnostic(
        code="TA4803",
        file=file,
        message=f"{part!r} cannot be a part of a route's name, which is a Python identifier of"
        f" ASCII letters, digits and inner _: {advice}, or begin it with _ to keep it private",
    )


def _holds_modules(folder: Path) -> bool:
    """Whether a package would stand in the way of the module of the same name."""
    return (
        folder.is_dir()
        and not folder.is_symlink()
        and ((folder / "__init__.py").exists() or any(_walk(folder)))
    )


def _command_and_group(file: str) -> Diagnostic:
    return Diagnostic(
        code="TA4813",
        file=file,
        message=f"{file} is a command and {file.removesuffix('.py')}/ a group of the same name:"
        " rename one of them",
    )


@final
class _Siblings:
    """What answers to which word, group by group."""

    def __init__(self, records: Iterable[RouteRecord]) -> None:
        self._names: Final = defaultdict[_Words, set[str]](set)
        self._claims: Final = defaultdict[_Words, list[str]](list)
        for record in records:
            for depth, word in enumerate(record.words):
                self._names[record.words[:depth]].add(word)
            for alias in record.aliases:
                self._claims[*record.words[:-1], alias].append(record.path)

    def refusal(self, record: RouteRecord, alias: str) -> str | None:
        """Why *record* may not have *alias*; None when it may."""
        group = record.words[:-1]
        claims = self._claims[*group, alias]
        if _SEGMENT.fullmatch(alias) is None:
            return "is not made of letters, digits and inner . _ -"
        if alias in self._names[group]:
            return "is the name of a command or group beside it"
        return f"is claimed more than once: {', '.join(claims)}" if len(claims) > 1 else None


def _without_taken_aliases(
    records: Sequence[RouteRecord], diagnostics: list[Diagnostic]
) -> list[RouteRecord]:
    """The commands with those aliases only that nothing beside them answers to."""
    siblings = _Siblings(records)
    kept: list[RouteRecord] = []
    for record in records:
        refusals = {alias: siblings.refusal(record, alias) for alias in record.aliases}
        diagnostics += [
            Diagnostic(
                code="TA4813",
                # The command still runs by its name; a neighbour must not be able to stop it.
                severity="warning",
                file=record.path,
                line=record.line,
                message=f"the alias {alias!r} {refusal}",
            )
            for alias, refusal in refusals.items()
            if refusal is not None
        ]
        free = tuple(alias for alias, refusal in refusals.items() if refusal is None)
        kept.append(attrs.evolve(record, aliases=free))
    return kept
