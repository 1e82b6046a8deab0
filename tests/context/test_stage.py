"""The stage: whose code is running, in the thread that renders and elsewhere."""

import trio

from trio_agent.context.stage import Stage


def test_nobody_is_on_a_new_stage() -> None:
    stage = Stage()
    assert stage.current is None
    assert stage.is_in_thread
    assert not stage.suspended


def test_the_component_that_runs_is_on_stage() -> None:
    stage = Stage()
    stage.component = "Summary"
    assert stage.current == "Summary"


async def test_other_threads_are_never_on_stage() -> None:
    stage = Stage()
    stage.component = "Summary"
    assert await trio.to_thread.run_sync(lambda: stage.current) is None
    assert await trio.to_thread.run_sync(lambda: stage.is_in_thread) is False
