"""The harness renders what a test gives it, through the real pipeline, and nothing else."""

import ast
from pathlib import Path

import attrs
import pytest
import trio
from trio.testing import MockClock

import trio_agent.testing
from tests.trees import After, Fails_after, Gates, ready, single
from trio_agent import Agent, InvocationError, Node, Suspense, agent, component
from trio_agent.context.observed import Available, Axes, Host
from trio_agent.errors import ContractError
from trio_agent.routes.commands import command
from trio_agent.testing import (
    TEST_IDENTITY,
    SingleTree,
    make_invocation,
    render,
    render_events,
    render_failure,
    render_route,
)
from trio_agent.vocabulary.identity import Identity
from trio_agent.vocabulary.invocation import Invocation
from trio_agent.vocabulary.json import Json


@component
async def Shows() -> Node:
    """What a component can see."""
    request = agent()
    return Agent.Json(
        {
            "invocation": request.invocation.to_wire(),
            "host": request.axes.host.to_wire(),
        }
    )


async def seen(**given: object) -> dict[str, object]:
    rendered = await render(Shows(), **given)  # type: ignore[arg-type]  # what a test gives
    value: dict[str, object] = rendered.root.children[0].value.value  # type: ignore[union-attr,assignment]  # what Shows shows
    return value


async def test_a_component_sees_what_the_test_gave_and_nothing_else() -> None:
    assert await seen() == {
        "invocation": {
            "kind": "script",
            "id": "test",
            "startedAt": "2000-01-01T00:00:00.000Z",
            "props": {"name": "test"},
        },
        "host": {"state": "unavailable", "reason": "not-provided"},
    }


async def test_props_axes_and_invocation_can_be_given() -> None:
    axes = Axes(host=Available(source="native", value=Host(name="cursor")))
    assert (await seen(axes=axes))["host"] == {
        "state": "available",
        "source": "native",
        "value": {"name": "cursor"},
    }
    assert "props" in (await seen(props={"root": "x"}))["invocation"]  # type: ignore[operator]  # a mapping
    mine = Invocation(kind="tool", target="curator/audit")
    assert (await seen(invocation=mine))["invocation"] == mine.to_wire()


async def test_what_was_rendered_is_there_in_parts(autojump_clock: MockClock) -> None:
    @component
    async def Reports() -> Node:
        agent().progress.report(1, message="half")
        return None

    rendered = await render(Agent.Result(Suspense(Reports()), value={"n": 1}))
    assert rendered.value == {"n": 1}
    assert [event.message for event in rendered.progress] == ["half"]
    assert rendered.invocation == make_invocation()
    assert rendered.document is rendered.events[-1].document  # type: ignore[union-attr]  # the end
    assert (await render(Agent.Text("x"))).value is None


async def test_a_render_takes_no_real_time(autojump_clock: MockClock) -> None:
    await render(After(50, None))
    assert trio.current_time() == 50


async def test_a_failing_render_raises(autojump_clock: MockClock) -> None:
    with pytest.raises(InvocationError, match="no"):
        await render(Fails_after(1, ValueError("no")))
    with pytest.raises(InvocationError, match="no"):
        await render_events(Fails_after(1, ValueError("no")))


async def test_a_failure_that_is_expected_comes_with_the_events_before_it(
    autojump_clock: MockClock,
) -> None:
    failed = await render_failure(
        Suspense(After(99, None)), limits={"max_elapsed_s": 5}, props={"a": 1}
    )
    assert [event.type for event in failed.events] == ["shell"]
    assert failed.error.code == "elapsed-time-exceeded"
    assert isinstance(failed.cause, ContractError)
    assert failed.invocation.props.value == {"a": 1}


async def test_a_failure_that_does_not_come_is_a_failed_test() -> None:
    with pytest.raises(AssertionError, match=r"was to fail, and completed with .*# Ready"):
        await render_failure(ready(), invocation=make_invocation())


async def test_a_tree_may_bring_its_identity_its_limits_and_its_type() -> None:
    checked: list[Json] = []
    tree = SingleTree(
        ready(), identity=Identity("mine"), check_value=checked.append, limits={"max_events": 2}
    )
    stale = attrs.evolve(make_invocation(), artifact_epoch="other")
    assert (await render_failure(tree, invocation=stale)).error.code == "artifact-epoch-mismatch"
    same = attrs.evolve(stale, artifact_epoch="mine")
    assert len(await render_events(tree, invocation=same)) == 2
    assert [value.value for value in checked] == [{"ready": True}]
    over = await render_failure(tree, limits={"max_events": 1})
    assert over.error.code == "event-count-exceeded"
    assert (await render(tree, invocation=stale, identity=Identity("other"))).value is not None
    assert (await render(ready(), invocation=stale, identity=Identity("other"))).value is not None
    assert SingleTree(None).identity is TEST_IDENTITY


# ---------------------------------------------------------------------------------- routes


@attrs.frozen
class Greeting:
    text: str


@command(description="Greet.", result=Greeting, render={"max_events": 2})
async def greet(name: str, loud: bool = False) -> Node:
    text = f"Hello {name}"
    return Agent.Result(Agent.Text(text), value=Greeting(text.upper() if loud else text))


@command(description="Answer.")
async def answer() -> int:
    return 42


async def test_a_route_is_rendered_with_an_instance_of_its_input() -> None:
    input_value = greet.structure({"name": "you", "loud": True})
    rendered = await render_route(greet, input_value)
    assert rendered.value == {"text": "HELLO YOU"}


async def test_a_mapping_is_read_as_json_input_is() -> None:
    assert (await render_route(greet, {"name": "you"})).value == {"text": "Hello you"}
    assert (await render_route(answer)).value == 42
    with pytest.raises(ContractError, match="name"):
        await render_route(greet, {"nam": "you"})


async def test_the_declared_type_and_the_limits_of_a_route_apply() -> None:
    @command(description="Lie.", result=Greeting)
    async def lie() -> Node:
        return Agent.Result(value={"text": 3})

    with pytest.raises(InvocationError) as caught:
        await render_route(lie, {})
    assert caught.value.code == "invalid-document"
    with pytest.raises(InvocationError) as caught:
        await render_route(greet, {"name": "you"}, limits={"max_events": 1})
    assert caught.value.code == "event-count-exceeded"


async def test_anything_that_makes_an_element_is_a_route() -> None:
    class Plain:
        def element(self, input_value: dict[str, float], /) -> object:
            return After(input_value["seconds"], Agent.Text("x"))

    rendered = await render_route(Plain(), {"seconds": 0}, identity=Identity("mine"))  # type: ignore[arg-type]  # wrong on purpose
    assert rendered.root.children == (Agent.Text("x"),)


async def test_a_tree_can_be_rendered_any_number_of_times() -> None:
    gates = Gates()
    gates.a.set()
    tree = SingleTree(single(gates))
    assert await render_events(tree) == await render_events(tree)


def test_the_harness_needs_no_pytest() -> None:
    folder = Path(trio_agent.testing.__file__).parent
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert "pytest" not in ast.unparse(node)
