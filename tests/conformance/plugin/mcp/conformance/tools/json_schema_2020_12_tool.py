"""A tool whose input follows a rule that no type can express.

`@schema_keywords` publishes the rule, so that models keep to it; `__attrs_post_init__` enforces it.
A class with an `$anchor` stands once in the schema, and the places that use it refer to it.
"""

from typing import Literal

import attrs

from trio_agent import schema_keywords, tool


@schema_keywords({"$anchor": "addressDef"})
@attrs.frozen
class address:  # noqa: N801  # the suite looks for a definition of this name
    street: str = ""
    city: str = ""


@schema_keywords(
    {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
    }
)
@attrs.frozen
class Contact:
    name: str = ""
    home: address | None = attrs.field(default=None, alias="address")
    method: Literal["phone", "email"] = attrs.field(default="email", alias="contactMethod")
    phone: str | None = None
    email: str | None = None

    def __attrs_post_init__(self) -> None:
        if (self.phone if self.method == "phone" else self.email) is None:
            raise ValueError(f"a contact by {self.method} needs that")


@tool(description="Tool with JSON Schema 2020-12 features", read_only=True)
async def json_schema_2020_12_tool(contact: Contact) -> str:
    return f"{contact.name} can be reached by {contact.method}."
