"""Recorded events, projected for clients that can do more or less."""

from __future__ import annotations

import base64
import inspect
from typing import TYPE_CHECKING

import attrs
import pytest

from trio_agent import Agent, Node, Suspense, agent, component
from trio_agent.errors import StreamError
from trio_agent.surfaces.mcp.results.content import ProjectionError
from trio_agent.surfaces.mcp.results.progress import ProgressReport
from trio_agent.testing import create_capability_fixture, project_events, render

if TYPE_CHECKING:
    from trio.testing import MockClock

    from trio_agent.testing import CapabilityFixture

DATA = base64.b64encode(b"RIFF").decode()
EVERYTHING = create_capability_fixture(
    audio=True, image=True, progress=True, resource=True, rich_content_fallback=False
)


def without(name: str, *, fallback: bool) -> CapabilityFixture:
    return attrs.evolve(EVERYTHING, **{name: False, "rich_content_fallback": fallback})


@component
async def Reports() -> Node:
    agent().progress.report(1, total=2, message="half")
    return [
        Agent.Image(data=DATA, mime_type="image/png", alt="a dot"),
        Agent.Audio(data=DATA, mime_type="audio/wav", alt="a beep"),
        Agent.Resource(uri="depot://manual", name="manual", alt="the manual"),
    ]


def page() -> Node:
    return Agent.Result(Suspense(Reports(), fallback=Agent.Progress(message="Looking")), value={})


async def test_a_client_that_can_do_everything_gets_everything(autojump_clock: MockClock) -> None:
    projected = project_events((await render(page())).events, EVERYTHING)

    assert [block["type"] for block in projected.content] == ["image", "audio", "resource_link"]
    assert projected.progress == (
        ProgressReport(0, None, "Looking"),
        ProgressReport(1, 2, "half"),
    )
    assert (projected.is_error, projected.structured_content) == (False, {})
    assert projected.provenance.level == "simulated"


@pytest.mark.parametrize(("name", "place"), [("image", 0), ("audio", 1), ("resource", 2)])
async def test_what_a_client_cannot_show_is_text_or_fails_the_call(name: str, place: int) -> None:
    events = (await render(page())).events

    projected = project_events(events, without(name, fallback=True))

    assert [block["type"] == "text" for block in projected.content] == [
        number == place for number in range(3)
    ]
    with pytest.raises(ProjectionError, match=name) as caught:
        project_events(events, without(name, fallback=False))
    assert caught.value.code == "unsupported-rich-content"
    assert caught.value.__notes__ == ["proof level: simulated"]


async def test_without_progress_there_is_none() -> None:
    silent = without("progress", fallback=False)

    assert project_events((await render(page())).events, silent).progress == ()


async def test_a_represented_error_is_one() -> None:
    rendered = await render(Agent.Error(code="E_GONE", message="not there"))
    projected = project_events(rendered.events, EVERYTHING)

    assert projected.is_error
    assert projected.result["content"] == [{"type": "text", "text": "[E_GONE] not there"}]
    assert projected.structured_content is None


def test_events_without_an_end_are_refused() -> None:
    with pytest.raises(StreamError, match="without `complete`"):
        project_events([], EVERYTHING)


def test_every_boolean_is_mandatory() -> None:
    parameters = inspect.signature(create_capability_fixture).parameters.values()

    assert {one.default for one in parameters} == {inspect.Parameter.empty}
    with pytest.raises(TypeError, match="rich_content_fallback"):
        create_capability_fixture(audio=True, image=True, progress=True, resource=True)  # type: ignore[call-arg]  # on purpose
