"""A plugin as a program of its own, with one line in its `pyproject.toml`.

    [project.scripts]
    curator = "trio_agent.console:curator"

The name after the colon is the dotted name of the plugin's package.  The program takes the words
that follow `trio-agent run curator` and answers in the same way; it calls itself by the name
that it was called by.  Nothing of the plugin's is imported for help, and nothing but the module
of the command for a run.

Every name that this module has itself is a package that cannot be named so.  Therefore it has
only names of the standard library, which no plugin may have, and `run_plugin`; not even
`annotations`.

Above: `__main__`, which is the program `trio-agent`.
"""

import os
import sys
import typing

if typing.TYPE_CHECKING:
    from collections.abc import Sequence

_LAUNCHERS = ("-script.py", "-script.pyw", ".exe")
"""What installers put behind the name of a program where a file needs an ending to be one."""


def run_plugin(
    package: str, argv: "Sequence[str] | None" = None, *, name: str | None = None
) -> int:
    """Be the program of a plugin: read the words, run a command, say what is wrong.

    For a `__main__.py`: `sys.exit(run_plugin("curator"))`.  Main thread only; runs Trio, and is
    the last thing that its process does.

    Args:
        package: dotted name of the plugin's package; a folder in the working directory that is
            called so does not count.
        argv: the words after the program's own name; those of the process if None.
        name: how the program calls itself; None for what it was called by.

    Returns:
        The exit code for the process: 0, 1, 2, 130, 143, 141 when nobody reads its output, or
        what a command with `exit_code="result"` says.
    """
    words = sys.argv[1:] if argv is None else argv
    program = _called_by(package) if name is None else name

    def begin() -> int:
        # lazy: every name up there is taken from the plugins.
        from trio_agent.surfaces.cli import COMPLETE_VARIABLE  # noqa: PLC0415

        if COMPLETE_VARIABLE in os.environ:
            # lazy: only a shell asks for it.
            from trio_agent.surfaces.cli.completion.completing import complete_shell  # noqa: PLC0415

            return complete_shell(words, package)
        # lazy: the collector has to be off before the imports begin.
        from trio_agent.surfaces.cli.help.quick import answer_quickly  # noqa: PLC0415

        code = answer_quickly(words, program, package)
        if code is not None:
            return code
        # lazy: as above, and help that lists commands needs none of it.
        from trio_agent.surfaces.cli.plugin_program import answer_plugin  # noqa: PLC0415

        return answer_plugin(package, program, words)

    # lazy: as above.
    from trio_agent.beginning import begin_quickly  # noqa: PLC0415

    return begin_quickly(begin)


def _called_by(package: str) -> str:
    """The name of the program, as whoever typed it knows it."""
    called = os.path.basename(sys.argv[0] if sys.argv else "")
    for ending in _LAUNCHERS:
        # Windows does not care for capitals, so neither does who types there.
        if called.lower().endswith(ending):
            called = called[: -len(ending)]
    # `python -m curator` and embedding programs have no name that could be typed again.
    has_name = called not in {"", "-c", "-m", "__main__.py"}
    return called if has_name and called.isprintable() and " " not in called else package


@typing.final
class _Program:
    """The program of one plugin: called, it is `run_plugin`; its attributes are subpackages."""

    __slots__ = ("_package",)

    def __init__(self, package: str) -> None:
        self._package: typing.Final = package

    def __call__(self) -> int:
        return run_plugin(self._package)

    def __getattr__(self, name: str) -> "_Program":
        return _part(f"{self._package}.{name}", name)


def _part(package: str, name: str) -> _Program:
    if name.startswith("__"):
        # Python's own questions, about a module or an object.
        raise AttributeError(f"{__name__}: there is no {package}")
    return _Program(package)


def __getattr__(name: str) -> _Program:
    return _part(name, name)
