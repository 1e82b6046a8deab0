"""What author code may raise besides exceptions, and exceptions that cannot be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from trio_agent import Agent, Node, component, defer
from trio_agent.errors import AuthorRaiseError, abridge
from trio_agent.pipeline.author import describe, find_substitute
from trio_agent.testing import render_failure

if TYPE_CHECKING:
    from collections.abc import Callable


class Panic(BaseException):
    """What extensions written in Rust raise."""


class UnshownError(Exception):
    """It ends whoever asks for its words."""

    def __str__(self) -> str:
        raise SystemExit(4)

    __repr__ = __str__


def panic() -> None:
    raise Panic("core")


@component
async def Panics() -> Node:
    panic()
    return None  # pragma: no cover  # it panics


@component
def Panics_in_a_step() -> Node:
    panic()
    return None  # pragma: no cover  # it panics


@component
async def Panics_in_a_thread() -> Node:
    await trio.to_thread.run_sync(panic)
    return None  # pragma: no cover  # the thread panics


@component
async def Panics_in_a_group() -> Node:
    raise BaseExceptionGroup("", [Panic("core"), Panic("shell")])


@component
async def Panics_later() -> Node:
    async def work() -> None:
        panic()

    await defer(work)
    return None  # pragma: no cover  # the work panics


@component
async def Panics_beside_another() -> Node:
    return [Panics(), Agent.Text("kept"), Panics()]


PANICS = [
    Panics,
    Panics_in_a_step,
    Panics_in_a_thread,
    Panics_in_a_group,
    Panics_later,
    Panics_beside_another,
]


@pytest.mark.parametrize("panics", PANICS)
async def test_a_panic_fails_the_invocation_and_not_the_process(
    panics: Callable[[], Node],
) -> None:
    failed = await render_failure(panics())
    assert failed.error.code == "render-failed"
    assert "Panic: core" in failed.error.message


@component
async def Unshown() -> Node:
    raise UnshownError


@component
def Unshown_in_a_step() -> Node:
    raise UnshownError


@component
async def Unshown_in_a_group() -> Node:
    raise ExceptionGroup("", [UnshownError()])


@component
async def Unshown_beside_a_panic() -> Node:
    raise BaseExceptionGroup("", [UnshownError(), Panic()])


@pytest.mark.parametrize(
    "unshown", [Unshown, Unshown_in_a_step, Unshown_in_a_group, Unshown_beside_a_panic]
)
async def test_an_exception_that_cannot_be_shown_fails_the_invocation_and_not_trio(
    unshown: Callable[[], Node],
) -> None:
    failed = await render_failure(unshown())
    assert isinstance(failed.cause, AuthorRaiseError)
    assert " raised " in failed.error.message


def test_what_ends_more_than_an_invocation_passes() -> None:
    assert find_substitute("shelf", KeyboardInterrupt()) is None
    assert find_substitute("shelf", GeneratorExit()) is None


def test_a_plain_exception_goes_on_as_it_is() -> None:
    assert find_substitute("shelf", ValueError("x")) is None
    assert find_substitute("shelf", ExceptionGroup("", [ValueError("x")])) is None


def test_words_that_end_the_process_are_not_asked_twice() -> None:
    assert describe(UnshownError(), "render-failed").message == "UnshownError"
    assert abridge(UnshownError()) == "<UnshownError that cannot be shown>"
