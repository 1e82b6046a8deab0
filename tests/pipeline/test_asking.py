"""Asking the host: while the invocation runs, and by ending it for the sake of the answer."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
import trio
from hypothesis import given, strategies as st
from trio.testing import MockClock

from tests.hosts import ANYTHING, Answer, SlowHost, invoke, invoke_in_rounds
from tests.trees import Reader, stream, texts
from trio_agent import (
    Agent,
    CommandContext,
    HandoffRequiredError,
    InvocationCancelledError,
    InvocationError,
    Limits,
    Node,
    Runtime,
    Suspense,
    agent,
    component,
)
from trio_agent.context.host import HostChannel, ReplayChannel
from trio_agent.context.input_required import InputRequiredError
from trio_agent.context.question import Question
from trio_agent.errors import RequestError
from trio_agent.testing import ScriptedHost, SingleTree, accepted, declined, make_invocation
from trio_agent.vocabulary.event import CompleteEvent


def said(reader: Reader) -> list[str]:
    last = reader.events[-1]
    assert isinstance(last, CompleteEvent)
    return texts(last.document.root)


def by_message(question: Question) -> Answer:
    """Whoever is asked for x says X."""
    return accepted(it=question.message.upper())


async def ask(words: str) -> str:
    answer = await agent().elicit(words, ANYTHING)
    return "-" if answer.content is None else str(answer.content["it"])


@component
async def Asks(words: str) -> Node:
    return Agent.Text(await ask(words))


# ------------------------------------------------------------------------------ live


async def test_an_answer_comes_back_while_the_invocation_runs() -> None:
    host = ScriptedHost(by_message)
    reader = await invoke([Asks("a"), Suspense(Asks("b"))], host)
    assert said(reader) == ["A", "B"]
    assert sorted(one.message for one in host.asked) == ["a", "b"]


async def test_a_model_and_the_roots_are_asked_in_the_same_way() -> None:
    def answer(question: Question) -> Answer:
        if question.kind == "roots":
            return {"roots": [{"uri": "file:///w"}]}
        return {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hi"}}

    @component
    async def Both() -> Node:
        context = agent()
        model = await context.sample("Hello", max_tokens=9, system_prompt="Be kind")
        (root,) = await context.roots()
        return [Agent.Text(model.text), Agent.Text(root.uri)]

    assert said(await invoke(Both(), ScriptedHost(answer))) == ["Hi", "file:///w"]


async def test_who_declines_gives_no_content() -> None:
    assert said(await invoke(Asks("a"), ScriptedHost(lambda _: declined()))) == ["-"]


async def test_an_answer_that_does_not_fit_fails_the_component_that_asked() -> None:
    reader = await invoke(Suspense(Asks("a")), ScriptedHost(lambda _: accepted(it=3)))
    assert said(reader) == [
        "[invalid-document] answer.content.it: expected string, received 3 (in component Asks)"
    ]


async def test_without_a_host_nobody_can_be_asked() -> None:
    with pytest.raises(InvocationError) as caught:
        await invoke(Asks("a"), None)
    assert caught.value.code == "unsupported-surface"
    assert caught.value.message == "this host cannot be asked: elicit"
    assert isinstance(caught.value.__cause__, RequestError)


async def test_a_component_may_go_on_without_an_answer() -> None:
    @component
    async def Careful() -> Node:
        try:
            return Agent.Text(await ask("a"))
        except RequestError as error:
            return Agent.Text(error.code)

    assert said(await invoke(Careful(), None)) == ["unsupported-surface"]
    assert said(await invoke(Careful(), ReplayChannel({}, kinds=["roots"]))) == [
        "unsupported-surface"
    ]


async def test_the_time_limit_stands_still_while_somebody_thinks(autojump_clock: MockClock) -> None:
    @component
    async def Works(before: float, after: float) -> Node:
        await trio.sleep(before)
        words = await ask("a")
        await trio.sleep(after)
        return Agent.Text(words)

    async def run(tree: Node) -> list[str]:
        reader = Reader()
        runtime = Runtime(SingleTree(tree), limits=Limits(max_elapsed_s=10))
        await runtime.invoke(make_invocation(), reader, reader.sink, host=SlowHost(3600))
        return said(reader)

    assert await run(Works(4, 5)) == ["late"]
    # Others are not cut short meanwhile, but have no more time than before either.
    assert await run([Suspense(Works(4, 5)), Suspense(Works(9, 0))]) == ["late", "late"]
    with pytest.raises(InvocationError) as caught:
        await run(Works(4, 7))
    assert caught.value.code == "elapsed-time-exceeded"
    assert trio.current_time() == 3 * 3600 + 9 + 9 + 10


async def test_deferred_work_has_the_same_clock(autojump_clock: MockClock) -> None:
    async def work(after: float) -> str:
        words = await ask("a")
        await trio.sleep(after)
        return words

    @component
    async def Root(after: float) -> Node:
        return Agent.Text(await agent().defer(work, after))

    async def run(after: float) -> list[str]:
        reader = Reader()
        runtime = Runtime(SingleTree(Root(after)), limits=Limits(max_elapsed_s=10))
        await runtime.invoke(make_invocation(), reader, reader.sink, host=SlowHost(100))
        return said(reader)

    assert await run(9) == ["late"]
    with pytest.raises(InvocationError) as caught:
        await run(11)
    assert caught.value.code == "elapsed-time-exceeded"


async def test_cancelling_the_invocation_cancels_the_question(autojump_clock: MockClock) -> None:
    host = SlowHost(math.inf)
    runtime = Runtime(SingleTree(Asks("a")))
    reader = Reader()
    async with trio.open_nursery() as nursery:

        async def run() -> None:
            with pytest.raises(InvocationCancelledError):
                await runtime.invoke(make_invocation(), reader, reader.sink, host=host)

        nursery.start_soon(run)
        await trio.testing.wait_all_tasks_blocked()
        assert runtime.cancel("test")
    assert host.cancelled == 1


async def test_a_kept_handle_asks_nobody_after_the_end() -> None:
    kept: list[CommandContext] = []

    @component
    async def Keeps() -> Node:
        kept.append(agent())
        return None

    await invoke(Keeps(), ScriptedHost())
    for call in (
        lambda: kept[0].elicit("a", ANYTHING),
        lambda: kept[0].sample("a", max_tokens=1),
        kept[0].roots,
    ):
        with pytest.raises(RequestError) as caught:
            await call()
        assert caught.value.code == "request-closed"


# ------------------------------------------------------------------------------ by repetition


async def test_an_answer_that_is_not_there_ends_the_invocation_with_the_question() -> None:
    with pytest.raises(InputRequiredError) as caught:
        await invoke(Asks("a"), ReplayChannel({}))
    error = caught.value
    assert error.code == "input-required"
    assert error.message == "the invocation needs an answer before it can go on: elicit"
    ((key, question),) = error.questions.items()
    assert question.message == "a"
    assert key == f"elicit-{question.digest}-0"


async def test_questions_one_after_another_take_one_round_each() -> None:
    @component
    async def Two() -> Node:
        return [Agent.Text(await ask("a")), Agent.Text(await ask("b"))]

    reader, rounds = await invoke_in_rounds(Two(), by_message)
    assert (said(reader), rounds) == (["A", "B"], [["a"], ["b"]])


async def test_the_same_question_twice_has_two_answers_in_call_order() -> None:
    answers = iter("123")

    @component
    async def Again() -> Node:
        return [Agent.Text(await ask("more?")) for _ in range(3)]

    reader, rounds = await invoke_in_rounds(Again(), lambda _: accepted(it=next(answers)))
    assert said(reader) == ["1", "2", "3"]
    assert rounds == [["more?"]] * 3


async def test_a_key_keeps_the_answer_when_the_words_change() -> None:
    words = iter(["it is one", "it is two"])

    @component
    async def Clock() -> Node:
        answer = await agent().elicit(next(words), ANYTHING, key="time")
        assert answer.content is not None
        return Agent.Text(str(answer.content["it"]))

    reader, rounds = await invoke_in_rounds(Clock(), by_message)
    assert (said(reader), rounds) == (["IT IS ONE"], [["it is one"]])


async def test_every_question_may_have_a_key_and_those_that_share_one_are_numbered() -> None:
    @component
    async def Sampled() -> Node:
        return Agent.Text((await agent().sample("hi", max_tokens=1, key="words")).text)

    @component
    async def Roots() -> Node:
        return Agent.Text((await agent().roots(key="places"))[0].uri)

    @component
    async def Asked(key: str | None) -> Node:
        await agent().elicit("a", ANYTHING, key=key)
        raise AssertionError("not reached")  # pragma: no cover  # it ends before

    tree = [Sampled(), Roots(), Asked("one"), Asked("one"), Asked(None)]
    with pytest.raises(InputRequiredError) as caught:
        await invoke(tree, ReplayChannel({}))
    keys = caught.value.questions
    assert sorted(keys)[1:] == ["one", "one-1", "places", "words"]
    assert re.fullmatch("elicit-[0-9a-f]{16}-0", min(keys))


@pytest.mark.parametrize("key", ["", "one-1", "1st", "a b", "x" * 65, 3])
async def test_a_key_is_a_plain_word(key: Any) -> None:
    with pytest.raises(InvocationError, match="the key of a question is letters, digits and _"):
        await invoke(Keyed(key), ReplayChannel({}))


@component
async def Keyed(key: str) -> Node:
    await agent().elicit("a", ANYTHING, key=key)
    raise AssertionError("not reached")  # pragma: no cover  # it ends before


@given(st.random_module())
async def test_questions_of_concurrent_components_share_a_round_and_find_their_answers(
    schedule: object,
) -> None:
    @component
    async def Wraps(node: Node) -> Node:
        return node

    async def work(words: str) -> str:
        return await ask(words)

    @component
    async def Root() -> Node:
        deferred = [agent().defer(work, words) for words in "xy"]
        texts = [Agent.Text(await one) for one in deferred]
        return [*texts, Asks("a"), Wraps(Asks("b")), Suspense(Asks("c")), Suspense([Asks("d")])]

    reader, rounds = await invoke_in_rounds(Root(), by_message)
    assert said(reader) == ["X", "Y", "A", "B", "C", "D"]
    assert [sorted(round_) for round_ in rounds] == [["x", "y"], ["a", "b", "c", "d"]]


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=3), max_size=4), st.random_module())
async def test_whatever_is_asked_where_each_gets_its_answer_and_nobody_is_asked_in_vain(
    programs: list[list[str]], schedule: object
) -> None:
    @component
    async def Program(program: list[str]) -> Node:
        return [Agent.Text(await ask(words)) for words in program]

    programs = [[f"{who}{words}" for words in one] for who, one in enumerate(programs)]
    tree: Node = [Suspense(Program(program)) for program in programs]
    reader, rounds = await invoke_in_rounds(tree, by_message)
    assert said(reader) == [words.upper() for program in programs for words in program]
    assert sum(map(len, rounds)) == sum(map(len, programs))
    assert len(rounds) == max(map(len, programs), default=0)


async def everywhere(words: str) -> str:
    return await ask(words)


@component
async def Deferred_and_unawaited() -> Node:
    _ = agent().defer(everywhere, "a")
    await trio.sleep_forever()


@component
async def Swallows() -> Node:
    try:
        return Agent.Text(await ask("a"))
    except Exception:  # noqa: BLE001  # what authors do
        return Agent.Text("swallowed")  # pragma: no cover  # that is what is tested


@component
async def Deferred_and_awaited() -> Node:
    try:
        return Agent.Text(await agent().defer(everywhere, "a"))
    except InvocationCancelledError:
        return Agent.Text("swallowed")  # pragma: no cover  # that is what is tested


@component
async def In_a_thread() -> Node:
    def work() -> str:
        return trio.from_thread.run(ask, "a")

    return Agent.Text(await trio.to_thread.run_sync(work))


PLACES: dict[str, Node] = {
    "the root": Asks("a"),
    "a boundary": [Agent.Text("shell"), Suspense(Asks("a"))],
    "the fallback of a boundary": Suspense(Deferred_and_unawaited(), fallback=Asks("a")),
    "a nested boundary": Suspense([Suspense(Asks("a"))]),
    "deferred work": Deferred_and_unawaited(),
    "deferred work in a boundary": Suspense(Deferred_and_awaited()),
    "a component that catches everything": Suspense(Swallows()),
    "a thread": Suspense(In_a_thread()),
}


@pytest.mark.parametrize("place", PLACES)
async def test_wherever_it_is_asked_it_ends_the_invocation(place: str) -> None:
    trees: list[Node] = [PLACES[place], [Suspense(PLACES[place]), Agent.Text("beside")]]
    for tree in trees:
        with pytest.raises(InputRequiredError) as caught:
            await invoke(tree, ReplayChannel({}))
        assert {one.message for one in caught.value.questions.values()} == {"a"}


async def test_it_is_no_error_of_the_boundary_that_asked() -> None:
    tree = SingleTree([Agent.Text("shell"), Suspense(Asks("a"))])
    channel: HostChannel = ReplayChannel({})
    async with Runtime(tree).stream(make_invocation(), host=channel) as events:
        assert (await anext(events)).type == "shell"
        with pytest.raises(InputRequiredError):
            await anext(events)


async def test_cleanup_runs_and_its_failure_does_not_hide_the_question() -> None:
    cleaned: list[str] = []

    @component
    async def Root() -> Node:
        try:
            return Agent.Text(await ask("a"))
        finally:
            cleaned.append("a")
            raise ValueError("in cleanup")

    with pytest.raises(InputRequiredError):
        await invoke(Suspense(Root()), ReplayChannel({}))
    assert cleaned == ["a"]


async def test_a_failure_before_the_end_is_a_failure() -> None:
    @component
    async def Fails() -> Node:
        await trio.lowlevel.checkpoint()
        raise ValueError("first")

    with pytest.raises(InvocationError, match="first"):
        await invoke([Asks("a"), Fails()], ReplayChannel({}))


async def test_a_document_that_is_complete_needs_no_answer() -> None:
    async def work() -> None:
        await ask("a")

    @component
    async def Root() -> Node:
        _ = agent().defer(work)
        return Agent.Text("done")

    assert said(await invoke(Root(), ReplayChannel({}))) == ["done"]


async def test_who_comes_too_late_is_told_how_it_ended() -> None:
    kept: list[CommandContext] = []

    @component
    async def Keeps() -> Node:
        kept.append(agent())
        return Agent.Text(await ask("a"))

    with pytest.raises(InputRequiredError):
        await invoke(Keeps(), ReplayChannel({}))
    with pytest.raises(HandoffRequiredError) as caught:
        kept[0].progress.report(1)
    assert caught.value.handoff.outcome == "input-required"


async def test_a_channel_knows_which_of_its_answers_nobody_asked_for() -> None:
    channel = ReplayChannel({"elicit-0-0": accepted(it="x")})
    with pytest.raises(InputRequiredError):
        await invoke(Asks("a"), channel)
    assert channel.unused == {"elicit-0-0"}


async def test_a_caller_who_cancels_meanwhile_is_cancelled(autojump_clock: MockClock) -> None:
    with trio.move_on_after(0) as scope:
        await invoke(Asks("a"), ReplayChannel({}))
    assert scope.cancelled_caught


async def test_streams_of_trees_without_questions_are_as_before() -> None:
    async with stream(Agent.Text("x")) as events:
        assert [event.type async for event in events] == ["shell", "complete"]
