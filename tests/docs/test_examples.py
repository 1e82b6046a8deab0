"""The other examples of the documentation: they are Python, they run, they say what is so."""

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
import trio.testing

from tests.docs.pages import PAGES, ROOT, blocks, load, read
from trio_agent.context.form import make_form
from trio_agent.routes.importing import unload
from trio_agent.routes.plugin import find_plugin
from trio_agent.testing import ScriptedHost, accepted, expect_document, render_route
from trio_agent.vocabulary.event import event_from_wire

PROVIDERS = "docs/how-to/providers.md"
TESTING = "docs/how-to/test-a-component.md"
COMMANDS = "docs/how-to/test-a-command.md"
SERVERS = "docs/how-to/test-an-mcp-server.md"
ASKING = "docs/how-to/ask-the-user.md"
TASKS = "docs/how-to/run-as-a-task.md"
EMBEDDING = "docs/how-to/embed.md"
EVENTS = "docs/reference/events.md"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_python_example_is_python(page: Path) -> None:
    for example in blocks(str(page.relative_to(ROOT))):
        ast.parse(example)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!\w+:)([^)#\s]+)", page.read_text(encoding="utf-8"))

    assert [link for link in links if "data:" not in link and link != "uri"] == [
        link for link in links if (page.parent / link).exists()
    ]


@pytest.mark.parametrize("name", re.findall(r"def (test_\w+)", "\n".join(blocks(TESTING))))
async def test_the_tests_of_the_page_on_testing_pass(
    name: str, monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    test = getattr(load(TESTING, monkeypatch), name)

    await test(*[autojump_clock] * test.__code__.co_argcount)


@pytest.fixture
def weather(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The plugin of the page on testing commands, beside the tests of that page."""
    module = tmp_path / "weather/cli/forecast.py"
    module.parent.mkdir(parents=True)
    module.write_text(blocks(COMMANDS)[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    yield
    unload(find_plugin(tmp_path / "weather"))


@pytest.mark.parametrize("name", re.findall(r"def (test_\w+)", "\n".join(blocks(COMMANDS))))
async def test_the_tests_of_the_page_on_commands_pass(
    name: str,
    weather: None,
    monkeypatch: pytest.MonkeyPatch,
    autojump_clock: trio.testing.MockClock,
) -> None:
    test = getattr(load(COMMANDS, monkeypatch), name)

    await test(*[autojump_clock] * test.__code__.co_argcount)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The plugin of the page on testing servers, beside the tests of that page."""
    module = tmp_path / "shop/mcp/shop/tools/price.py"
    module.parent.mkdir(parents=True)
    module.write_text(blocks(SERVERS)[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    yield
    unload(find_plugin(tmp_path / "shop"))


@pytest.mark.parametrize("name", re.findall(r"def (test_\w+)", "\n".join(blocks(SERVERS))))
async def test_the_tests_of_the_page_on_servers_pass(
    name: str, shop: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = getattr(load(SERVERS, monkeypatch), name)

    for version in ["2025-11-25", "2026-07-28"][: 1 + test.__code__.co_argcount]:
        await test(*[version] * test.__code__.co_argcount)


@pytest.fixture
def press(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The plugin of the page on tasks, beside the tests of that page."""
    module = tmp_path / "press/mcp/press/tools/print_book.py"
    module.parent.mkdir(parents=True)
    module.write_text(blocks(TASKS)[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    yield
    unload(find_plugin(tmp_path / "press"))


@pytest.mark.parametrize("name", re.findall(r"def (test_\w+)", "\n".join(blocks(TASKS))))
async def test_the_tests_of_the_page_on_tasks_pass(
    name: str,
    press: None,
    monkeypatch: pytest.MonkeyPatch,
    autojump_clock: trio.testing.MockClock,
) -> None:
    await getattr(load(TASKS, monkeypatch), name)(autojump_clock)


async def test_the_page_on_embedding_invokes_and_streams(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    autojump_clock: trio.testing.MockClock,
) -> None:
    page = load(EMBEDDING, monkeypatch)

    ending = await page.greet()
    assert (ending.status, ending.value.value) == ("success", "you")
    assert await page.follow() == ["shell", "replace", "complete"]
    await page.greet_once()
    assert capsys.readouterr().out == "Hello **you**.\nHello **somebody**.\n"


async def test_the_page_on_embedding_runs_the_example_plugin(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    # The finder of the plugin stays as long as the process, and others test plugins of that name.
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    (tmp_path / "a").touch()

    await load(EMBEDDING, monkeypatch).audit(str(tmp_path))

    assert json.loads(capsys.readouterr().out)["files"] == 1


@pytest.mark.parametrize("name", re.findall(r"def (test_\w+)", "\n".join(blocks(ASKING))))
async def test_the_tests_of_the_page_on_asking_pass(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await getattr(load(ASKING, monkeypatch), name)()


@pytest.mark.parametrize("name", re.findall(r"def (test_\w+)", "\n".join(blocks(PROVIDERS))))
async def test_the_tests_of_the_page_on_providers_pass(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await getattr(load(PROVIDERS, monkeypatch), name)()


async def test_the_other_tools_of_the_page_on_asking_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    page = load(ASKING, monkeypatch)
    host = ScriptedHost(lambda question: accepted(name=question.message.split()[-1]))

    rendered = await render_route(page.introduce, host=host)

    assert len(host.asked) == 2
    expect_document(rendered.document).contains_text("first? and second?")
    assert make_form(page.SIZES).schema == page.SIZES


@pytest.mark.parametrize(
    "page",
    [
        "docs/how-to/late-producers.md",
        "docs/how-to/bound-a-render.md",
        "docs/how-to/run-a-child-process.md",
        "docs/index.md",
    ],
)
def test_the_examples_of_the_page_can_be_imported(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert vars(load(page, monkeypatch)).keys() > {"__name__"}


async def test_the_command_of_the_page_on_routes_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = load("docs/reference/routes.md", monkeypatch)

    rendered = await render_route(page.count_files, {"folder": str(tmp_path)})

    assert rendered.value == 0
    assert page.count_files.limits == {"max_elapsed_s": 300}


async def test_the_verifier_of_the_page_on_http_knows_its_tokens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    verifier = load("docs/how-to/serve-over-http.md", monkeypatch).TokenFile("s3cret app\n")

    assert (await verifier.verify_token("s3cret")).client_id == "app"
    assert await verifier.verify_token("other") is None


def test_the_events_of_the_reference_can_be_read() -> None:
    whole, shortened = blocks(EVENTS, "json")

    assert [event_from_wire(json.loads(line)).type for line in whole.splitlines()] == [
        "shell",
        "complete",
    ]
    assert [json.loads(line)["sequence"] for line in shortened.splitlines()] == [0, 1, 2]


def test_the_picture_of_the_pipeline_is_that_of_the_module() -> None:
    import trio_agent.invocation

    picture = [
        line.strip() for line in blocks("docs/explanation/pipeline.md", "text")[0].split("\n")
    ]
    module = [line.strip() for line in str(trio_agent.invocation.__doc__).split("\n")]

    assert " ".join(picture).strip() in " ".join(module)


def test_the_readme_shows_two_commands_to_type_first() -> None:
    first, second, *_ = blocks("README.md", "console")

    assert first.startswith("$ python -m pip install -e . && trio-agent run examples/curator")
    assert second == "$ python -m pip install tox && python -m tox\n"
    assert "## Run something" in read("README.md")
