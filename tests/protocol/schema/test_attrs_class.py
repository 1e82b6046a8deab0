"""Classes: validators, computed fields, and what a class cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Generic, TypeVar

import attrs
import pytest

from trio_agent.protocol.schema.issues import DeclarationError, SchemaError
from trio_agent.protocol.schema.structuring import structure

if TYPE_CHECKING:
    from decimal import Decimal

T = TypeVar("T")


def _is_odd(_: object, attribute: attrs.Attribute[int], value: int) -> None:
    if value % 2 == 0:
        raise ValueError(f"'{attribute.name}' must be odd")


@attrs.frozen(kw_only=True)
class Box:
    width: int = attrs.field(validator=_is_odd)
    label: str = attrs.field(default="", validator=attrs.validators.instance_of(str))
    kind: object = attrs.field(default="box", validator=attrs.validators.instance_of(str))
    area: int = attrs.field(init=False)

    @area.default
    def _square(self) -> int:
        return self.width**2


@attrs.frozen(kw_only=True)
class Range:
    low: int
    high: int

    def __attrs_post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError("low is above high")


@attrs.frozen
class Silent:
    width: int = attrs.field()

    @width.validator
    def _never(self, _: object, __: int) -> None:
        raise LookupError


@attrs.frozen
class Late:
    price: Decimal


@attrs.frozen
class Wrapped(Generic[T]):
    content: T


@attrs.frozen
class Unhashable:
    width: Annotated[int, []]


def issue(type_: type[object], data: object) -> str:
    with pytest.raises(SchemaError) as caught:
        structure(type_, data)
    (found,) = caught.value.issues
    return str(found)


def test_a_validator_that_names_its_field_gives_an_issue_there() -> None:
    assert issue(Box, {"width": 2}) == (
        "value.width: expected a value that Box accepts ('width' must be odd), received 2"
    )


def test_a_validator_that_brings_its_attribute_gives_an_issue_there() -> None:
    assert issue(Box, {"width": 1, "kind": 5}).startswith("value.kind: expected a value that Box")


def test_a_failed_constructor_gives_an_issue_of_the_whole_object() -> None:
    assert structure(Range, {"low": 1, "high": 1}) == Range(low=1, high=1)
    assert issue(Range, {"low": 2, "high": 1}) == (
        "value: expected a value that Range accepts (low is above high),"
        ' received {"high": 1, "low": 2}'
    )


def test_an_exception_without_words_is_called_by_its_name() -> None:
    assert "(LookupError)" in issue(Silent, {"width": 1})


def test_a_computed_field_may_be_there_if_it_is_right() -> None:
    assert structure(Box, {"width": 3, "area": 9}) == Box(width=3)
    assert issue(Box, {"width": 3, "area": 8}) == "value.area: expected 9, received 8"


def test_a_computed_field_is_not_offered() -> None:
    assert issue(Box, {"width": 3, "depth": 8}).startswith(
        'value: expected no unknown key "depth" (known: "width", "label", "kind")'
    )


def test_an_unresolved_annotation_names_class_and_name() -> None:
    with pytest.raises(DeclarationError, match=r"Late .*'Decimal' is not defined.*TYPE_CHECKING"):
        structure(Late, {})


def test_a_generic_class_is_refused() -> None:
    with pytest.raises(DeclarationError, match="Wrapped is generic"):
        structure(Wrapped, {})
    with pytest.raises(DeclarationError, match="Wrapped"):
        structure(Wrapped[int], {})


def test_a_field_without_annotation_is_refused() -> None:
    made = attrs.make_class("Bare", {"width": attrs.field()})
    with pytest.raises(DeclarationError, match="width has no annotation"):
        structure(made, {})


def test_metadata_that_cannot_be_hashed_is_refused() -> None:
    with pytest.raises(DeclarationError, match=r"Unhashable.width .* not hashable"):
        structure(Unhashable, {"width": 1})


def test_a_class_without_fields_takes_an_empty_object() -> None:
    made = attrs.make_class("Nothing", {})
    assert structure(made, {}) == made()
    assert issue(made, {"a": 1}) == 'value: expected no unknown key "a" (known: none), received 1'
