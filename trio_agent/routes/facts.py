"""What a decorator may say: its arguments, and what each of them takes.

This is the static half of the decorators: it knows their arguments by name and judges literals,
before and without importing anything.  The decorators themselves (`commands`, `tools`,
`resources`, `prompts`, `layouts`) judge the same arguments again when a module is imported; a
test holds the two lists against each other.

Pure.  Above: `static`, which reads the literals out of a module.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast, final, get_args

import attrs

from trio_agent.errors import ContractError
from trio_agent.limits import DAY_S, LimitOverrides, Limits
from trio_agent.routes.record import ScalarRule, StructuredRule, TaskAsks, TaskSupport
from trio_agent.routes.walk import SEGMENT
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trio_agent.routes.diagnostic import DiagnosticCode

DecoratorName: TypeAlias = Literal[
    "command",
    "tool",
    "resource",
    "prompt",
    "app",
    "script",
    "event",
    "layout",
    "provider",
    "tool_command",
]
"""Names of trio-agent that make a function something that discovery looks for; as in `decorated`."""

LONGEST_PREFIX: Final = 128
"""Characters of a prefix in `exclude_clients`, as in the reference."""

_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s]+")


@final
@attrs.frozen
class Fact:
    """One argument.

    Attributes:
        expected: what it takes, in words.
        fits: whether a literal is that.
        code: of the diagnostic when it is not.
    """

    expected: str
    fits: Callable[[object], bool]
    code: DiagnosticCode = "TA4805"

    __repr__ = shown


def _is_text(value: object) -> bool:
    return value is None or (isinstance(value, str) and bool(value.strip()))


def _items(value: object) -> list[object] | None:
    return [*cast("list[object]", value)] if isinstance(value, (list, tuple)) else None


def _is_texts(value: object) -> bool:
    items = _items(value)
    return items is not None and all(isinstance(item, str) for item in items)


def _is_words(value: object) -> bool:
    if not isinstance(value, str):
        return value is None
    words = value.split(" ")
    return all(SEGMENT.fullmatch(word) is not None for word in words)


def _is_fields(value: object) -> bool:
    return value is None or (
        _is_texts(value) and len({*cast("list[str]", value)}) == len(cast("list[str]", value))
    )


def _is_prefixes(value: object) -> bool:
    items = _items(value)
    return items is not None and all(
        isinstance(item, str) and bool(item.strip()) and len(item) <= LONGEST_PREFIX
        for item in items
    )


def _is_object(value: object) -> bool:
    return value is None or is_json_object(value)


def _is_icons(value: object) -> bool:
    items = _items(value)
    return items is not None and all(
        is_json_object(item) and isinstance(cast("Mapping[str, object]", item).get("src"), str)
        for item in items
    )


def is_json_object(value: object) -> bool:
    """Whether a value is an object of JSON, all the way down."""
    return isinstance(value, dict) and _is_json(cast("object", value))


def _is_json(value: object) -> bool:
    if isinstance(value, dict):
        members = cast("Mapping[object, object]", value)
        return all(isinstance(key, str) and _is_json(item) for key, item in members.items())
    items = _items(value)
    if items is not None:
        return all(_is_json(item) for item in items)
    return value is None or isinstance(value, (str, bool, int, float))


def _is_schema(value: object) -> bool:
    if value is None:
        return True
    return is_json_object(value) and cast("Mapping[str, object]", value).get("type") == "object"


def _is_flag(value: object) -> bool:
    return value is None or isinstance(value, bool)


def _is_size(value: object) -> bool:
    return value is None or (type(value) is int and value >= 0)


def _is_uri(value: object) -> bool:
    return isinstance(value, str) and _URI.fullmatch(value) is not None


def _one_of(words: tuple[str, ...], *, or_none: bool = False) -> Callable[[object], bool]:
    known = (*words, None) if or_none else words
    return lambda value: value in known


def _spelled(words: tuple[str, ...]) -> str:
    *first, last = (repr(word) for word in words)
    return f"{', '.join(first)} or {last}"


_TEXT: Final = Fact("a string that is not blank", _is_text)
_TEXTS: Final = Fact("a list of strings", _is_texts)
_OBJECT: Final = Fact("a JSON object", _is_object)
_FLAG: Final = Fact("True, False or None", _is_flag)
_BOOL: Final = Fact("True or False", lambda value: isinstance(value, bool))
_LIMITS: Final = Fact("an object of limits", lambda value: value is None or isinstance(value, dict))
_TASKS: Final = get_args(TaskSupport)
_ASKS: Final = get_args(TaskAsks)
_STRUCTURED: Final = get_args(StructuredRule)
_SCALARS: Final = get_args(ScalarRule)

TASK_SUPPORT: Final = Fact(_spelled(_TASKS), _one_of(_TASKS), "TA4836")

_SCHEMA: Final = Fact("a JSON Schema whose type is 'object'", _is_schema)
_ICONS: Final = Fact("a list of JSON objects with 'src', a string", _is_icons)
_TYPE: Final = Fact("the name of a type", _is_text)
_NAMED: Final = {"description": _TEXT, "title": _TEXT}
_SHOWN: Final = {"icons": _ICONS, "meta": _OBJECT}
_RUN: Final = {"render": _LIMITS, "thread": _BOOL}

FACTS: Final[Mapping[DecoratorName, Mapping[str, Fact]]] = {
    "command": {
        **_NAMED,
        "aliases": _TEXTS,
        "exit_code": Fact("'result' or None", _one_of(("result",), or_none=True)),
        **_RUN,
        "result": _TYPE,
    },
    "tool": {
        **_NAMED,
        **_SHOWN,
        "annotations": _OBJECT,
        "exclude_clients": Fact(
            f"a list of strings of 1 to {LONGEST_PREFIX} characters", _is_prefixes
        ),
        **_RUN,
        "task_support": TASK_SUPPORT,
        "task_asks": Fact(_spelled(_ASKS), _one_of(_ASKS), "TA4836"),
        "result": _TYPE,
        "input_schema": _SCHEMA,
        "structured": Fact(_spelled(_STRUCTURED), _one_of(_STRUCTURED)),
        "scalar": Fact(_spelled(_SCALARS), _one_of(_SCALARS)),
        "read_only": _FLAG,
        "destructive": _FLAG,
        "idempotent": _FLAG,
        "open_world": _FLAG,
    },
    "resource": {
        "uri": Fact("an absolute URI, 'curator://catalog'", _is_uri, "TA4810"),
        "mime_type": _TEXT,
        **_NAMED,
        **_SHOWN,
        "annotations": _OBJECT,
        "size": Fact("a number of bytes", _is_size),
        **_RUN,
        "result": _TYPE,
        "input_schema": _SCHEMA,
    },
    "prompt": {**_NAMED, **_SHOWN, **_RUN, "result": _TYPE, "input_schema": _SCHEMA},
    "app": {
        "uri": Fact("an absolute URI, 'ui://curator/status'", _is_uri, "TA4812"),
        **_NAMED,
        **_SHOWN,
    },
    "script": {**_NAMED, **_RUN, "result": _TYPE},
    "event": {**_NAMED, "providers": _TEXTS, **_RUN},
    "layout": {"render": _LIMITS},
    "provider": {},
    "tool_command": {
        **_NAMED,
        "command": Fact(
            "words of letters, digits and inner . _ -, 'audit' or 'db audit'", _is_words
        ),
        "aliases": _TEXTS,
        "confirm": _FLAG,
        "exit_code": Fact("'result' or None", _one_of(("result",), or_none=True)),
        "flags": _OBJECT,
        "positionals": Fact("a list of fields, each once, or None", _is_fields),
    },
}
"""The arguments of each decorator, in the order in which messages list them."""

CONTRACTS: Final[Mapping[DecoratorName, DiagnosticCode]] = {
    "command": "TA4815",
    "tool": "TA4810",
    "resource": "TA4810",
    "prompt": "TA4810",
    "app": "TA4810",
    "script": "TA4815",
    "event": "TA4810",
    "layout": "TA4830",
    "provider": "TA4940",
    "tool_command": "TA4844",
}
"""The code for a module that does not hold what its place promises."""

BARE: Final = frozenset({"provider"})
"""They take nothing, and stand without parentheses."""

UNANNOTATED: Final = frozenset({"layout", "provider", "tool_command"})
"""Their return annotation decides nothing, so it may be left out."""

REQUIRED: Final[Mapping[DecoratorName, tuple[str, DiagnosticCode]]] = {
    "resource": ("uri", "TA4810"),
    "app": ("uri", "TA4812"),
}
"""The argument without which a route is none, and the code of its diagnostic."""


HINTS: Final[Mapping[str, str]] = {
    "read_only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open_world": "openWorldHint",
}
"""Arguments of a tool, and the annotation that each is short for."""


def is_finite(value: object) -> bool:
    """Whether a literal holds no number that JSON has not; `1e999` is infinite in Python."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(is_finite(item) for item in cast("Mapping[object, object]", value).values())
    items = _items(value)
    return items is None or all(is_finite(item) for item in items)


def refusal_of_limits(value: object) -> str | None:
    """Why the object given as `render=` is no budget; None when it is one."""
    try:
        limits = Limits().overridden(cast("LimitOverrides", value))
    except (ContractError, TypeError) as error:
        # TypeError: a key that is no string.
        return str(error)
    if limits.max_elapsed_s > DAY_S:
        return f"max_elapsed_s of a route is at most {DAY_S:.0f}, received {limits.max_elapsed_s}"
    return None
