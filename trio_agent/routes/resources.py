"""Resources: the decorator `@resource`, and what it makes of a function.

    -> str             text
    -> bytes           a blob, in base64
    -> Node            one content for each leaf
    -> other data      JSON

A URI may be a template (`protocol.uri_template`); then its variables are parameters of the
handler, and come as text that is read by their types (`protocol.schema.texts`).  How a handler
runs is the same for every route: `handler`.

A `ResourceRoute` deliberately does not know its own name: the path of the module is the identity.
Above: `application`, and the MCP surface.  The arguments are those that `static` reads.
"""

from __future__ import annotations

import base64
from functools import cached_property
from typing import TYPE_CHECKING, ParamSpec, cast, final

import attrs

from trio_agent.errors import ContractError
from trio_agent.limits import LimitOverrides
from trio_agent.protocol.schema.declared import declared_fields, union_members
from trio_agent.protocol.schema.texts import as_text, can_be_text, from_texts
from trio_agent.protocol.schema.words import expected_words
from trio_agent.protocol.uri_template import UriTemplate
from trio_agent.routes.answer import Answer, answer_of, return_annotation
from trio_agent.routes.declaring import (
    check_facts,
    checked_handler,
    checked_limits,
    detached,
    detached_all,
)
from trio_agent.routes.decorated import first_paragraph
from trio_agent.routes.handler import Handled
from trio_agent.routes.plugin import PluginError
from trio_agent.shown import shown
from trio_agent.vocabulary.media import ResourceNode
from trio_agent.vocabulary.plain import to_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import FunctionType

    from trio_agent.routes.answer import Answering
    from trio_agent.vocabulary.element import ComponentFunction, Node

P = ParamSpec("P")


@final
@attrs.frozen(kw_only=True, eq=False)
class ResourceRoute(Handled):
    """A resource, or with a template any number of them.  Made by `resource`.

    Attributes:
        handler: the author's function, to be called directly in its tests.
        name: its qualified name, for errors.
        template: of the URI; without variables it is the URI.
        mime_type: of the content.
        description: of the decorator, else the first paragraph of the function's docstring.
        title: for people; a listing makes one of the resource's name when there is none.
        icons: JSON objects with `src`, for the listing.
        annotations: hints for the host, for the listing.
        meta: `_meta` of the listing.
        size: bytes, for the listing.
        form_schema: the literal that `input_schema=` gave, for forms; reading has the types.
        limits: the route's own, over the runtime's.
        result: the type that `result=` names.
        thread: whether a `def` runs in a worker thread.
    """

    handler: ComponentFunction
    name: str
    template: UriTemplate
    mime_type: str | None = None
    description: str | None = None
    title: str | None = None
    icons: tuple[Mapping[str, object], ...] = ()
    annotations: Mapping[str, object] | None = None
    meta: Mapping[str, object] | None = None
    size: int | None = None
    form_schema: Mapping[str, object] | None = None
    limits: LimitOverrides = attrs.field(factory=LimitOverrides)
    result: object | None = None
    thread: bool = True

    __repr__ = shown

    @property
    def uri(self) -> str:
        """As it was written: a URI, or a template."""
        return self.template.text

    @property
    def is_template(self) -> bool:
        """Whether the URI has variables."""
        return bool(self.template.variables)

    def match(self, uri: str) -> dict[str, str] | None:
        """What the variables are for *uri*; None when it is no URI of this resource.

        To be given to `structure`.
        """
        return self.template.match(uri)

    @cached_property
    def answer(self) -> Answering:
        """What the handler answers with.

        Raises:
            PluginError: its return annotation does not say.
        """
        others = [one for one in self._returned if one is not bytes]
        if not others:
            if self.result is not None:
                raise PluginError(f"{self.name} returns bytes, so its result= says nothing")
            return Answer(is_nodes=False, declared=None)
        rest, *more = others
        for one in more:
            rest = cast("type", rest) | cast("type", one)
        return answer_of(rest, self.name, self.result)

    @cached_property
    def _returned(self) -> tuple[object, ...]:
        """What the handler may return, by its annotation."""
        annotation = return_annotation(cast("FunctionType", self.handler), self.name)
        return union_members(annotation) or (annotation,)

    def check(self) -> None:
        """Find out now what is wrong with the function: see `Handled.check`.

        Raises:
            PluginError: also when variables and parameters do not fit each other.
        """
        super().check()
        fields = {
            field.alias: field
            for field in declared_fields(self.signature.input_type)
            if not field.computed
        }
        for name in self.template.variables:
            if name not in fields:
                known = ", ".join(fields) or "none"
                raise PluginError(
                    f"the URI {self.uri!r:.120} has the variable {name}, which is no parameter of"
                    f" {self.name}; it has {known}"
                )
            if not can_be_text(fields[name].type_):
                raise PluginError(
                    f"the parameter {name} of {self.name} is"
                    f" {expected_words(fields[name].type_)}, and a variable of the URI"
                    f" {self.uri!r:.120} is text"
                )
        for name, field in fields.items():
            if field.required and name not in self.template.variables:
                raise PluginError(
                    f"the parameter {name} of {self.name} has no default, and the URI"
                    f" {self.uri!r:.120} has no variable {name}"
                )

    def structure(self, data: object) -> attrs.AttrsInstance:
        """Read the variables: see `Handled.structure`; strings are read by the declared types.

        Raises:
            SchemaError: they do not fit; it has every issue with its path, beginning `input`.
        """
        if isinstance(data, dict):
            members = cast("Mapping[str, object]", data)
            data = from_texts(self.signature.input_type, members)
        return super().structure(data)

    def to_node(self, returned: object, input_value: attrs.AttrsInstance) -> Node:
        """What is rendered for a return value: see `Handled.to_node`; bytes become a blob."""
        if not isinstance(returned, bytes) or bytes not in self._returned:
            return super().to_node(returned, input_value)
        blob = base64.b64encode(returned).decode("ascii")
        return ResourceNode(
            uri=self._uri_of(input_value),
            name=self.title or self.name,
            mime_type=self.mime_type,
            # There is no base64 of nothing.
            blob=blob or None,
            text=None if blob else "",
        )

    def _uri_of(self, input_value: attrs.AttrsInstance) -> str:
        plain = cast("Mapping[str, object]", to_plain(input_value, "input"))
        return self.template.expand(
            {name: as_text(plain[name]) for name in self.template.variables}
        )


