"""One look at a plugin: reads files by their place, and collects what is wrong with them.

It knows folders, modules and names; what a module in a folder becomes is decided by `discovery`
and `servers`.  Below: `walk`, `static`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import attrs

from trio_agent.routes.diagnostic import Diagnostic
from trio_agent.routes.folders import is_segment
from trio_agent.routes.manifest import find_place
from trio_agent.routes.plugin import MANIFEST_NAME
from trio_agent.routes.record import LayoutRecord
from trio_agent.routes.static import read_route
from trio_agent.routes.walk import (
    holds_modules,
    is_own_file,
    is_own_folder,
    list_folder,
    misnamed,
    read_file,
    walk_modules,
)
from trio_agent.shown import shown

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from trio_agent.routes.diagnostic import DiagnosticCode, Severity
    from trio_agent.routes.facts import DecoratorName
    from trio_agent.routes.manifest import Manifest
    from trio_agent.routes.places import Path
    from trio_agent.routes.plugin import Plugin
    from trio_agent.routes.static import StaticRoute


@final
@attrs.frozen
class Search:
    """Where it looks, and what it complained about so far."""

    plugin: Plugin
    manifest: Manifest
    diagnostics: list[Diagnostic] = attrs.field(factory=list[Diagnostic])

    __repr__ = shown

    def complain(
        self,
        code: DiagnosticCode,
        file: str,
        message: str,
        *,
        severity: Severity = "error",
        line: int = 1,
    ) -> None:
        """Note what is wrong with a file."""
        self.diagnostics.append(
            Diagnostic(code=code, severity=severity, file=file, line=line, message=message)
        )

    def complain_of_manifest(
        self, code: DiagnosticCode, path: Path, message: str, subject: str | None = None
    ) -> None:
        """Note what is wrong with a value of `plugin.toml` where it meets the folders."""
        line, column = find_place(self.plugin, path)
        self.diagnostics.append(
            Diagnostic(
                code=code,
                file=MANIFEST_NAME,
                line=line,
                column=column,
                message=message,
                subject=subject,
            )
        )

    def is_claimed(self, file: str) -> bool:
        """Whether `plugin.toml` uses the file for something else than its place says."""
        return any(one.entry == file for one in self.manifest.servers.values())

    def path(self, file: str) -> pathlib.Path:
        """Where a file of the plugin is."""
        return self.plugin.root / file

    def module_name(self, file: str) -> str:
        """`curator.cli.audit` for `cli/audit.py`."""
        return ".".join((self.plugin.name, *file.removesuffix(".py").split("/")))

    def has_file(self, file: str) -> bool:
        """Whether there is such a regular file."""
        return is_own_file(self.path(file))

    def entries(self, folder: str) -> list[tuple[str, bool]]:
        """The public entries of a folder and whether they are folders; none without it."""
        path = self.path(folder)
        return list_folder(path) if is_own_folder(path) else []

    def nested_modules(self, folder: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Every module below a folder with the parts of its name, however deep.

        A name that cannot be one is complained about and left out.
        """
        root = self.path(folder)
        if not is_own_folder(root):
            return
        for path in walk_modules(root):
            inner = path.relative_to(root).with_suffix("").parts
            file = path.relative_to(self.plugin.root).as_posix()
            wrong = next((part for part in inner if not is_segment(part)), None)
            if self.is_claimed(file):
                continue
            if wrong is None:
                yield file, inner
            else:
                self.diagnostics.append(misnamed(file, wrong))

    def direct_modules(
        self, folder: str, what: str, depth: Severity, suffix: str = ".py"
    ) -> Iterator[tuple[str, str]]:
        """Every module right below a folder, and its stem.

        Args:
            folder: relative to the plugin.
            what: what a module there is, for messages.
            depth: how bad it is that a module lies deeper.
            suffix: of the files.
        """
        entries = self.entries(folder)
        stems = {name.removesuffix(suffix) for name, is_folder in entries if not is_folder}
        for name, is_folder in entries:
            file = f"{folder}/{name}"
            if is_folder:
                if name not in stems:
                    self.complain_of_depth(file, folder, what, depth)
            elif not name.endswith(suffix) or self.is_claimed(file):
                continue
            elif is_segment(stem := name.removesuffix(suffix)):
                yield file, stem
            else:
                self.diagnostics.append(misnamed(file, name.removesuffix(suffix)))

    def complain_of_depth(
        self,
        inner: str,
        folder: str,
        what: str,
        severity: Severity,
        suffixes: str | tuple[str, ...] = ".py",
    ) -> None:
        """Complain if the folder *inner* holds what belongs right below *folder*."""
        deep = [
            path.relative_to(self.plugin.root).as_posix()
            for path in walk_modules(self.path(inner), suffixes)
        ]
        if deep:
            self.complain(
                "TA4808",
                deep[0],
                f"lies too deep and is no {what}: each is a file right below {folder}/; move it,"
                " or begin its folder's name with _ to keep it private",
                severity=severity,
            )

    def complain_of_package(self, file: str, code: DiagnosticCode, message: str) -> None:
        """Complain if a package stands in the way of the module *file*."""
        folder = file.removesuffix(".py")
        if holds_modules(self.path(folder)):
            self.complain(code, file, f"{file} {message.format(folder=folder)}")

    def read(self, file: str, *wanted: DecoratorName) -> StaticRoute | None:
        """What a module declares; what is wrong with it is noted."""
        static, found = read_route(read_file(self.path(file)), file, *wanted)
        self.diagnostics.extend(found)
        return static

    def read_place(self, file: str, *wanted: DecoratorName) -> tuple[str | None, int]:
        """The function that a module declares and its line; None and 1 without one."""
        static = self.read(file, *wanted)
        return (None, 1) if static is None else (static.handler, static.line)

    def read_layout(self, file: str, server: str | None) -> LayoutRecord | None:
        """The layout in that file; None without the file."""
        if not self.has_file(file):
            return None
        self.complain_of_package(
            file, "TA4831", "is a layout, and so is {folder}/ by its name: remove one of them"
        )
        handler, line = self.read_place(file, "layout")
        return LayoutRecord(
            server=server, path=file, module=self.module_name(file), handler=handler, line=line
        )
