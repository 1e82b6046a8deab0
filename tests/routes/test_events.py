"""Scripts, events, and files that must not be there."""

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
SCRIPT = module("script")


def messages(graph: RouteGraph) -> list[str]:
    return [str(found) for found in graph.diagnostics]


# ------------------------------------------------------------------------------ scripts


def test_a_file_below_scripts_is_a_script(workshop: Workshop) -> None:
    files = {"scripts/clean_up.py": module("script", "title='x'"), "scripts/run.sh": ""}
    graph = discover(workshop.write("curator_t", files))
    assert messages(graph) == []
    (record,) = graph.scripts
    assert (record.id, record.kind, record.words) == ("script:clean-up", "script", ("clean-up",))
    assert (record.name, record.title, record.server) == ("clean-up", "x", None)
    assert record.module == "curator_t.scripts.clean_up"
    assert graph.find_route("script:clean-up") is record


def test_a_script_that_lies_too_deep_is_an_error(workshop: Workshop) -> None:
    graph = discover(workshop.write("curator_t", {"scripts/a/b.py": SCRIPT}))
    (found,) = graph.diagnostics
    assert graph.scripts == ()
    assert (found.code, found.severity, found.file) == ("TA4808", "error", "scripts/a/b.py")
    assert "is no script: each is a file right below scripts/; move it" in found.message


def test_mistakes_of_scripts(workshop: Workshop) -> None:
    files = {
        "scripts/a.py": SCRIPT,
        "scripts/a/__init__.py": "",
        "scripts/b.py": "print('plain')",
        "scripts/c d.py": SCRIPT,
        "scripts/_private/x.py": SCRIPT,
    }
    graph = discover(workshop.write("curator_t", files))
    assert [record.name for record in graph.scripts] == ["a", "b"]
    assert [(found.file, found.code) for found in graph.diagnostics] == [
        ("scripts/a.py", "TA4802"),
        ("scripts/b.py", "TA4815"),
        ("scripts/c d.py", "TA4803"),
    ]


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
