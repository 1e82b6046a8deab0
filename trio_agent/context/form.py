"""Forms: what a user can be asked to fill in, and what makes one.

    attrs class      its schema, restricted to what hosts can draw; read as an instance: `form_class`
    JSON Schema      as it was written; read as a mapping: `form_schema`

Sans-I/O.  Below: `protocol.schema`.  Above: `asking`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from trio_agent.context.form_schema import SchemaForm
from trio_agent.errors import abridge
from trio_agent.protocol.schema.declared import is_attrs_class
from trio_agent.protocol.schema.issues import DeclarationError

if TYPE_CHECKING:
    from collections.abc import Mapping


class Form(Protocol):
    """A form, ready to be shown."""

    @property
    def schema(self) -> Mapping[str, object]:
        """What the host is sent."""
        ...

    def read(self, content: dict[str, object]) -> object:
        """What was filled in.

        A member that is null and not required counts as left out: some hosts send that for an
        input that was left empty.

        Raises:
            SchemaError: it does not fit; it has every issue.
        """
        ...


def make_form(schema: object) -> Form:
    """The form of an attrs class, or of a JSON Schema.

    Raises:
        DeclarationError: it is neither, or no host can draw it; names the member.
    """
    if isinstance(schema, dict):
        return SchemaForm.of(cast("dict[str, object]", schema))
    if is_attrs_class(schema):
        # lazy: it imports cattrs, and the other kind of form needs none of it.
        from trio_agent.context.form_class import ClassForm  # noqa: PLC0415

        return ClassForm.of(schema)
    raise DeclarationError(
        f"elicit() takes an attrs class or a JSON Schema, received {abridge(schema)}"
    )
