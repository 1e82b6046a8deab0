"""What authors add to a schema: keywords of a class, and headers of HTTP."""

from __future__ import annotations

from typing import Annotated, Any

import attrs
import pytest

from trio_agent.errors import ContractError
from trio_agent.protocol.schema.constraint import Header
from trio_agent.protocol.schema.issues import DeclarationError
from trio_agent.protocol.schema.json_schema import input_schema, output_schema
from trio_agent.protocol.schema.keywords import schema_keywords

EITHER: dict[str, object] = {"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}


@schema_keywords({"$schema": "https://json-schema.org/draft/2020-12/schema", **EITHER})
@attrs.frozen
class Contact:
    """Somebody."""

    phone: str = ""
    email: str = ""


@schema_keywords({"$anchor": "street", "$defs": {"number": {"minimum": 1}}})
@attrs.frozen
class Street:
    name: str
    number: int


def test_keywords_of_a_class_stand_before_its_own() -> None:
    schema = input_schema(Contact)
    assert list(schema)[:2] == ["$schema", "anyOf"]
    assert schema["anyOf"] == EITHER["anyOf"]
    assert (schema["type"], schema["additionalProperties"]) == ("object", False)
    assert schema["description"] == "Somebody."


def test_keywords_go_where_the_class_goes_and_not_to_its_subclasses() -> None:
    @attrs.frozen
    class Outer:
        one: Contact

    class Inheriting(Contact):
        """Another."""

    outer: Any = output_schema(Outer)
    assert outer["properties"]["one"]["anyOf"] == EITHER["anyOf"]
    assert "anyOf" not in input_schema(Inheriting)


def test_a_description_among_the_keywords_wins_over_the_docstring() -> None:
    @schema_keywords({"description": "for models"})
    @attrs.frozen
    class Told:
        """For people."""

    assert input_schema(Told)["description"] == "for models"


def test_changing_the_keywords_afterwards_changes_nothing() -> None:
    given: dict[str, Any] = {"examples": [{}]}

    @schema_keywords(given)
    @attrs.frozen
    class Empty:
        """Nothing."""

    given["examples"].append({})
    schema: Any = input_schema(Empty)
    schema["examples"].append({})
    assert input_schema(Empty)["examples"] == [{}]


@attrs.frozen
class Town:
    high: Street
    low: Street


def test_a_class_with_an_anchor_stands_once_in_the_definitions() -> None:
    schema: Any = input_schema(Town)
    reference = {"$ref": "#/$defs/Street"}
    assert schema["properties"] == {"high": reference, "low": reference}
    assert schema["$defs"]["Street"]["$anchor"] == "street"
    assert schema["$defs"]["number"] == {"minimum": 1}
    assert "$defs" not in schema["$defs"]["Street"]


def test_a_root_with_an_anchor_is_written_out_without_it() -> None:
    schema = input_schema(Street)
    assert "$anchor" not in schema
    assert schema["$defs"] == {"number": {"minimum": 1}}


@attrs.frozen
class Other:
    clash: Street
    second: Clash


@schema_keywords({"$defs": {"number": {"minimum": 2}}})
@attrs.frozen
class Clash:
    """The same name, another definition."""


@schema_keywords({"$defs": {"number": {"minimum": 1}}})
@attrs.frozen
class Same:
    """The same name, the same definition."""


@attrs.frozen
class Agreeing:
    one: Street
    other: Same


def test_equal_definitions_are_one() -> None:
    schema: Any = input_schema(Agreeing)
    assert schema["$defs"]["number"] == {"minimum": 1}


def test_a_name_in_the_definitions_stands_for_one_thing() -> None:
    with pytest.raises(DeclarationError, match="'number' in '\\$defs' is another definition"):
        input_schema(Other)


@pytest.mark.parametrize(
    ("keywords", "why"),
    [
        ({"type": "array"}, "'type' cannot be given, the fields say that"),
        ({"required": []}, "'required' cannot be given, the fields say that"),
        ({"$id": "x:y"}, "'\\$id' cannot be given, references would lead elsewhere"),
    ],
)
def test_what_the_fields_say_is_not_said_twice(keywords: dict[str, object], why: str) -> None:
    with pytest.raises(DeclarationError, match=why):
        schema_keywords(keywords)


def test_keywords_are_json_and_definitions_an_object() -> None:
    with pytest.raises(ContractError, match="keywords"):
        schema_keywords({"default": object()})

    @schema_keywords({"$defs": []})
    @attrs.frozen
    class Bad:
        """Nothing."""

    with pytest.raises(DeclarationError, match="'\\$defs' is an object, received \\[\\]"):
        input_schema(Bad)


# ------------------------------------------------------------------------------ headers


@attrs.frozen
class Deeper:
    zone: Annotated[int, Header("Zone")]


@attrs.frozen
class Routed:
    region: Annotated[str, Header("Region")]
    deeper: Deeper


def test_a_header_is_in_the_schema_of_an_input_and_of_no_value() -> None:
    schema: Any = input_schema(Routed)
    members = schema["properties"]
    assert members["region"] == {"type": "string", "x-mcp-header": "Region"}
    assert members["deeper"]["properties"]["zone"] == {"type": "integer", "x-mcp-header": "Zone"}
    assert "x-mcp-header" not in str(output_schema(Routed))


@attrs.frozen
class Item:
    zone: Annotated[int, Header("Zone")]


@attrs.frozen
class Twice:
    one: Annotated[str, Header("Region")]
    other: Annotated[bool, Header("region")]


@attrs.frozen
class InList:
    zones: list[Annotated[str, Header("Zone")]]


@attrs.frozen
class InListOfClasses:
    items: list[Item]


@attrs.frozen
class Nullable:
    zone: Annotated[str | None, Header("Zone")]


@attrs.frozen
class Fraction:
    share: Annotated[float, Header("Share")]


@pytest.mark.parametrize(
    ("type_", "why"),
    [
        (Twice, r"Twice.other: Header\(name='region'\) is already the header of another field"),
        (InList, r"InList.zones: Header\(name='Zone'\) may stand at a field of the input"),
        (InListOfClasses, r"Item.zone: Header\(name='Zone'\) may stand at a field of the input"),
        (
            Nullable,
            r"Nullable.zone: Header\(name='Zone'\) is for a string, an integer or a boolean",
        ),
        (Fraction, r"Fraction.share: Header\(name='Share'\) is for a string, an integer or a boo"),
    ],
)
def test_a_header_that_clients_would_refuse_is_refused(type_: Any, why: str) -> None:
    with pytest.raises(DeclarationError, match=why):
        input_schema(type_)


@pytest.mark.parametrize("name", ["", "two words", "colon:", "é", 3])
def test_the_name_of_a_header_is_a_token(name: Any) -> None:
    with pytest.raises(DeclarationError, match="Header takes a token of RFC 9110"):
        Header(name)
