"""What cannot stand in a tree, in words an author understands.

Used by the walk when it meets something that is no node.  Coroutines that are given up are
closed, so that Python does not warn of each.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Never, cast

from trio_agent.context.deferred import Deferred
from trio_agent.errors import ContractError, abridge
from trio_agent.vocabulary.element import (
    Component,
    EnclosedElement,
    FragmentElement,
    ResultElement,
    SuspenseElement,
)

if TYPE_CHECKING:
    from trio_agent.vocabulary.element import Definition


def raise_if_misused(definition: Definition, error: TypeError) -> None:
    """Tell a call with the wrong arguments from a `TypeError` inside the component.

    Raises:
        ContractError: `invalid-element`, the arguments do not fit.
    """
    frame = error.__traceback__
    # The last frame is the caller's own: the function was never entered.
    if frame is not None and frame.tb_next is None:
        raise ContractError(
            "invalid-element", f"component {definition.name} cannot be called so: {error}"
        ) from None


def refuse_swallowing(definition: Definition) -> ContractError:
    """The error of a component that caught what `use` leaves it by."""
    return ContractError(
        "invalid-element",
        f"{definition.name} swallowed the suspension of use(); let BaseException pass",
    )


def close_coroutines(tree: object) -> None:
    """Close coroutines in a tree that is given up, so that Python does not warn of each."""
    stack = [tree]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        if id(node) in seen:
            # A list that holds itself is one of the reasons to give a tree up; and a node that
            # stands in two places, at each of many levels, would be met more than a lifetime.
            continue
        seen.add(id(node))
        if inspect.iscoroutine(node):
            node.close()
        elif isinstance(node, (list, tuple)):
            stack += cast("list[object]", node)
        elif isinstance(node, (ResultElement, FragmentElement)):
            stack += node.children
        elif isinstance(node, SuspenseElement):
            stack += (*node.children, node.fallback)
        elif isinstance(node, EnclosedElement):
            stack.append(node.node)


def refuse_node(node: object) -> Never:
    """Say why something cannot stand in a tree.

    Raises:
        ContractError: `invalid-element`, always.
    """
    if inspect.iscoroutine(node):
        name = node.__qualname__
        node.close()
        why = f"a bare coroutine of {name}: decorate {name} with @component and do not await it"
    elif isinstance(node, str):
        what = "HTML" if node.lstrip().startswith("<") else "a bare string"
        why = f"{what}, {abridge(node)}: wrap text in Agent.Markdown or Agent.Text"
    elif isinstance(node, (int, float)):
        why = f"a bare number, {abridge(node)}: wrap it in Agent.Text or Agent.Json"
    elif isinstance(node, Component):
        why = f"{node!r}, which was not called: write {node.definition.name}(...)"
    elif isinstance(node, Deferred):
        why = f"{node!r}: await it in a component, or pass it to one"
    elif hasattr(node, "__html__"):
        why = f"an HTML element of {type(node).__module__}: a document has no HTML"
    else:
        kind = type(node)
        why = f"an instance of {kind.__module__}.{kind.__qualname__}, {abridge(node)}"
    raise ContractError("invalid-element", f"the tree holds {why}")
