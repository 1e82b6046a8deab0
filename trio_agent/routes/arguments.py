"""The arguments of a decorator, read as literals.

Below: `source`, which found the decorator, and `facts`, which knows what it takes.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, cast

from trio_agent.errors import ContractError
from trio_agent.routes.facts import (
    FACTS,
    HINTS,
    REQUIRED,
    TASK_SUPPORT,
    is_finite,
    refusal_of_limits,
)
from trio_agent.routes.source import unparse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.routes.facts import DecoratorName
    from trio_agent.routes.source import SourceReader


def read_arguments(name: DecoratorName, call: ast.Call, reader: SourceReader) -> dict[str, object]:
    """The arguments that are right, by name; a type as it is written."""
    facts: dict[str, object] = {}
    for positional in call.args:
        reader.complain("TA4805", positional, "arguments are given by name")
    for keyword in call.keywords:
        if keyword.arg is None:
            reader.complain("TA4806", keyword.value, "** hides arguments: write each by name")
        elif keyword.arg == "result" and "result" in FACTS[name]:
            facts |= _read_type(keyword.arg, keyword.value, reader)
        elif keyword.arg in FACTS[name]:
            facts |= _read_literal(name, keyword.arg, keyword.value, reader)
        else:
            _refuse_argument(name, keyword.arg, keyword.value, reader)
    _compare_hints(facts, call, reader)
    _require(name, call, reader)
    return facts


def _refuse_argument(
    name: DecoratorName, argument: str, value: ast.expr, reader: SourceReader
) -> None:
    if argument in {"task_support", "task_asks"}:
        reader.complain(
            TASK_SUPPORT.code, value, f"only a tool has {argument}, and this is a {name}"
        )
        return
    known = ", ".join(FACTS[name]) or "none"
    reader.complain("TA4805", value, f"{argument} is no argument; there are {known}")


def _compare_hints(facts: Mapping[str, object], call: ast.Call, reader: SourceReader) -> None:
    annotations = cast("Mapping[str, object]", facts.get("annotations") or {})
    for keyword in call.keywords:
        said = facts.get(keyword.arg or "")
        noted = annotations.get(HINTS.get(keyword.arg or "", ""), said)
        if isinstance(said, bool) and noted is not said:
            message = f"{keyword.arg} is {said}, and annotations say {noted!r:.80}: write it once"
            reader.complain("TA4805", keyword.value, message)


def _require(name: DecoratorName, call: ast.Call, reader: SourceReader) -> None:
    required, code = REQUIRED.get(name, (None, reader.contract))
    given = {keyword.arg for keyword in call.keywords}
    if required is not None and not given & {required, None}:
        expected = FACTS[name][required].expected
        reader.complain(code, call, f"a {name} has {required}=, {expected}")


def _read_type(name: str, value: ast.expr, reader: SourceReader) -> dict[str, object]:
    if isinstance(value, ast.Constant) and value.value is None:
        return {}
    if _is_type(value):
        return {name: unparse(value)}
    reader.complain("TA4806", value, f"{name} is the name of a type, {_shown(value)}")
    return {}


def _read_literal(
    decorator: DecoratorName, name: str, value: ast.expr, reader: SourceReader
) -> dict[str, object]:
    try:
        literal: object = ast.literal_eval(value)
    except (ValueError, TypeError, RecursionError, MemoryError):
        reader.complain(
            "TA4806",
            value,
            f"{name} is read without running the module: write a literal, {_shown(value)}",
        )
        return {}
    fact = FACTS[decorator][name]
    if not fact.fits(literal):
        reader.complain(fact.code, value, f"{name} is {fact.expected}, {_shown(value)}")
    elif not is_finite(literal):
        reader.complain("TA4806", value, f"{name} holds a number without an end, {_shown(value)}")
    elif name == "render" and literal and (refusal := refusal_of_limits(literal)):
        reader.complain("TA4835", value, refusal)
    elif literal and (refusal := _refusal_of(name, literal)):
        reader.complain(fact.code, value, refusal)
    else:
        return {name: literal}
    return {}


def _refusal_of(name: str, literal: object) -> str | None:
    """What is wrong inside a literal that looks right from outside; None for nothing."""
    if name == "uri":
        return _refusal_of_uri(cast("str", literal))
    if name == "flags":
        # lazy: few plugins have commands of tools.
        from trio_agent.routes.flags import refusal_of_flags  # noqa: PLC0415

        return refusal_of_flags(cast("Mapping[str, object]", literal))
    return None


def _refusal_of_uri(uri: str) -> str | None:
    """Why a URI with variables is no template; None when it is one."""
    if "{" not in uri and "}" not in uri:
        return None
    # lazy: few URIs have variables.
    from trio_agent.protocol.uri_template import UriTemplate  # noqa: PLC0415

    try:
        UriTemplate.parse(uri)
    except ContractError as error:
        return str(error)
    return None


def _shown(value: ast.expr) -> str:
    text = unparse(value)
    return f"received {text if len(text) <= 80 else text[:80] + '...'}"


def _is_type(value: ast.expr) -> bool:
    """Whether it spells a type: names, dots, subscripts and `|`, or a string."""
    match value:
        case ast.Name() | ast.Constant(value=str() | None):
            return True
        case ast.Attribute(value=inner) | ast.Subscript(value=inner):
            return _is_type(inner)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _is_type(left) and _is_type(right)
        case _:
            return False
