"""The JSON gate: what passes, what does not and where, and that what passed is detached."""

from __future__ import annotations

import copy
import dataclasses
import datetime as dt
import decimal
import enum
import json
import math
from collections import OrderedDict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

import attrs
import pytest
from hypothesis import given, note, strategies as st

from tests.strategies import json_values, jsons, names, texts
from trio_agent.errors import ContractError, abridge
from trio_agent.limits import DEEPEST
from trio_agent.vocabulary import json as gate
from trio_agent.vocabulary.json import (
    SAFE_INTEGER,
    Json,
    JsonValue,
    escape_surrogates,
    quote,
    utf8_size,
)


@attrs.frozen
class Receipt:
    path: str
    parts: tuple[object, ...] = ()


@dataclasses.dataclass
class Plain:
    x: int = 1


class Text(str):
    __slots__ = ()


class Number(enum.IntEnum):
    ONE = 1


def refusal(value: object, place: str = "value") -> str:
    with pytest.raises(ContractError) as caught:
        Json.of(value, place)
    assert caught.value.code == "invalid-document"
    return caught.value.message


def parse_refusal(text: str) -> str:
    with pytest.raises(ContractError) as caught:
        Json.parse(text)
    assert caught.value.code == "invalid-document"
    return caught.value.message


def nested(levels: int, innermost: object) -> object:
    for _ in range(levels):
        innermost = [innermost]
    return innermost


def reference_nodes(value: object) -> int:
    match value:
        case dict():
            return 1 + sum(reference_nodes(item) for item in value.values())
        case list():
            return 1 + sum(reference_nodes(item) for item in value)
        case _:
            return 1


def reference_depth(value: object) -> int:
    match value:
        case dict():
            return 1 + max((reference_depth(item) for item in value.values()), default=0)
        case list():
            return 1 + max((reference_depth(item) for item in value), default=0)
        case _:
            return 1


# ---------------------------------------------------------------- what passes


@given(json_values())
def test_json_comes_back_as_it_went_in(value: JsonValue) -> None:
    assert Json.of(value).value == value


@given(json_values())
def test_text_is_compact_json_that_utf8_can_carry(value: JsonValue) -> None:
    frozen = Json.of(value)

    assert json.loads(frozen.text.encode()) == value
    assert frozen.size == len(frozen.text.encode())
    assert frozen.text == escape_surrogates(
        json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    )


@given(json_values(max_leaves=16))
def test_values_and_levels_are_counted(value: JsonValue) -> None:
    frozen = Json.of(value)

    assert frozen.nodes == reference_nodes(value)
    assert frozen.depth == reference_depth(value)


@given(json_values())
def test_the_slow_path_gives_what_the_quick_one_gives(value: JsonValue) -> None:
    # An attrs instance anywhere sends all of the value down the slow path.
    plain: dict[str, JsonValue] = {"path": "a", "parts": ()}
    slow = Json.of([Receipt("a"), value])
    quick = Json.of([plain, value])

    assert attrs.astuple(slow) == attrs.astuple(quick)


@given(jsons())
def test_parsing_the_text_gives_an_equal_value(frozen: Json) -> None:
    assert attrs.astuple(Json.parse(frozen.text)) == attrs.astuple(frozen)


@given(jsons(), names())
def test_a_json_inside_of_json_is_its_value(frozen: Json, name: str) -> None:
    assert Json.of(frozen) == frozen
    assert Json.of({name: [frozen]}) == Json.of({name: [frozen.value]})


def test_tuples_count_as_lists() -> None:
    assert Json.of({"a": (1, (2,))}).text == '{"a":[1,[2]]}'


def test_the_safe_integers_are_exactly_those_of_javascript() -> None:
    for number in (SAFE_INTEGER, -SAFE_INTEGER):
        assert Json.of([number]).value == [number]
        assert Json.parse(str(number)).value == number
    assert float(SAFE_INTEGER) == SAFE_INTEGER
    assert float(SAFE_INTEGER + 2) != SAFE_INTEGER + 2


def test_a_value_may_be_as_deep_as_the_deepest_limit() -> None:
    assert Json.of(nested(DEEPEST - 1, 1)).depth == DEEPEST
    assert Json.of(nested(DEEPEST - 1, [])).depth == DEEPEST
    assert Json.of(nested(DEEPEST - 1, {})).depth == DEEPEST
    assert Json.of(nested(DEEPEST - 2, Receipt("a"))).depth == DEEPEST
    assert Json.parse("[" * DEEPEST + "]" * DEEPEST).depth == DEEPEST


def test_the_same_list_may_stand_in_two_places() -> None:
    shared = [1]

    assert Json.of({"a": shared, "b": shared}).text == '{"a":[1],"b":[1]}'


