"""What decorators take: the same list for the reader of the text and for the running module."""

import inspect
from collections.abc import Callable
from typing import cast

import pytest

from trio_agent import command, layout, prompt, resource, tool
from trio_agent.routes.facts import FACTS, DecoratorName

DECORATORS: dict[str, Callable[..., object]] = {
    "command": command,
    "tool": tool,
    "resource": resource,
    "prompt": prompt,
    "layout": layout,
}


@pytest.mark.parametrize("name", DECORATORS)
def test_a_decorator_takes_what_is_read_statically(name: str) -> None:
    taken = inspect.signature(DECORATORS[name]).parameters
    assert sorted(taken) == sorted(FACTS[cast("DecoratorName", name)])
    assert all(one.kind is inspect.Parameter.KEYWORD_ONLY for one in taken.values())


@pytest.mark.parametrize("name", DECORATORS)
def test_every_default_fits(name: str) -> None:
    for argument, parameter in inspect.signature(DECORATORS[name]).parameters.items():
        fact = FACTS[cast("DecoratorName", name)][argument]
        if parameter.default is not inspect.Parameter.empty:
            assert fact.fits(parameter.default), argument
