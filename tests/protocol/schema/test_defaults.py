"""Defaults in schemas: which are published, and which are a mistake of the author (BR-04)."""

from __future__ import annotations

import datetime as dt
import enum
import subprocess
import sys
from pathlib import Path
from types import FunctionType
from typing import Annotated, Any, cast

import attrs
import pytest

from trio_agent.protocol.schema.constraint import Ge, Le, MinLength
from trio_agent.protocol.schema.issues import DeclarationError
from trio_agent.protocol.schema.json_schema import input_schema, output_schema
from trio_agent.protocol.schema.parameters import read_signature
from trio_agent.protocol.schema.structuring import structure


class Colour(enum.Enum):
    RED = "red"


@attrs.frozen
class Point:
    x: int = 0
    y: int = 0
    norm: int = attrs.field(init=False)

    @norm.default
    def _norm(self) -> int:
        return self.x**2 + self.y**2


def class_with(type_: Any, default: Any, **options: Any) -> Any:
    return attrs.make_class("Made", {"x": attrs.field(type=type_, default=default, **options)})


def published(type_: Any, default: Any, **options: Any) -> object:
    schema: Any = input_schema(class_with(type_, default, **options))
    return schema["properties"]["x"].get("default", "nothing")


@pytest.mark.parametrize(
    ("type_", "default", "plain"),
    [
        (int, 0, 0),
        (bool, False, False),
        (str, "", ""),
        (str | None, None, None),
        (float, 0.0, 0.0),
        (float, 1, 1),
        (str | int, "a", "a"),
        (Annotated[int, Ge(0)], 0, 0),
        (Annotated[int, "a note"], 3, 3),
        (Colour, Colour.RED, "red"),
        (Path, Path("a/b"), "a/b"),
        (dt.date, dt.date(2026, 1, 31), "2026-01-31"),
        (list[int], [], []),
        (list[int], [1], [1]),
        (tuple[int, str], (1, "a"), [1, "a"]),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (Point, Point(3, 4), {"x": 3, "y": 4, "norm": 25}),
        (list[int], attrs.Factory(list), []),
        (dict[str, int], attrs.Factory(dict), {}),
        (tuple[int, ...], attrs.Factory(tuple), []),
        (object, {"a": None}, {"a": None}),
    ],
    ids=str,
)
def test_br_04_a_default_that_fits_is_published_also_a_falsy_one(
    type_: object, default: object, plain: object
) -> None:
    shown = published(type_, default)
    assert shown == plain
    assert type(shown) is type(plain)
    made = class_with(type_, default)
    assert structure(made, {}) == made()
    assert structure(made, {"x": plain}) == made()


def test_a_default_that_cannot_be_known_or_written_is_not_published() -> None:
    sentinel = object()
    for type_, default in (
        (list[int], attrs.Factory(lambda: [1])),
        (int, attrs.Factory(lambda self: 1, takes_self=True)),
        (float, float("inf")),
        (int, 2**53),
        (object, sentinel),
        (str, sentinel),
        (object, {1}),
        (list[float], [float("nan")]),
    ):
        assert published(type_, default) == "nothing"
    assert published(str, None, converter=attrs.converters.default_if_none("a")) == "nothing"


@pytest.mark.parametrize(
    ("type_", "default", "message"),
    [
        (str, None, r"Made\.x has the default null.* expected string, .*declare `T \| None`"),
        (int, True, r"Made\.x has the default true.*expected integer"),
        (bool, 0, r"default 0,.*expected boolean"),
        (Annotated[int, Ge(1)], 0, r"default 0,.*expected number >= 1"),
        (Annotated[int, Ge(1), Le(9)], 10, r"number <= 9"),
        (
            Annotated[list[int], MinLength(1)],
            attrs.Factory(list),
            r"default \[\],.*at least 1 item",
        ),
        (list[int], ["a"], r"default\[0\]: expected integer"),
        (Colour, "green", r"expected one of"),
        (Path, "", r"expected path"),
    ],
    ids=str,
)
def test_br_04_a_default_that_its_type_refuses_is_a_mistake_with_a_place(
    type_: object, default: object, message: str
) -> None:
    with pytest.raises(DeclarationError, match=message):
        published(type_, default)


def test_br_04_a_default_outside_the_bound_of_a_validator_is_a_mistake() -> None:
    with pytest.raises(DeclarationError, match=r"default 0,.*number >= 1"):
        published(int, 0, validator=attrs.validators.ge(1))


def test_br_04_a_parameter_is_named_with_its_handler() -> None:
    def find(name: str = None) -> None:  # type: ignore[assignment]  # noqa: RUF013  # the mistake
        ...

    signature = read_signature(cast("FunctionType", find), {})
    with pytest.raises(
        DeclarationError, match=r"^parameter `name` of .*\.find has the default null"
    ):
        input_schema(signature.input_type)


def test_a_nested_default_is_named_at_its_own_field() -> None:
    @attrs.frozen
    class Inner:
        text: str = None  # type: ignore[assignment]  # the mistake

    @attrs.frozen
    class Outer:
        inner: Inner | None = None

    attrs.resolve_types(Outer, None, locals())
    with pytest.raises(DeclarationError, match=r"Inner\.text has the default null"):
        input_schema(Outer)
    assert output_schema(Outer) is not None


def test_a_default_that_fits_at_sight_needs_no_cattrs() -> None:
    code = (
        "import sys, attrs\n"
        "from trio_agent.protocol.schema.json_schema import input_schema\n"
        "from pathlib import Path\n"
        "from typing import Annotated, Literal\n"
        "from trio_agent.protocol.schema.constraint import Ge\n"
        "fields = {'a': (int, 0), 'b': (str | None, None), 'c': (bool, True),"
        " 'd': (Path, Path()), 'e': (Literal['x', 'y'], 'y'), 'f': (Annotated[int, Ge(1)], 3),"
        " 'g': (list[int], attrs.Factory(list)), 'h': (dict[str, int] | None, {})}\n"
        "made = attrs.make_class('Made', {n: attrs.field(type=t, default=d)"
        " for n, (t, d) in fields.items()})\n"
        "input_schema(made)\n"
        "print(*[name for name in ('cattrs', 'trio', 'jsonschema') if name in sys.modules])\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    assert ended.stdout.split() == []
