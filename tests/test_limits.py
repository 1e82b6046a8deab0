"""The limits: their defaults, and what is no limit."""

from __future__ import annotations

import math
from typing import Any, get_type_hints

import attrs
import pytest
from hypothesis import given, strategies as st

from trio_agent.errors import ContractError
from trio_agent.limits import DAY_S, DEEPEST, LimitOverrides, Limits

NAMES = [field.name for field in attrs.fields(Limits)]
COUNTS = [name for name in NAMES if name != "max_elapsed_s"]
DEPTHS = ["max_document_depth", "max_component_depth"]


def refusal(name: str, value: Any) -> str:
    limits: dict[str, Any] = {name: value}
    with pytest.raises(ContractError) as caught:
        Limits(**limits)
    assert caught.value.code == "invalid-limits"
    return caught.value.message


def test_the_defaults_are_those_of_the_reference_where_it_has_the_limit() -> None:
    assert attrs.asdict(Limits()) == {
        "max_document_bytes": 1_048_576,
        "max_document_depth": 64,
        "max_document_nodes": 10_000,
        "max_media_bytes": 8_388_608,
        "max_event_bytes": 1_048_576 + 1024,
        "max_event_rate": 1_000,
        "max_events": 10_000,
        "max_elapsed_s": 60.0,
        "max_component_depth": 200,
        "max_frame_bytes": 10 * 1_048_576,
    }
    assert DAY_S * 1000 == 86_400_000


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("value", [0, -1, 1.5, 2.0, math.nan, math.inf, True, "3", None], ids=repr)
def test_a_count_is_a_positive_integer(name: str, value: Any) -> None:
    assert refusal(name, value) == f"{name} is a positive integer, received {value!r}"


@pytest.mark.parametrize(
    "value", [0, 0.0, -1, -0.5, math.nan, math.inf, -math.inf, True, "3", None], ids=repr
)
def test_a_time_is_a_positive_number_of_seconds(value: Any) -> None:
    assert refusal("max_elapsed_s", value) == (
        f"max_elapsed_s is a positive number of seconds, received {value!r}"
    )


@pytest.mark.parametrize("name", DEPTHS)
def test_a_depth_is_bounded_by_what_python_can_recurse(name: str) -> None:
    deepest: dict[str, Any] = {name: DEEPEST}

    assert getattr(Limits(**deepest), name) == 256
    assert refusal(name, 257) == f"{name} is at most 256, received 257"


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_events", -(10**5000)), ("max_document_depth", 10**5000), ("max_elapsed_s", 10**5000)],
    ids=["count", "depth", "seconds"],
)
def test_a_number_too_long_to_print_is_refused_like_any_other(name: str, value: int) -> None:
    assert "<int that cannot be shown>" in refusal(name, value)


def test_a_time_may_be_an_integer_or_part_of_a_second() -> None:
    assert Limits(max_elapsed_s=5).max_elapsed_s == 5
    assert Limits(max_elapsed_s=1e-9).max_elapsed_s == 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_limits_are_frozen(name: str) -> None:
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(Limits(), name, 1)


def test_overrides_have_the_names_of_the_limits() -> None:
    hints = get_type_hints(LimitOverrides)

    assert list(hints) == NAMES
    assert hints == {field.name: field.type for field in attrs.fields(attrs.resolve_types(Limits))}


def test_nothing_to_override_changes_nothing() -> None:
    limits = Limits(max_events=3)

    assert limits.overridden({}) is limits


@given(
    ours=st.dictionaries(st.sampled_from(NAMES), st.integers(1, 256)),
    theirs=st.dictionaries(st.sampled_from(NAMES), st.integers(1, 256)),
)
def test_what_is_overridden_wins_and_the_rest_stays(
    ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    limits = Limits(**ours)
    overrides: Any = theirs

    assert attrs.asdict(limits.overridden(overrides)) == attrs.asdict(limits) | theirs
    assert attrs.asdict(limits) == attrs.asdict(Limits()) | ours


def test_an_unknown_name_is_refused_and_the_known_ones_are_listed() -> None:
    overrides: Any = {"max_document_byte": 3}
    with pytest.raises(ContractError) as caught:
        Limits().overridden(overrides)

    assert caught.value.code == "invalid-limits"
    assert caught.value.message == (
        f"'max_document_byte' is not a limit; there are {', '.join(NAMES)}"
    )


def test_an_override_out_of_range_is_refused() -> None:
    with pytest.raises(ContractError, match="max_events is a positive integer, received 0"):
        Limits().overridden({"max_events": 0})
