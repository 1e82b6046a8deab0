"""The environment that whoever operates a server adds to it: `.env` files beside the plugin.

From the weakest to the strongest:

    the plugin's own `env` of a server       what its author declared, `declared`
    .env, then .env.local                    in the plugin's folder
    the environment of the process           what the host, or a person, really exported

`TRIO_AGENT_ENV_FILE` names other files instead of the two, separated like `PATH`, later ones
stronger; `none` names none at all.

A host puts the declared values into the environment of the process, so a variable that is still
what was declared does not count as exported, and a file may change it.  A declared value with a
`${...}` in it is a path that the host fills in: that variable is always kept.

Rules: values are never logged; a file that is not there is nothing to speak of, unless somebody
named it; one that cannot be read is skipped with a warning.  To be applied before any code of an
author's is imported.
"""

from __future__ import annotations

import logging
import os
import stat
from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.context.dotenv import parse_env
from trio_agent.context.env_names import DEFAULT_FILES, ENV_FILE
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence

MOST_BYTES: Final = 1_048_576
"""Of one file; whatever is larger is no list of settings."""

PLACEHOLDER: Final = "${"
"""In a value: something that a host has still to fill in, or forgot to."""

_log: Final = logging.getLogger("trio_agent")


@final
@attrs.frozen
class EnvFile:
    """One file, as far as it could be read.

    Attributes:
        path: as it was named.
        values: what it says; nothing when it was not read.
        warnings: what is wrong with it, one sentence each, without any value.
    """

    path: str
    values: Mapping[str, str] = attrs.field(factory=dict[str, str], repr=False)
    warnings: tuple[str, ...] = ()

    __repr__ = shown


def env_file_paths(plugin_root: str, environ: Mapping[str, str]) -> tuple[tuple[str, ...], bool]:
    """Which files are to be read, the weakest first, and whether somebody named them.

    Args:
        plugin_root: the plugin's folder.
        environ: of the process.
    """
    named = environ.get(ENV_FILE, "")
    if not named.strip():
        return tuple(os.path.join(plugin_root, name) for name in DEFAULT_FILES), False
    if named.strip() == "none":
        return (), True
    return tuple(path for path in named.split(os.pathsep) if path), True


def read_env_file(path: str, *, is_named: bool) -> EnvFile:
    """Read one file; never raises.

    Args:
        path: of the file; relative to the working directory.
        is_named: whether somebody will wonder if it is not there.
    """
    try:
        found = parse_env(_read(path))
    except FileNotFoundError:
        missing = (f"{path} is not read: there is no such file",)
        return EnvFile(path, warnings=missing if is_named else ())
    except (OSError, ValueError) as error:
        return EnvFile(path, warnings=(f"{path} is not read: {_words(error)}",))
    warnings = tuple(f"{path}:{line}: expected NAME=VALUE" for line in found.faults)
    return EnvFile(path, found.values, warnings)


def _read(path: str) -> str:
    if not stat.S_ISREG(os.stat(path).st_mode):
        # Reading a pipe would wait for whoever writes to it.
        raise ValueError("it is no regular file")
    with open(path, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"it is larger than {MOST_BYTES} bytes")
    return content.decode()


def _words(error: OSError | ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        # Its own words would show the bytes.
        return "it is not UTF-8"
    return str(error.strerror if isinstance(error, OSError) else error)


def decide_env(
    declared: Mapping[str, str],
    layers: Iterable[Mapping[str, str]],
    environ: Mapping[str, str],
) -> dict[str, str]:
    """What has to be set in the environment of the process.

    Args:
        declared: the plugin's own values.
        layers: what the files say, the weakest first.
        environ: of the process.

    Returns:
        Only what the process did not export itself.
    """
    defaults = {name: value for name, value in declared.items() if PLACEHOLDER not in value}
    chosen: dict[str, str] = {}
    for layer in (defaults, *layers):
        chosen |= layer
    return {
        name: value
        for name, value in chosen.items()
        if name not in environ or (name in defaults and environ[name] == defaults[name])
    }


def apply_operator_env(
    plugin_root: str,
    *,
    declared: Mapping[str, str] | None = None,
    files: Sequence[str] | None = None,
    environ: MutableMapping[str, str] | None = None,
    warn: Callable[[str], object] | None = None,
) -> tuple[EnvFile, ...]:
    """Read the files and set what they say, as this module tells.

    Args:
        plugin_root: the plugin's folder.
        declared: the plugin's own values for the server, `[servers.NAME] env`.
        files: replaces all that would be read otherwise, the weakest first; empty reads none.
        environ: is changed; that of the process if None.
        warn: is told what is wrong with the files, a sentence at a time; by default the log is.

    Returns:
        The files that were named or found, in that order.  What is wrong with them has been told.
    """
    environ = os.environ if environ is None else environ
    paths, is_named = env_file_paths(plugin_root, environ) if files is None else (files, True)
    found = tuple(read_env_file(path, is_named=is_named) for path in paths)
    for warning in (warning for file in found for warning in file.warnings):
        (_log.warning if warn is None else warn)(warning)
    environ.update(decide_env(declared or {}, [file.values for file in found], environ))
    return found
