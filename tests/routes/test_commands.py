"""Commands: what the decorator makes of a function, and how the handler runs."""

import threading
from collections.abc import Awaitable
from pathlib import Path
from typing import Annotated, Any, cast

import attrs
import pytest
import trio
import trio.testing
from hypothesis import given, strategies as st

from trio_agent import Agent, CommandContext, Node, Suspense, agent, component
from trio_agent.context.handle import current_request
from trio_agent.errors import ContractError
from trio_agent.invocation import Runtime
from trio_agent.limits import DAY_S
from trio_agent.pipeline.program import Program
from trio_agent.protocol.schema.constraint import Ge
from trio_agent.protocol.schema.issues import DeclarationError, SchemaError
from trio_agent.routes.commands import CommandRoute, command
from trio_agent.routes.plugin import PluginError
from trio_agent.vocabulary.document import AgentDocument
from trio_agent.vocabulary.element import Component, Element
from trio_agent.vocabulary.event import CompleteEvent
from trio_agent.vocabulary.identity import Identity
from trio_agent.vocabulary.invocation import Invocation
from trio_agent.vocabulary.json import Json


@attrs.frozen(kw_only=True)
class OneRoute:
    """An application of one command."""

    route: CommandRoute
    limiter: trio.CapacityLimiter | None = None
    identity: Identity = attrs.field(factory=lambda: Identity("epoch"))

    def open(self, invocation: Invocation) -> Program:
        value = self.route.structure(invocation.props.value)
        return Program(
            root=self.route.element(value, limiter=self.limiter),
            check_value=self.route.check_value,
            limits=self.route.limits,
        )


async def run(
    route: CommandRoute, limiter: trio.CapacityLimiter | None = None, **props: object
) -> AgentDocument:
    runtime = Runtime(OneRoute(route=route, limiter=limiter))
    invocation = Invocation(kind="cli", target="x", props=Json.of(props))
    document = None
    async with runtime.stream(invocation) as events:
        async for event in events:
            if isinstance(event, CompleteEvent):
                document = event.document
    assert document is not None
    return document


def kinds(document: AgentDocument) -> list[str]:
    return [node.kind for node in cast("Any", document.root).children]


# ------------------------------------------------------------------------------ the decorator


def test_what_the_decorator_said_is_kept() -> None:
    @command(
        description="Audits.",
        title="Audit",
        aliases=["check"],
        exit_code="result",
        render={"max_elapsed_s": 120},
        result=int,
        thread=False,
    )
    def audit() -> Node: ...

    assert audit.name.endswith("audit")
    assert (audit.description, audit.title, audit.aliases) == ("Audits.", "Audit", ("check",))
    assert (audit.exit_code, audit.limits) == ("result", {"max_elapsed_s": 120})
    assert (audit.result, audit.thread) == (int, False)
    assert audit.handler() is None
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        audit.title = "other"  # type: ignore[misc]  # wrong on purpose


def test_the_defaults_come_from_the_function() -> None:
    @command()
    def audit() -> str:
        """Audits a library,
        thoroughly.

        More.
        """
        return ""

    assert audit.description == "Audits a library, thoroughly."
    assert (audit.title, audit.aliases, audit.exit_code) == (None, (), None)
    assert (audit.limits, audit.result, audit.thread) == ({}, None, True)
    assert audit.handler() == ""


def yielding() -> Any:
    yield 1


async def yielding_later() -> Any:
    yield 1