@given(json_values())
def test_a_python_without_the_c_encoder_writes_the_same(value: JsonValue) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json.encoder, "c_make_encoder", None)
        slow = gate._make_encoder()

    assert slow is not gate._encode
    assert slow(value) == gate._encode(value)


# ---------------------------------------------------------------- what does not


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_a_number_that_is_not_finite_is_refused(number: float) -> None:
    assert refusal({"ratio": number}) == (
        f"value.ratio is a non-finite number, {number!r}; JSON has none"
    )


@pytest.mark.parametrize("number", [2**53, -(2**53), 2**126])
def test_an_integer_that_javascript_would_round_is_refused(number: int) -> None:
    assert refusal({"id": [0, number]}) == (
        f"value.id[1] is an integer beyond ±(2**53 - 1), {number}; use a string"
    )


def test_an_integer_too_long_to_print_is_refused_by_its_bits() -> None:
    assert refusal([10**10_000]) == (
        "value[0] is an integer beyond ±(2**53 - 1), of 33220 bits; use a string"
    )


NOT_JSON: Final[list[tuple[object, str]]] = [
    ({1}, "builtins.set"),
    (frozenset({1}), "builtins.frozenset"),
    (dt.date(2026, 1, 2), "datetime.date"),
    (dt.datetime(2026, 1, 2, tzinfo=dt.UTC), "datetime.datetime"),
    (decimal.Decimal(1), "decimal.Decimal"),
    (b"bytes", "builtins.bytes"),
    (bytearray(b"bytes"), "builtins.bytearray"),
    (1j, "builtins.complex"),
    (object(), "builtins.object"),
    (range(3), "builtins.range"),
    (Plain(), f"{__name__}.Plain"),
    (Plain, "builtins.type"),
    (Receipt, "builtins.type"),
    (Text("a"), f"{__name__}.Text"),
    (Number.ONE, f"{__name__}.Number"),
    (OrderedDict(a=1), "collections.OrderedDict"),
    (MappingProxyType({"a": 1}), "builtins.mappingproxy"),
    ({"a": 1}.keys(), "builtins.dict_keys"),
    (len, "builtins.builtin_function_or_method"),
]


@pytest.mark.parametrize(("value", "kind"), NOT_JSON, ids=[abridge(value) for value, _ in NOT_JSON])
@pytest.mark.parametrize(
    ("wrap", "path"),
    [
        (lambda value: value, "the value"),
        (lambda value: {"a": {"b": [0, "", value]}}, "the value.a.b[2]"),
        (lambda value: [Receipt("a"), (value,)], "the value[1][0]"),
    ],
    ids=["alone", "nested", "beside attrs"],
)
def test_what_is_not_json_is_refused_with_its_path(
    value: object, kind: str, wrap: Callable[[object], object], path: str
) -> None:
    assert (
        refusal(wrap(value), "the value") == f"{path} is an instance of {kind}, which is not JSON"
    )


@pytest.mark.parametrize(
    "key", [1, None, True, 1.5, ("a",), b"a", Text("a"), 10**5000], ids=abridge
)
def test_a_key_is_a_string(key: object) -> None:
    shown = "<int that cannot be shown>" if key == 10**5000 else repr(key)

    assert refusal({"a": [{key: 1}]}) == (f"value.a[0] has the key {shown}; a JSON key is a string")


def test_one_level_more_than_the_deepest_is_refused() -> None:
    innermosts: list[object] = [1, [], {}, Receipt("a")]
    for innermost in innermosts:
        message = refusal(nested(DEEPEST, innermost))
        assert message.startswith("value[0][0]")
        assert message.endswith(" nests deeper than 256 levels, or is a cycle")
        assert len(message) < 300


def test_a_cycle_of_lists_or_of_members_is_refused() -> None:
    around: list[object] = []
    around.append(around)
    members: dict[str, object] = {}
    members["self"] = [members]

    assert "is a cycle" in refusal(around)
    assert "is a cycle" in refusal(members)


def test_a_cycle_through_an_attrs_instance_is_refused() -> None:
    parts: list[object] = []
    around = attrs.evolve(Receipt("a"), parts=(parts,))
    parts.append(around)

    assert "is a cycle" in refusal(around)


@given(jsons())
def test_a_coroutine_is_refused_and_named(frozen: Json) -> None:
    async def later() -> None: ...

    coroutine = later()
    try:
        assert "builtins.coroutine" in refusal([frozen.value, coroutine])
    finally:
        coroutine.close()


