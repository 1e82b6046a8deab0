"""A glance at the commands of a plugin: what its help lists, and nothing else.

The same files lead to the same words and sentences as in `discovery`, without its records and
diagnostics, whose classes alone take longer to make than help may take.  Where more than a glance
is needed to be sure, the answer is None: settings beyond a name, a version and a description,
tools that are commands, whatever is missing or cannot be read.  `discovery` then tells it all; a
property holds the two together.

Nothing of the plugin's is imported, and neither attrs nor typing.  Below: `folders`, `decorated`.
"""

from __future__ import annotations

import ast
import os

from trio_agent.routes.decorated import decorated, first_paragraph, parse
from trio_agent.routes.folders import is_segment, list_entries, named_modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

GROUP: Final = "(group)"
"""What is said of a group that says nothing of itself."""

_TEXTS: Final = frozenset({"name", "version", "description"})


def read_settings(root: str) -> Mapping[str, str] | None:
    """What `plugin.toml` says, if it is a name, a version and a description at most."""
    try:
        with open(f"{root}/plugin.toml", "rb") as file:
            text = file.read().decode()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError):
        return None
    # lazy: most plugins have no such file.
    import tomllib  # noqa: PLC0415

    try:
        said: dict[str, object] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    texts = {key: value for key, value in said.items() if isinstance(value, str) and value.strip()}
    return texts if _TEXTS.issuperset(said) and len(texts) == len(said) else None


def list_commands(root: str, words: Sequence[str] = ()) -> Mapping[str, str] | None:
    """The commands and groups right below a group, and what each says of itself.

    Args:
        root: the plugin's folder.
        words: of the group; none for the plugin itself.
    """
    try:
        if _has_projections(root):
            return None
        folder = _folder_of(root, words)
        return None if folder is None else _listed(folder) or None
    except OSError:
        return None


def describe_group(root: str, words: Sequence[str]) -> str:
    """What a group says of itself: the first paragraph of its `__init__.py`; empty without one.

    Args:
        root: the plugin's folder.
        words: of the group, as somebody types them, `("db",)`.

    Raises:
        OSError: the file cannot be read.
    """
    return _summary("/".join((root, "cli", *(word.replace("-", "_") for word in words))))


def _summary(folder: str) -> str:
    file = f"{folder}/__init__.py"
    if not os.path.isfile(file) or os.path.islink(file):
        return ""
    tree = parse(_read(file))
    return "" if tree is None else first_paragraph(ast.get_docstring(tree)) or ""


def _has_projections(root: str) -> bool:
    servers = f"{root}/mcp"
    return os.path.isdir(servers) and any(
        name.endswith("_cli.py")
        for server, is_folder in list_entries(servers)
        if is_folder and os.path.isdir(f"{servers}/{server}/tools")
        for name, _ in list_entries(f"{servers}/{server}/tools")
    )


def _folder_of(root: str, words: Sequence[str]) -> str | None:
    """The folder of a group; None when the words lead elsewhere."""
    folder = f"{root}/cli"
    if not os.path.isdir(folder) or os.path.islink(folder):
        return None
    for word in words:
        part = word.replace("-", "_")
        entries = list_entries(folder)
        if part.replace("_", "-") != word or not is_segment(part) or (part, True) not in entries:
            return None
        if (f"{part}.py", False) in entries:
            # The command goes first.
            return None
        folder = f"{folder}/{part}"
    return folder


def _listed(folder: str) -> Mapping[str, str]:
    texts: dict[str, str] = {}
    for name, is_folder in list_entries(folder):
        stem = name if is_folder else name.removesuffix(".py")
        if not is_segment(stem) or (stem == name and not is_folder):
            continue
        word = stem.replace("_", "-")
        if not is_folder:
            texts[word] = _described(_read(f"{folder}/{name}"))
        elif next(named_modules(f"{folder}/{name}"), None) is not None:
            texts.setdefault(word, _summary(f"{folder}/{name}") or GROUP)
    return texts


def _read(file: str) -> bytes:
    with open(file, "rb") as stream:
        return stream.read()


def _described(source: bytes) -> str:
    """What a module says of its command: its description, or else its title; empty without both."""
    tree = parse(source)
    found = [] if tree is None else decorated(tree)
    if len(found) != 1 or found[0][0] != "command":
        return ""
    _, function, decorator = found[0]
    keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
    said = {one.arg: text for one in keywords if (text := _text(one.value)) is not None}
    summary = first_paragraph(ast.get_docstring(function))
    return said.get("description") or summary or said.get("title") or ""


def _text(value: ast.expr) -> str | None:
    if isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value.strip():
        return value.value
    return None
