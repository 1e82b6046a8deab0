"""Scripts that are programs of their own: started, and otherwise left alone.

    a shell script             this process becomes it
    a module with `main`       imported under its own name, then `main(argv, terminal)` is called
    any other module           run from its first line to its last, as `__main__`

Nothing is held, redirected or caught: the standard streams are those of the process, signals do
what they do to any program, an exception is a traceback.  The words are in `sys.argv` too, after
the path of the file.  Nothing is put on `sys.path`; what a module needs of its plugin it imports
by the plugin's name, or relatively.

Deliberately no Trio, but for a `main` that is an `async def`.  Above: `run`.
"""

from __future__ import annotations

import gc
import inspect
import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, cast

from trio_agent.routes.importing import import_module
from trio_agent.routes.plugin import PluginError
from trio_agent.surfaces.cli.complaint import FAILURE, SUCCESS, Complaint
from trio_agent.surfaces.cli.operator_env import add_operator_env
from trio_agent.surfaces.cli.streams import STDERR, STDOUT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType, TracebackType

    from trio_agent.context.terminal import Terminal
    from trio_agent.routes.record import RouteRecord
    from trio_agent.surfaces.cli.call import Call

HIGHEST_CODE: Final = 255

_RAISED: Final = object()
"""Instead of what a program would have returned."""


def start(call: Call, record: RouteRecord) -> int | Complaint:
    """Start a script that is not rendered.

    Returns:
        Its exit code, or why it could not be started.  A shell script does not return.

    Raises:
        SystemExit: it raised it; likewise what else is no `Exception`.
    """
    # It was off for the imports of a program that is ours.
    gc.enable()
    add_operator_env(
        call.application.plugin,
        warn=lambda warning: sys.stderr and sys.stderr.write(f"{call.program}: {warning}\n"),
    )
    path = str(call.application.plugin.root / record.path)
    if record.script == "shell":
        # lazy: a module becomes no other program.
        from trio_agent.surfaces.cli.scripts.shell import become  # noqa: PLC0415

        return _complain(call, become(path, call.argv))
    sys.argv = [path, *call.argv]
    return _run_module(call, record) if record.handler is None else _import_and_call(call, record)


def _complain(call: Call, message: str) -> Complaint:
    return Complaint.of_error(PluginError(message), FAILURE, program=call.program)


def _import(call: Call, name: str) -> ModuleType | Complaint:
    try:
        return import_module(call.application.plugin, name)
    except PluginError as error:
        if isinstance(error.__cause__, SystemExit):
            # A program may end before it has begun, and says what it wants to.
            raise error.__cause__ from None
        return Complaint.of_error(error, FAILURE, program=call.program)


# ------------------------------------------------------------------------------ from line to line


def _run_module(call: Call, record: RouteRecord) -> int | Complaint:
    name = record.module
    # The package around it first: what is wrong there is no failure of the script.
    package = _import(call, name.rpartition(".")[0])
    if isinstance(package, Complaint):
        return package
    # lazy: most modules have a `main`.
    import runpy  # noqa: PLC0415

    def run() -> None:
        runpy.run_module(name, run_name="__main__", alter_sys=True)

    done = _attempt(run)
    return FAILURE if done is _RAISED else SUCCESS


# ------------------------------------------------------------------------------ main


def _import_and_call(call: Call, record: RouteRecord) -> int | Complaint:
    module = _import(call, record.module)
    if isinstance(module, Complaint):
        return module
    try:
        main = _bind(module, call.argv)
    except PluginError as error:
        return _complain(call, f"{sys.argv[0]}:{record.line}: {error}")
    returned = _attempt(partial(_wait_for, main))
    if returned is _RAISED:
        return FAILURE
    code = SUCCESS if returned is None else returned
    if type(code) is int and 0 <= code <= HIGHEST_CODE:
        return code
    expected = f"expected None or an integer from 0 to {HIGHEST_CODE}"
    message = f"{sys.argv[0]}: main returned a value: {expected}, received {returned!r:.120}"
    return _complain(call, message)


class Main(Protocol):
    """A function of the author's, which takes whatever it takes."""

    def __call__(self, **arguments: object) -> object:
        """Run the program."""
        ...


def _bind(module: ModuleType, argv: Sequence[str]) -> partial[object]:
    main: object = getattr(module, "main", None)
    if not callable(main):
        raise PluginError(f"main is no function when the module has run, received {main!r:.120}")
    function = cast("Main", main)
    return partial(
        function, **arguments_of(function, {"argv": lambda: [*argv], "terminal": _probe})
    )


def arguments_of(main: Main, offered: Mapping[str, Callable[[], object]]) -> dict[str, object]:
    """What of *offered* a function takes, by name; only that is made.

    Args:
        main: the function.
        offered: makes each.

    Raises:
        PluginError: it needs something else.
    """
    try:
        parameters = inspect.signature(main).parameters.values()
    except (TypeError, ValueError):
        # Something callable that does not say what it takes.
        return {}
    by_name = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    any_number = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    chosen: dict[str, object] = {}
    for parameter in parameters:
        if parameter.name in offered and parameter.kind in by_name:
            chosen[parameter.name] = offered[parameter.name]()
        elif parameter.default is parameter.empty and parameter.kind not in any_number:
            raise PluginError(
                f"main takes by name {' and '.join(offered)}, each if it wants to; received"
                f" {parameter.name}"
            )
    return chosen


def _probe() -> Terminal:
    # lazy: few programs ask.
    from trio_agent.context.terminal import probe_terminal  # noqa: PLC0415

    return probe_terminal("script", os.environ, STDOUT, STDERR)


def _wait_for(main: partial[object]) -> object:
    if not inspect.iscoroutinefunction(main):
        return main()
    # lazy: a plain function has no use for it.
    import trio  # noqa: PLC0415

    try:
        return trio.run(main)
    except BaseExceptionGroup as group:
        # lazy: it belongs to the pipeline, which a program does not have.
        from trio_agent.pipeline.author import unwrap_interrupt  # noqa: PLC0415

        interrupt = unwrap_interrupt(group)
        if interrupt is group:
            raise
        raise interrupt from None


# ------------------------------------------------------------------------------ tracebacks


def _attempt(run: Callable[[], object]) -> object:
    """What *run* returns; `_RAISED` if it raises instead, when its traceback has been printed."""
    try:
        return run()
    except Exception as error:  # noqa: BLE001  # boundary: an author's program
        shown = error.with_traceback(_of_author(error.__traceback__))
        sys.excepthook(type(shown), shown, shown.__traceback__)
        return _RAISED


def _of_author(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the author's first line on."""
    step = trace
    while step is not None and _is_around(step):
        step = step.tb_next
    return step or trace


def _is_around(step: TracebackType) -> bool:
    """Whether it is a frame of whoever starts a program: ours, `runpy` or Trio."""
    module = cast("str", step.tb_frame.f_globals.get("__name__", ""))
    return module in {__name__, "runpy"} or module.startswith("trio.")