@pytest.mark.parametrize(
    ("decorated", "message"),
    [
        (yielding, "yielding yields, and a handler returns"),
        (yielding_later, "yielding_later yields"),
        (int, "takes a def or an async def, received <class 'int'>"),
        (len, "takes a def or an async def"),
        (component(lambda: None), "takes a def or an async def, received <component"),
    ],
)
async def test_only_a_function_that_returns_can_be_a_command(decorated: Any, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        command()(decorated)
    assert [*yielding()] == [item async for item in yielding_later()] == [1]


@pytest.mark.parametrize(
    ("render", "message"),
    [
        ({"max_elapsed": 1}, "'max_elapsed' is not a limit"),
        ({"max_elapsed_s": 0}, "max_elapsed_s is a positive number"),
        ({"max_elapsed_s": DAY_S + 1}, "max_elapsed_s of a route is at most 86400, received 86401"),
    ],
)
def test_limits_out_of_range_are_refused(render: Any, message: str) -> None:
    with pytest.raises(ContractError, match=message) as caught:
        command(render=render)
    assert caught.value.code == "invalid-limits"


def test_a_day_is_allowed_and_the_limits_are_detached() -> None:
    render: Any = {"max_elapsed_s": DAY_S}

    @command(render=render)
    def audit() -> str:
        return ""

    render.clear()
    assert audit.limits == {"max_elapsed_s": DAY_S}
    assert audit.handler() == ""


# ------------------------------------------------------------------------------ input and value


def test_types_may_be_declared_below_the_handler() -> None:
    @command(result=list[int])
    def audit(params: "Later", context: CommandContext) -> "Node": ...

    assert audit.signature.input_type is Later
    assert audit.signature.context_parameter == "context"
    assert audit.answer.is_nodes
    assert audit.structure({"root": "x"}) == Later(Path("x"))
    check = audit.check_value
    assert check is not None
    check(Json.of([1]))
    with pytest.raises(ContractError, match=r"value\[0\]"):
        check(Json.of(["a"]))
    assert audit.handler(None, None) is None


@attrs.frozen
class Later:
    root: Path


def test_input_that_does_not_fit_is_refused_with_every_path() -> None:
    @command()
    def add(a: Annotated[int, Ge(0)], b: int = 0) -> int:
        return a + b

    assert add.handler(1, 2) == 3
    with pytest.raises(SchemaError) as caught:
        add.structure({"a": -1, "b": "x", "c": 1})
    assert {issue.path for issue in caught.value.issues} >= {"input.a", "input.b"}


def test_a_signature_that_cannot_be_called_is_refused() -> None:
    @command()
    def add(*numbers: int) -> int:
        return sum(numbers)

    assert add.handler(1, 2) == 3
    with pytest.raises(DeclarationError, match="numbers"):
        _ = add.signature


def test_nodes_without_result_are_not_checked() -> None:
    @command()
    def show() -> Node: ...

    assert show.check_value is None
    assert show.handler() is None


# ------------------------------------------------------------------------------ running


async def test_an_async_handler_gets_its_input_and_its_context() -> None:
    seen: list[object] = []

    @command()
    async def greet(name: str, context: CommandContext, loud: bool = False) -> str:
        seen.append(context)
        assert context is agent()
        await trio.lowlevel.checkpoint()
        return name.upper() if loud else name

    document = await run(greet, name="a", loud=True)
    assert (document.value, kinds(document)) == (Json.of("A"), ["text"])
    assert len(seen) == 1
    assert isinstance(greet.element(greet.structure({"name": "a"})), Element)


async def test_nodes_are_rendered_and_their_value_is_checked() -> None:
    @component
    async def Part() -> Node:
        return Agent.Result(Agent.Json([1]), value=[1])

    @command(result=list[int])
    async def show() -> Node:
        return [Agent.Markdown("# a"), Suspense(Part(), fallback=Agent.Progress())]

    document = await run(show)
    assert isinstance(Part, Component)
    assert (document.value, kinds(document)) == (Json.of([1]), ["markdown", "json"])


@pytest.mark.parametrize("answer", ["text", 1.5, None, [True]])
async def test_data_of_another_type_than_declared_fails_the_invocation(answer: object) -> None:
    @command()
    async def count() -> int:
        return cast("int", answer)

    with pytest.raises(Exception, match="value") as caught:
        await run(count)
    assert getattr(caught.value, "code", None) == "invalid-document"


async def test_a_def_handler_runs_in_a_thread_with_the_request() -> None:
    seen: dict[str, object] = {}

    @command()
    def work(context: CommandContext) -> int:
        seen.update(thread=threading.get_ident(), same=agent() is context)
        context.progress.report(1, total=2)
        return 3

    document = await run(work)
    assert document.value == Json.of(3)
    assert seen["same"]
    assert seen["thread"] != threading.get_ident()
    assert current_request.get(None) is None


async def test_a_def_handler_that_opted_out_runs_on_the_trio_thread() -> None:
    @command(thread=False)
    def work() -> dict[str, bool]:
        return {"here": trio.lowlevel.in_trio_task(), "there": threading.get_ident() != home}

    home = threading.get_ident()
    assert (await run(work)).value == Json.of({"here": True, "there": False})


async def test_the_limiter_bounds_the_threads_of_handlers() -> None:
    limiter = trio.CapacityLimiter(1)
    borrowed: list[int] = []

    @command()
    def work() -> None:
        borrowed.append(int(limiter.borrowed_tokens))

    await run(work, limiter)
    await run(work)
    assert borrowed == [1, 0]


async def test_a_cancelled_invocation_does_not_wait_for_its_thread() -> None:
    started, release = trio.Event(), threading.Event()
    finished = trio.Event()
    token = trio.lowlevel.current_trio_token()

    @command()
    def work() -> None:
        token.run_sync_soon(started.set)
        release.wait()
        token.run_sync_soon(finished.set)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, work)
        await started.wait()
        nursery.cancel_scope.cancel()
    release.set()
    with trio.fail_after(5):
        await finished.wait()


@pytest.mark.parametrize("thread", [True, False])
async def test_what_a_def_handler_raises_fails_the_invocation(thread: bool) -> None:
    @command(thread=thread)
    def work() -> None:
        raise LookupError("not there")

    with pytest.raises(Exception, match="not there") as caught:
        await run(work)
    assert isinstance(caught.value.__cause__, LookupError)


async def test_sys_exit_in_a_handler_fails_the_invocation_only() -> None:
    @command()
    def work() -> None:
        raise SystemExit(3)

    with pytest.raises(Exception, match=r"called sys.exit\(3\)"):
        await run(work)


@given(schedule=st.random_module(), data=st.lists(st.integers(-9, 9)))
async def test_every_way_to_run_gives_the_same_document(schedule: object, data: list[int]) -> None:
    async def later(items: list[int]) -> list[int]:
        return items

    def now(items: list[int]) -> list[int]:
        return items

    routes = [command()(later), command()(now), command(thread=False)(now)]
    first, second, third = [await run(route, items=data) for route in routes]
    assert first == second == third
    assert first.value == Json.of(data)


def test_a_handler_can_be_called_by_its_tests() -> None:
    @command()
    async def greet(name: str) -> str:
        return name

    async def main() -> object:
        return await cast("Awaitable[object]", greet.handler("a"))

    assert trio.run(main) == "a"
