"""Signatures of handlers: where the input goes, and where the context."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import TYPE_CHECKING, Annotated, Any, cast

import attrs
import pytest
from hypothesis import given, strategies as st

from trio_agent.protocol.schema.constraint import Ge
from trio_agent.protocol.schema.issues import DeclarationError, SchemaError
from trio_agent.protocol.schema.parameters import Signature, read_signature
from trio_agent.protocol.schema.structuring import structure

if TYPE_CHECKING:
    from decimal import Decimal
    from fractions import Fraction as Handle


class Context:
    pass


Handles = type("Handle", (), {})


@attrs.frozen
class AuditInput:
    root: str


def read(function: object, *context_types: type) -> Signature:
    known = {type_.__name__: type_ for type_ in context_types or (Context, Handles)}
    return read_signature(cast("FunctionType", function), known)


def call(function: Any, data: object, context: object = None) -> Any:
    signature = read(function)
    return function(**signature.arguments(structure(signature.input_type, data), context))


def test_one_attrs_class_is_the_input() -> None:
    def audit(params: AuditInput, context: Context) -> object:
        return params, context

    signature = read(audit)
    assert signature == Signature(
        input_type=AuditInput, input_parameter="params", context_parameter="context"
    )
    assert signature.is_single_class
    context = Context()
    assert call(audit, {"root": "a"}, context) == (AuditInput("a"), context)


def test_plain_parameters_become_a_class_with_defaults_and_constraints() -> None:
    def add_up(a: int, b: Annotated[int, Ge(0)] = 2, *, _note: str = "") -> int:
        return a + b + len(_note)

    signature = read(add_up)
    assert not signature.is_single_class
    assert signature.context_parameter is None
    assert signature.input_type.__name__ == "AddUpInput"
    assert call(add_up, {"a": 1}) == 3
    assert call(add_up, {"a": 1, "b": 5, "_note": "xx"}) == 8
    with pytest.raises(SchemaError, match=r"b: expected number >= 0"):
        structure(signature.input_type, {"a": 1, "b": -1})


def test_a_class_beside_others_or_with_a_default_is_one_field() -> None:
    def beside(params: AuditInput, deep: bool = False) -> object:
        return params, deep

    def defaulted(params: AuditInput = AuditInput("x")) -> object:
        return params

    assert call(beside, {"params": {"root": "a"}}) == (AuditInput("a"), False)
    assert call(defaulted, {}) == AuditInput("x")


def test_no_parameters_take_an_empty_object() -> None:
    def ping(context: Context | None = None) -> object:
        return context

    assert call(ping, {}) is None
    assert attrs.fields(read(ping).input_type) == ()


def test_the_context_is_found_by_name_when_it_is_imported_for_types_only() -> None:
    def audit(context: Handle, root: str) -> object:
        return context, root

    assert read(audit).context_parameter == "context"
    assert call(audit, {"root": "a"}, 5) == (5, "a")


def test_a_wrapped_function_is_read_with_the_names_of_its_own_module() -> None:
    def audit(params: AuditInput) -> AuditInput:
        return params

    @functools.wraps(audit)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return audit(*args, **kwargs)

    assert read(wrapper).input_type is AuditInput
    assert call(wrapper, {"root": "a"}) == AuditInput("a")


def test_the_class_is_immutable_and_lives_in_the_module_of_the_function() -> None:
    def add(a: int) -> int:
        return a

    type_ = read(add).input_type
    value: Any = structure(type_, {"a": add(1)})
    assert type_.__module__ == __name__
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        value.a = 2


def positional_only(a: int, /) -> None: ...


def any_number(*a: int) -> None: ...


def any_keyword(**a: int) -> None: ...


def without_annotation(a) -> None: ...  # type: ignore[no-untyped-def]  # the case itself


def unresolvable(a: Decimal) -> None: ...


def two_contexts(a: Context, b: Context) -> None: ...


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (positional_only, "parameter `a` of .*positional_only is positional-only"),
        (any_number, "parameter `a` of .*any_number takes any number of arguments"),
        (any_keyword, "parameter `a` of .*any_keyword takes any keyword"),
        (without_annotation, "parameter `a` of .*without_annotation has no annotation"),
        (unresolvable, "parameter `a` of .*unresolvable cannot .*'Decimal'.*TYPE_CHECKING"),
        (two_contexts, "parameter `b` of .*two_contexts is a second context, beside `a`"),
    ],
)
def test_a_signature_that_cannot_be_called_names_function_and_parameter(
    function: object, message: str
) -> None:
    with pytest.raises(DeclarationError, match=message):
        read(function)


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers(), min_size=1))
def test_what_is_given_arrives_under_its_name(given: dict[str, int]) -> None:
    def collect(a: int = 0, b: int = 0, c: int = 0) -> dict[str, int]:
        return {"a": a, "b": b, "c": c}

    assert call(collect, given) == {"a": 0, "b": 0, "c": 0} | given
