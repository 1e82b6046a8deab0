"""The value of a document: checked before it is shown, and never one of two."""

import pytest
from trio.testing import MockClock

from tests.trees import After, At_once
from trio_agent import Agent, Node, Suspense
from trio_agent.errors import ContractError
from trio_agent.testing import (
    SingleTree,
    expect_document,
    expect_events,
    render,
    render_failure,
)
from trio_agent.vocabulary.event import ShellEvent
from trio_agent.vocabulary.json import Json


class Checker:
    """Accepts integers; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    def __call__(self, value: Json) -> None:
        self.asked.append(value.value)
        if type(value.value) is not int:
            raise ContractError("invalid-document", f"value is an integer, received {value.text}")


async def test_a_value_of_another_type_fails_before_the_shell_that_would_show_it() -> None:
    tree = SingleTree(Agent.Result(Agent.Text("x"), value="seven"), check_value=Checker())
    failed = await render_failure(tree)
    assert failed.error.code == "invalid-document"
    assert failed.error.message == 'value is an integer, received "seven"'
    assert failed.events == ()


async def test_a_value_that_comes_late_is_checked_before_the_replace_that_would_show_it(
    autojump_clock: MockClock,
) -> None:
    node = Suspense(After(1, Agent.Result(value="seven")))
    failed = await render_failure(SingleTree(node, check_value=Checker()))
    expect_events(failed.events).exact_types(["shell"])
    assert failed.error.code == "invalid-document"


async def test_a_value_is_checked_once(autojump_clock: MockClock) -> None:
    checker = Checker()
    node = Agent.Result(*[Suspense(After(number, None)) for number in range(5)], value=7)
    rendered = await render(SingleTree(node, check_value=checker))
    assert rendered.value == 7
    assert checker.asked == [7]


async def test_without_a_value_nothing_is_checked() -> None:
    checker = Checker()
    await render(SingleTree(Agent.Text("x"), check_value=checker))
    assert checker.asked == []


async def test_null_is_a_value() -> None:
    checker = Checker()
    failed = await render_failure(SingleTree(Agent.Result(value=None), check_value=checker))
    assert failed.error.code == "invalid-document"
    rendered = await render(Agent.Result(value=None))
    assert rendered.value is None
    expect_document(rendered.document).has_value(None)


async def test_two_values_in_one_result_fail_and_both_places_are_named() -> None:
    failed = await render_failure(
        Agent.Result(Agent.Text("x"), Agent.Result(value=1), Agent.Result(value=2))
    )
    assert failed.error.code == "ambiguous-value"
    assert "1 and 2" in failed.error.message
    assert failed.events == ()


async def test_also_when_the_second_comes_late(autojump_clock: MockClock) -> None:
    late: Node = Suspense(After(1, Agent.Result(value=2)))
    failed = await render_failure(Agent.Result(Agent.Result(value=1), late))
    assert failed.error.code == "ambiguous-value"
    expect_events(failed.events).exact_types(["shell"])
    both = [late, Suspense(After(2, Agent.Result(value=3)))]
    failed = await render_failure(both)
    assert failed.error.code == "ambiguous-value"
    expect_events(failed.events).exact_types(["shell", "replace"])


async def test_a_value_climbs_to_the_root_in_the_snapshot_in_which_it_settles() -> None:
    node = Agent.Result(Agent.Markdown("# x"), Suspense(At_once([At_once(Agent.Result(value=7))])))
    rendered = await render(node)
    shell = rendered.events[0]
    assert isinstance(shell, ShellEvent)
    expect_document(shell.document).has_no_value()
    expect_document(rendered.document).has_value(7).has_kinds("markdown")


@pytest.mark.parametrize("metadata", [1, {"a": 1}])
async def test_metadata_that_nothing_would_project_fails(metadata: object) -> None:
    failed = await render_failure(
        Agent.Result(Agent.Result(Agent.Text("x"), metadata=metadata), value=1)
    )
    assert failed.error.code == "invalid-document"
    assert "metadata, which nothing would project" in failed.error.message