def resource(  # noqa: PLR0913  # one argument per thing a resource can say
    *,
    uri: str,
    mime_type: str | None = None,
    description: str | None = None,
    title: str | None = None,
    icons: Sequence[Mapping[str, object]] = (),
    annotations: Mapping[str, object] | None = None,
    meta: Mapping[str, object] | None = None,
    size: int | None = None,
    render: LimitOverrides | None = None,
    result: object | None = None,
    input_schema: Mapping[str, object] | None = None,
    thread: bool = True,
) -> Callable[[Callable[P, object]], ResourceRoute]:
    """Make a function a resource of the server below whose `resources/` folder its module lies.

    All arguments but *result* are literals, since they are read without importing the module.

    Args:
        uri: absolute, `curator://catalog`; or a template, `curator://book/{id}` and
            `curator://file/{+path}`, whose variables are parameters of the function.
        mime_type: of the content; by default that of what is returned.
        description: for people and models; by default the first paragraph of the docstring.
        title: for people; by default the resource's name in words.
        icons: JSON objects, each with `src`.
        annotations: JSON object of hints for the host (MCP's annotations).
        meta: JSON object, the `_meta` of the listing.
        size: bytes of the content, if it is always the same.
        render: limits of this resource, `{"max_elapsed_s": 300}`; at most a day.
        result: the type of the value, for a handler that returns nodes.
        input_schema: JSON Schema for forms that are made without importing the module; reading
            uses the parameters' types.
        thread: False runs a `def` on the Trio thread; it must not block then.

    Returns:
        A decorator; the name in the module becomes a `ResourceRoute`.  A handler returns text,
        bytes, nodes, each leaf of which becomes a content, or data, which becomes JSON.

    Raises:
        PluginError: an argument is not what it takes; *uri* is no template that can be matched;
            the decorated thing is no function, or is a generator.
        ContractError: `invalid-limits`, *render* is unknown or out of range.
    """
    check_facts(
        "resource",
        {
            "uri": uri,
            "mime_type": mime_type,
            "description": description,
            "title": title,
            "icons": icons,
            "annotations": annotations,
            "meta": meta,
            "size": size,
            "render": render,
            "input_schema": input_schema,
            "thread": thread,
        },
    )
    template = _parsed(uri)
    icon_objects = detached_all(icons, "icons")
    hints, meta_object = detached(annotations, "annotations"), detached(meta, "meta")
    schema = detached(input_schema, "input_schema")
    limits = checked_limits(render)

    def decorate(function: Callable[P, object]) -> ResourceRoute:
        handler = checked_handler(function, "resource")
        return ResourceRoute(
            handler=cast("ComponentFunction", handler),
            name=handler.__qualname__,
            template=template,
            mime_type=mime_type,
            description=description or first_paragraph(function.__doc__),
            title=title,
            icons=icon_objects,
            annotations=hints,
            meta=meta_object,
            size=size,
            form_schema=schema,
            limits=limits,
            result=result,
            thread=thread,
        )

    return decorate


def _parsed(uri: str) -> UriTemplate:
    try:
        return UriTemplate.parse(uri)
    except ContractError as error:
        raise PluginError(f"@resource: {error.message}") from None
