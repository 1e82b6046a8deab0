"""Where a plugin is installed and where it may keep its state, decided from the environment.

    TRIO_AGENT_PLUGIN_ROOT    the code; filled in by the host.  Otherwise the fallback
    TRIO_AGENT_STATE_ROOT     the state.  Otherwise `<root>/state`, or a folder of the user's

A variable counts when it is neither blank nor has a `${...}` left in it, which a host forgot to
fill in; that is reported, once, and never becomes part of a path.  A path is taken exactly as it
is written, blanks at its end included, and only made absolute.

Pure: the environment, the working directory and the home come in, a value goes out.  The one
question to the file system, what a path really is, can be answered by somebody else.
"""

from __future__ import annotations

import hashlib
import os
import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

import attrs

from trio_agent.context.launch_env import PLACEHOLDER
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trio_agent.context.observed import Observed, PluginRoot, Source

PLUGIN_ROOT: Final = "TRIO_AGENT_PLUGIN_ROOT"
STATE_ROOT: Final = "TRIO_AGENT_STATE_ROOT"
STATE_HOME: Final = "XDG_STATE_HOME"

Anchor: TypeAlias = Literal["user", "root"]
"""Where state goes by default: into a folder of the user's, which an update of the plugin leaves
alone, or into the plugin's own."""

_SAFE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@final
@attrs.frozen(kw_only=True)
class Roots:
    """Both directories, and how they are known.

    Attributes:
        root: the code, absolute.
        state_root: the state, absolute; not made yet.
        source: of the root; `native` when the host said so.
        state_source: likewise.
        warnings: what is wrong with the environment, one sentence each.
    """

    root: str
    state_root: str
    source: Source
    state_source: Source
    warnings: tuple[str, ...] = ()

    __repr__ = shown

    @property
    def axis(self) -> Observed[PluginRoot]:
        """The axis `plugin`; its source is that of the root."""
        # lazy: a server decides its roots when it starts, and few calls ask for an axis.
        from trio_agent.context.observed import Available, PluginRoot  # noqa: PLC0415

        return Available(
            source=self.source, value=PluginRoot(root=self.root, state_root=self.state_root)
        )


def find_roots(
    environ: Mapping[str, str],
    *,
    fallback: str,
    cwd: str,
    home: str,
    anchor: Anchor = "user",
    resolve: Callable[[str], str] = os.path.realpath,
) -> Roots:
    """Decide both directories.

    Args:
        environ: of the process.
        fallback: the plugin's folder as we found it, absolute.
        cwd: what relative paths are relative to, absolute.
        home: of the user, absolute.
        anchor: where state goes when nobody says.
        resolve: gives the real path; of one that does not exist, its spelling without `..`.
    """
    warnings: list[str] = []
    named = _named(PLUGIN_ROOT, environ, cwd, warnings)
    root = fallback if named is None else named
    state = _named(STATE_ROOT, environ, cwd, warnings)
    default = (
        os.path.join(root, "state")
        if anchor == "root"
        else os.path.join(_state_home(environ, home), _segment(resolve(root)))
    )
    return Roots(
        root=root,
        state_root=default if state is None else state,
        source="derived" if named is None else "native",
        state_source="derived" if state is None else "native",
        warnings=tuple(warnings),
    )


def roots_of_process(fallback: str) -> Roots:
    """`find_roots` for this process, as it stands: the one function here that looks by itself."""
    try:
        cwd = os.getcwd()
    except OSError:
        cwd = fallback
    return find_roots(os.environ, fallback=fallback, cwd=cwd, home=os.path.expanduser("~"))


def _named(variable: str, environ: Mapping[str, str], cwd: str, warnings: list[str]) -> str | None:
    value = environ.get(variable, "")
    if not value.strip():
        return None
    if PLACEHOLDER in value:
        warnings.append(f"{variable} is ignored, nobody filled it in: {value!r:.200}")
        return None
    return value if os.path.isabs(value) else os.path.normpath(os.path.join(cwd, value))


def _state_home(environ: Mapping[str, str], home: str) -> str:
    directory = environ.get(STATE_HOME, "")
    # The XDG specification says that a relative one is to be ignored.
    if os.path.isabs(directory):
        return os.path.join(directory, "trio-agent")
    return os.path.join(home, ".trio-agent", "state")


def _segment(real_root: str) -> str:
    """A name for the folder that two installations of one plugin do not share."""
    name = os.path.basename(real_root)
    digest = hashlib.sha256(os.fsencode(real_root)).hexdigest()[:16]
    return f"{name if _SAFE_NAME.fullmatch(name) else 'plugin'}-{digest}"