# ---------------------------------------------------------------- strict reading


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_parsing_knows_no_constants_but_jsons(constant: str) -> None:
    assert parse_refusal(f'{{"a":{constant}}}') == (
        f"value is not JSON: {constant} is not a JSON number"
    )


def test_parsing_refuses_a_number_that_overflows() -> None:
    assert parse_refusal('{"a":1e999}') == ("value.a is a non-finite number, inf; JSON has none")


def test_parsing_refuses_an_integer_that_javascript_would_round() -> None:
    assert parse_refusal('{"id":[9007199254740993]}') == (
        "value.id[0] is an integer beyond ±(2**53 - 1), 9007199254740993; use a string"
    )


@pytest.mark.parametrize("digits", [4001, 10_000])
def test_parsing_refuses_an_integer_too_long_to_read(digits: int) -> None:
    assert parse_refusal("1" * digits) == (
        f"value is not JSON: an integer of {digits} digits is beyond ±(2**53 - 1)"
    )
    assert "bits" in parse_refusal("1" * 4000)


def test_parsing_never_merges_members_silently() -> None:
    assert parse_refusal('[{"b":0,"a":1,"c":2,"a":3}]') == (
        "value is not JSON: the member 'a' comes more than once"
    )


@pytest.mark.parametrize("text", ["", " ", "{", "[1,]", "{a:1}", "1 2", "'a'", "\ufeff1", "01"])
def test_parsing_refuses_what_is_not_json(text: str) -> None:
    assert parse_refusal(text).startswith("value is not JSON: ")


@pytest.mark.parametrize("levels", [DEEPEST + 1, 100_000])
@pytest.mark.parametrize("brackets", ["[]", ('{"a":', "}")], ids=["lists", "objects"])
def test_parsing_refuses_deep_nesting(levels: int, brackets: tuple[str, str]) -> None:
    left, right = brackets

    assert "nests" in parse_refusal(left * levels + "1" + right * levels)


def test_parsing_names_the_place_it_was_told() -> None:
    with pytest.raises(ContractError, match=r"^props\.a is a non-finite"):
        Json.parse('{"a":1e999}', "props")


@given(texts() | jsons().map(lambda frozen: frozen.text))
def test_parsing_any_text_gives_json_or_one_clear_error(text: str) -> None:
    try:
        parsed = Json.parse(text)
    except ContractError as error:
        note(error.message)
    else:
        assert json.loads(text) == parsed.value


# ---------------------------------------------------------------- frozen


@given(st.lists(json_values(), min_size=1), json_values())
def test_what_changes_later_does_not_reach_it(value: list[JsonValue], more: JsonValue) -> None:
    before = copy.deepcopy(value)
    frozen = Json.of({"list": value})
    value.append(more)

    assert frozen.value == {"list": before}


def test_every_reader_gets_a_copy_of_its_own() -> None:
    frozen = Json.of({"a": [1]})
    mine: Any = frozen.value
    mine["a"].append(2)

    assert frozen.value == {"a": [1]}


@pytest.mark.parametrize("name", ["text", "size", "nodes", "depth", "value"])
def test_it_is_frozen(name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(Json.of(1), name, 2)


def test_it_is_equal_when_its_text_is() -> None:
    assert Json.of([1]) == Json.of((1,))
    assert hash(Json.of([1])) == hash(Json.of((1,)))
    assert Json.of(1) != Json.of(1.0)
    assert Json.of({"a": 1, "b": 2}) != Json.of({"b": 2, "a": 1})
    assert repr(Json.of([1])) == "Json(text='[1]')"


# ---------------------------------------------------------------- strings


@given(texts())
def test_a_quoted_string_is_one_that_utf8_can_carry(text: str) -> None:
    assert json.loads(quote(text).encode()) == text


@given(texts())
def test_a_string_is_quoted_as_the_gate_writes_it(text: str) -> None:
    assert quote(text) == Json.of(text).text
    assert utf8_size(quote(text)) == Json.of(text).size


@given(texts())
def test_the_size_is_that_of_the_text_once_its_surrogates_are_escapes(text: str) -> None:
    assert utf8_size(text) == len(escape_surrogates(text).encode())


def test_a_lone_surrogate_takes_the_six_bytes_of_its_escape() -> None:
    assert utf8_size("\ud800") == 6
    assert utf8_size("é\ud800") == 8
    assert utf8_size("é") == 2


def test_a_lone_surrogate_is_written_as_an_escape_even_after_a_backslash() -> None:
    assert quote("\\\ud800é") == r'"\\\ud800é"'
    assert Json.of({"\udfff": "\\\ud800"}).text == r'{"\udfff":"\\\ud800"}'
    assert Json.parse(r'"\ud800"').text == r'"\ud800"'
