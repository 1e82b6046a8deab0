"""What is read of a decorator, and what the decorator itself takes, are one list."""

import inspect
from collections.abc import Callable
from typing import cast, get_args

import pytest

import trio_agent
from trio_agent.routes.facts import CONTRACTS, FACTS, DecoratorName


def arguments(name: str) -> set[str]:
    decorator = cast("Callable[..., object]", getattr(trio_agent, name))
    parameters = inspect.signature(decorator).parameters.values()
    return {one.name for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("name", sorted({*FACTS} & {*dir(trio_agent)}))
def test_the_arguments_of_a_decorator_are_those_that_are_read(name: DecoratorName) -> None:
    assert arguments(name) == {*FACTS[name]}


def test_every_decorator_has_arguments_and_a_code() -> None:
    assert [*FACTS] == [*CONTRACTS] == [*get_args(DecoratorName)]
    assert {"command", "tool"} <= {*dir(trio_agent)}
