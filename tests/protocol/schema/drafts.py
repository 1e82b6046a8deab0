"""What the two drafts of JSON Schema say about a value, by the library jsonschema."""

from __future__ import annotations

from typing import Any, Literal

import jsonschema  # type: ignore[import-untyped]  # it has no types

Draft = Literal["2020-12", "draft-07"]

DRAFTS: tuple[Draft, ...] = ("2020-12", "draft-07")

_VALIDATORS: dict[Draft, Any] = {
    "2020-12": jsonschema.Draft202012Validator,
    "draft-07": jsonschema.Draft7Validator,
}


def check_schema(schema: object) -> None:
    """Fail unless *schema* is one, in both drafts."""
    for validator in _VALIDATORS.values():
        validator.check_schema(schema)


def is_valid(
    schema: object, value: object, draft: Draft = "2020-12", *, formats: bool = False
) -> bool:
    """Whether *value* fits; *formats* for a validator that enforces them."""
    make = _VALIDATORS[draft]
    return bool(
        make(schema, format_checker=make.FORMAT_CHECKER if formats else None).is_valid(value)
    )


def is_valid_in_both(schema: object, value: object, *, formats: bool = False) -> bool:
    """Whether *value* fits, by either draft."""
    return all(is_valid(schema, value, draft, formats=formats) for draft in DRAFTS)
