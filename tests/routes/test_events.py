"""Events, and files that must not be there."""

import pytest

from tests.routes.conftest import Workshop
from trio_agent.routes.discovery import discover
from trio_agent.routes.event_names import EVENTS, event_file, event_of
from trio_agent.routes.graph import RouteGraph


def module(decorator: str, arguments: str = "") -> str:
    """A module that would fail if it were imported."""
    return (
        f"from trio_agent import {decorator}\n"
        f"@{decorator}({arguments})\n"
        "async def handle() -> None: ...\n1/0\n"
    )


EVENT = module("event")


def messages(graph: RouteGraph) -> list[str]:
    return [str(found) for found in graph.diagnostics]


# ------------------------------------------------------------------------------ events


def test_there_are_22_events_each_with_a_file_of_its_own(workshop: Workshop) -> None:
    assert len(EVENTS) == 22
    assert [event_of(event_file(event)) for event in EVENTS] == [*EVENTS]
    files = {f"events/{event_file(event)}": EVENT for event in EVENTS}
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph) == []
    assert [record.name for record in graph.events] == [*EVENTS]
    assert {record.kind for record in graph.events} == {"event"}


@pytest.mark.parametrize(
    ("event", "file"),
    [
        ("model-switch/before", "events/model_switch/before.py"),
        ("stop", "events/stop.py"),
        ("stop/failure", "events/stop_failure.py"),
    ],
)
def test_the_file_of_an_event(workshop: Workshop, event: str, file: str) -> None:
    graph = discover(workshop.write("curator_t", {file: EVENT}))
    (record,) = graph.events
    assert (record.id, record.path, record.words) == (f"event:{event}", file, ())
    assert record.module == f"curator_t.{file[:-3].replace('/', '.')}"


@pytest.mark.parametrize(
    ("file", "advice"),
    [
        ("events/stop/failure.py", "stop/failure is answered by events/stop_failure.py"),
        ("events/session_start.py", "session/start is answered by events/session/start.py"),
        ("events/SessionStart.py", "session/start is answered by events/session/start.py"),
        ("events/modelswitch/after.py", "model-switch/after is answered by events/model_switch/af"),
        ("events/tool/during.py", "there are agent/idle, agent/start, "),
        ("events/a/b/c.py", "there are agent/idle, agent/start, "),
    ],
)
def test_a_file_that_answers_no_event_is_a_mistake(
    workshop: Workshop, file: str, advice: str
) -> None:
    graph = discover(workshop.write("curator_t", {file: EVENT}))
    assert graph.events == ()
    assert messages(graph)[0].startswith(f"{file}:1:1: TA4823 answers no event of a host: {advice}")


def test_an_event_beside_a_package_of_its_name_is_a_mistake(workshop: Workshop) -> None:
    files = {"events/stop.py": EVENT, "events/stop/__init__.py": ""}
    graph = discover(workshop.write("curator_t", files))
    assert [found.code for found in graph.diagnostics] == ["TA4802"]


def test_the_arguments_of_an_event_are_checked(workshop: Workshop) -> None:
    files = {
        "events/stop.py": module("event", "providers=['library'], render={'max_elapsed_s': 2}"),
        "events/tool/before.py": module("event", "providers='library'"),
    }
    graph = discover(workshop.write("curator_t", files))
    assert graph.events[0].max_elapsed_s == 2
    assert messages(graph) == [
        "events/tool/before.py:2:18: TA4805 providers is a list of strings, received 'library'"
    ]


# ------------------------------------------------------------------------------ strangers


def test_state_is_told_to_come_later(workshop: Workshop) -> None:
    graph = discover(workshop.write("curator_t", {"state.py": "1/0"}))
    assert messages(graph)[0].startswith(
        "state.py:1:1: TA4818 declares state, which this version does not have"
    )


@pytest.mark.parametrize(
    ("file", "advice"), [("mcp/__init__.py", "delete it"), ("mcp.py", "rename it")]
)
def test_a_file_that_hides_the_sdk_is_a_mistake(workshop: Workshop, file: str, advice: str) -> None:
    files = {file: "", "mcp/s/__init__.py": "", "mcp/s/tools/__init__.py": ""}
    graph = discover(workshop.write("curator_t", files))
    (message,) = messages(graph)
    assert message.startswith(f"{file}:1:1: TA4847 hides the SDK of MCP where the plugin's folder")
    assert advice in message
