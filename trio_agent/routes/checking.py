"""What only importing shows: modules that do not load, and schemas that say something else.

This runs the author's modules, one after another; nothing else of `inspect` does.  A module that
fails costs nothing but its own diagnostic.  Below: `application`, `comparison`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, TypeAlias

from trio_agent.protocol.schema.issues import DeclarationError
from trio_agent.routes.comparison import compare
from trio_agent.routes.diagnostic import Diagnostic
from trio_agent.routes.importing import import_module, unload
from trio_agent.routes.plugin import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from attrs import AttrsInstance

    from trio_agent.routes.application import PluginApplication
    from trio_agent.routes.handler import Handled
    from trio_agent.routes.record import (
        LayoutRecord,
        ProjectionRecord,
        ProviderRecord,
        RouteKind,
        RouteRecord,
    )
    from trio_agent.routes.tool_commands import ToolCommand

Fits: TypeAlias = "Callable[[type[AttrsInstance], ToolCommand], object]"

_MOST_DIFFERENCES: Final = 20
"""Of one schema; whoever has more has written another schema."""


def check(
    application: PluginApplication,
    fits: Fits | None = None,
    refusal: Callable[[Handled], str | None] | None = None,
) -> Iterator[Diagnostic]:
    """Import what can be imported, and say what is wrong with it.

    The plugin's modules are forgotten again in the end.

    Args:
        application: the plugin.
        fits: raises `DeclarationError` when a tool with a projection has no command line; asked
            for by whoever knows what a command line is.
        refusal: why the input of a command has no form on a command line; None when it has.

    Raises:
        PluginError: `plugin.toml` has a mistake.
    """
    loaders: Mapping[RouteKind, Callable[[RouteRecord], Handled]] = {
        "cli": application.load,
        "script": application.load_script,
        "tool": application.load_tool,
        "resource": application.load_resource,
        "prompt": application.load_prompt,
    }
    graph = application.graph
    try:
        for record in graph.routes:
            load = loaders.get(record.kind)
            # A script that is no route is a program: importing it might already run it.
            is_program = record.script in {"plain", "shell"}
            if load is not None and not is_program and not graph.errors_of(record):
                yield from _check_route(application, record, load, refusal)
        yield from _check_projections(application, fits)
        for layout in graph.layouts:
            if not graph.errors_of(layout):
                yield from _check_layout(application, layout)
        for provider in graph.providers:
            if not graph.errors_of(provider):
                yield from _check_provider(application, provider)
    finally:
        unload(application.plugin)


def _check_route(
    application: PluginApplication,
    record: RouteRecord,
    load: Callable[[RouteRecord], Handled],
    refusal: Callable[[Handled], str | None] | None,
) -> Iterator[Diagnostic]:
    try:
        route = load(record)
    except PluginError as error:
        yield _unusable(application, record, error)
        return
    message = refusal(route) if record.kind == "cli" and refusal is not None else None
    if message is not None:
        yield Diagnostic(code="TA4814", file=record.path, line=record.line, message=message)
    if record.input_schema is None:
        return
    # lazy: only who has written a schema needs one to compare it with.
    from trio_agent.protocol.schema.json_schema import input_schema  # noqa: PLC0415

    differences = [*compare(record.input_schema, input_schema(route.signature.input_type))]
    for difference in differences[:_MOST_DIFFERENCES]:
        yield Diagnostic(
            code="TA4849",
            severity="error" if difference.is_shape else "warning",
            file=record.path,
            line=record.line,
            message=f"input_schema= and the types differ: {difference.path} {difference.message}",
        )


def _check_projections(application: PluginApplication, fits: Fits | None) -> Iterator[Diagnostic]:
    graph = application.graph
    for command in graph.tool_commands:
        projection, tool = command.projection, command.tool
        if projection is None or graph.errors_of(projection) or graph.errors_of(tool):
            # Nothing can be held against a tool that is broken itself.
            continue
        yield from _check_projection(application, tool, projection, fits)


def _check_projection(
    application: PluginApplication, tool: RouteRecord, record: ProjectionRecord, fits: Fits | None
) -> Iterator[Diagnostic]:
    try:
        made = application.load_projection(record)
    except PluginError as error:
        yield _unusable(application, record, error)
        return
    try:
        input_type = application.load_tool(tool).signature.input_type
    except PluginError:
        # That has been told of the tool.
        return
    faults = [*made.faults(input_type)]
    if fits is not None and not faults:
        try:
            fits(input_type, made)
        except DeclarationError as error:
            faults.append(error.message)
    for fault in faults:
        yield Diagnostic(code="TA4845", file=record.path, line=record.line, message=fault)


def _check_layout(application: PluginApplication, record: LayoutRecord) -> Iterator[Diagnostic]:
    # What is wrong with its function, a route says as soon as it is rendered inside.
    try:
        import_module(application.plugin, record.module)
    except PluginError as error:
        yield _unusable(application, record, error)


def _check_provider(application: PluginApplication, record: ProviderRecord) -> Iterator[Diagnostic]:
    try:
        application.load_provider(record)
    except PluginError as error:
        yield _unusable(application, record, error)


def _unusable(
    application: PluginApplication,
    record: RouteRecord | LayoutRecord | ProviderRecord | ProjectionRecord,
    error: PluginError,
) -> Diagnostic:
    # The diagnostic says the place itself, relative to the plugin.
    message = error.message.replace(f"{application.plugin.root}{os.sep}", "")
    return Diagnostic(
        code="TA4848",
        file=record.path,
        line=record.line,
        message=message.removeprefix(f"{record.path}:{record.line}: "),
    )
