"""The signature of a handler: which class its input is, and how it wants to be called.

A handler takes its input either as one attrs class or as plain parameters, which become a frozen
attrs class of their own, and, wherever it likes, one context, found by its type:

    async def audit(params: AuditInput, context: CommandContext) -> Node
    async def add(a: int, b: Annotated[int, Ge(0)] = 0) -> int

Annotations are evaluated with the names of the handler's module, each by itself, so an error names
its parameter.  The return annotation is left to whoever needs it.  The annotation of the context
may stand under `if TYPE_CHECKING`: then its name is what counts.

Nothing here reads a value or decides whether a type has a wire form; `structuring` does.
"""

from __future__ import annotations

import inspect
import types
import typing
from typing import TYPE_CHECKING, Final, cast, final

import attrs

from trio_agent.protocol.schema.declared import (
    PLACE,
    bare_type,
    is_attrs_class,
    union_members,
    unresolved,
)
from trio_agent.protocol.schema.issues import DeclarationError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

_REFUSED: Final[dict[object, str]] = {
    inspect.Parameter.POSITIONAL_ONLY: "is positional-only",
    inspect.Parameter.VAR_POSITIONAL: "takes any number of arguments",
    inspect.Parameter.VAR_KEYWORD: "takes any keyword",
}


@final
@attrs.frozen(kw_only=True)
class Signature:
    """How a handler takes its input.

    Attributes:
        input_type: the author's class, or the one made of the plain parameters.
        input_parameter: the parameter that takes all of the input; None for plain parameters.
        context_parameter: the parameter that takes the context; None if the handler has none.
    """

    input_type: type[attrs.AttrsInstance]
    input_parameter: str | None
    context_parameter: str | None

    __repr__ = shown

    @property
    def is_single_class(self) -> bool:
        """Whether the input goes into one parameter as it is."""
        return self.input_parameter is not None

    def arguments(self, value: attrs.AttrsInstance, context: object) -> dict[str, object]:
        """The keywords to call the handler with.

        Args:
            value: an instance of `input_type`.
            context: goes to the context parameter, or nowhere.
        """
        if self.input_parameter is not None:
            arguments: dict[str, object] = {self.input_parameter: value}
        else:
            names = [field.name for field in attrs.fields(self.input_type)]
            arguments = {name: getattr(value, name) for name in names}
        if self.context_parameter is not None:
            arguments[self.context_parameter] = context
        return arguments


def read_signature(function: types.FunctionType, context_types: Mapping[str, type]) -> Signature:
    """Read how *function* takes its input.

    Args:
        function: the handler, `def` or `async def`.
        context_types: the classes that mark the context parameter, by every name that they go
            by; a name counts only where it cannot be evaluated.

    Raises:
        DeclarationError: a parameter cannot be passed by keyword, has no annotation or one that
            cannot be evaluated, or there are two contexts.
    """
    owner = f"{function.__module__}.{function.__qualname__}"
    parameters = inspect.signature(function).parameters.values()
    context: str | None = None
    inputs: dict[str, tuple[object, inspect.Parameter]] = {}
    for parameter in parameters:
        where = _place(parameter.name, owner)
        annotation = _annotation(function, parameter, where, context_types)
        if not _is_context(annotation, context_types):
            inputs[parameter.name] = (annotation, parameter)
        elif context is None:
            context = parameter.name
        else:
            raise DeclarationError(f"{where} is a second context, beside `{context}`")
    return _signature(function, inputs, context)


def _signature(
    function: types.FunctionType,
    inputs: Mapping[str, tuple[object, inspect.Parameter]],
    context: str | None,
) -> Signature:
    if len(inputs) == 1:
        ((name, (annotation, parameter)),) = inputs.items()
        bare = bare_type(annotation).type_
        if is_attrs_class(bare) and parameter.default is inspect.Parameter.empty:
            return Signature(input_type=bare, input_parameter=name, context_parameter=context)
    return Signature(
        input_type=_class_of(function, inputs), input_parameter=None, context_parameter=context
    )


def _class_of(
    function: types.FunctionType, inputs: Mapping[str, tuple[object, inspect.Parameter]]
) -> type[attrs.AttrsInstance]:
    owner = f"{function.__module__}.{function.__qualname__}"
    fields = {name: _field(name, owner, *declared) for name, declared in inputs.items()}
    name = "".join(word.capitalize() for word in function.__name__.split("_")) + "Input"
    made = attrs.make_class(
        name,
        fields,
        class_body={"__repr__": shown},
        frozen=True,
        kw_only=True,
        slots=True,
    )
    made.__module__ = function.__module__
    return cast("type[attrs.AttrsInstance]", made)


def _field(name: str, owner: str, annotation: object, parameter: inspect.Parameter) -> object:
    default: object = parameter.default
    # attrs annotates `type` as a class; it keeps whatever it is given.
    return attrs.field(
        type=cast("type", annotation),
        default=attrs.NOTHING if default is parameter.empty else default,
        alias=name,
        metadata={PLACE: _place(name, owner)},
    )


def _place(name: str, owner: str) -> str:
    return f"parameter `{name}` of {owner}"


def _annotation(
    function: types.FunctionType,
    parameter: inspect.Parameter,
    where: str,
    context_types: Mapping[str, type],
) -> object:
    if parameter.kind in _REFUSED:
        raise DeclarationError(
            f"{where} {_REFUSED[parameter.kind]}; every parameter is passed by its name"
        )
    written: object = parameter.annotation
    if written is inspect.Parameter.empty:
        raise DeclarationError(f"{where} has no annotation")
    stub = types.SimpleNamespace(__annotations__={parameter.name: written})
    names = inspect.unwrap(function).__globals__
    try:
        evaluated: dict[str, object] = typing.get_type_hints(stub, names, include_extras=True)
    except NameError as error:
        known = context_types.get(str(written).rpartition(".")[2])
        if known is None:
            raise DeclarationError(unresolved(where, error)) from error
        return known
    return evaluated[parameter.name]


def _is_context(annotation: object, context_types: Mapping[str, type]) -> bool:
    bare = bare_type(annotation).type_
    known = context_types.values()
    return any(member in known for member in union_members(bare) or (bare,))
