"""A plugin as an application: listed without importing it, run through a real runtime."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import trio

from tests.routes.conftest import Workshop
from trio_agent.errors import ContractError, RequestError, TrioAgentError
from trio_agent.invocation import Runtime
from trio_agent.pipeline.program import Application
from trio_agent.routes.application import PluginApplication, open_application
from trio_agent.routes.manifest import Manifest
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.record import RouteRecord
from trio_agent.vocabulary.event import CompleteEvent
from trio_agent.vocabulary.invocation import Invocation
from trio_agent.vocabulary.json import Json

DECORATOR = "from trio_agent.routes.commands import command\nfrom trio_agent import Agent, Node\n"
GREET = DECORATOR + (
    "from ..words import hello\n"
    "@command(aliases=['hi'], render={'max_elapsed_s': 5})\n"
    "async def anything(name: str, loud: bool = False) -> str:\n"
    "    return hello(name, loud)\n"
)
FILES = {
    "words.py": "def hello(name: str, loud: bool) -> str: return f'Hello {name}' + '!' * loud",
    "cli/greet.py": GREET,
    "cli/db/clean_up.py": GREET.replace("..words", "...words").replace("hi", "clean"),
    "cli/broken.py": "import missing_thing\n" + GREET.replace("hi", "bad"),
    "cli/wrong.py": GREET.replace("['hi']", "ALIASES"),
}


def open_plugin(workshop: Workshop, files: dict[str, str]) -> PluginApplication:
    return open_application(workshop.write("curator_t", files).root)


def record(application: PluginApplication, name: str) -> RouteRecord:
    found = application.graph.find_command(name)
    assert isinstance(found, RouteRecord)
    assert found is not None
    return found


def call(target: str, **props: object) -> Invocation:
    return Invocation(kind="cli", target=target, props=Json.of(props))


def load_error(workshop: Workshop, text: str) -> str:
    application = open_plugin(workshop, {"cli/a.py": text})
    with pytest.raises(PluginError) as caught:
        application.load(record(application, "a"))
    message = caught.value.message
    assert "\n" not in message
    assert str(application.plugin.root) in message
    return message.removeprefix(f"{application.plugin.root}/")


def test_listing_a_plugin_imports_nothing_of_it(workshop: Workshop) -> None:
    application = open_plugin(workshop, {**FILES, "__init__.py": "1/0"})
    names = [known.name for known in application.commands()]
    assert names == ["broken", "db clean-up", "greet", "wrong"]
    assert not [name for name in sys.modules if name.startswith("curator_t")]


async def test_a_command_runs_by_its_name_and_by_its_alias(workshop: Workshop) -> None:
    application: Application = open_plugin(workshop, FILES)
    runtime = Runtime(application)
    for target in ("greet", "hi", "db clean-up", "db clean"):
        async with runtime.stream(call(target, name="you", loud=True)) as events:
            last = [event async for event in events][-1]
        assert isinstance(last, CompleteEvent)
        assert last.document.value == Json.of("Hello you!")


def test_loading_a_route_imports_its_module_only(workshop: Workshop) -> None:
    application = open_plugin(workshop, FILES)
    route = application.load(record(application, "greet"))
    assert (route.name, route.aliases) == ("anything", ("hi",))
    assert application.load(record(application, "greet")) is route
    loaded = {name for name in sys.modules if name.startswith("curator_t.")}
    assert loaded == {"curator_t.words", "curator_t.cli", "curator_t.cli.greet"}


def test_a_program_carries_the_limits_and_the_check_of_its_route(workshop: Workshop) -> None:
    program = open_plugin(workshop, FILES).open(call("greet", name="x"))
    assert program.limits == {"max_elapsed_s": 5}
    assert program.check_value is not None
    with pytest.raises(ContractError, match="expected string"):
        program.check_value(Json.of(1))


async def test_the_limiter_of_the_application_bounds_its_threads(workshop: Workshop) -> None:
    plugin = workshop.write(
        "curator_t",
        {
            "cli/a.py": """
            import trio
            from trio_agent.routes.commands import command

            LIMITERS = []

            @command()
            def run() -> int:
                return trio.from_thread.run_sync(lambda: LIMITERS[0].borrowed_tokens)
            """
        },
    )
    limiter = trio.CapacityLimiter(1)
    application = PluginApplication(plugin, thread_limiter=limiter)
    application.load(record(application, "a"))
    vars(sys.modules["curator_t.cli.a"])["LIMITERS"].append(limiter)
    async with Runtime(application).stream(call("a")) as events:
        last = [event async for event in events][-1]
    assert isinstance(last, CompleteEvent)
    assert last.document.value == Json.of(1)


def test_input_that_does_not_fit_is_refused_before_anything_runs(workshop: Workshop) -> None:
    with pytest.raises(ContractError, match=r"input.name: expected string") as caught:
        open_plugin(workshop, FILES).open(call("greet", name=1, size=2))
    assert "input" in caught.value.message


@pytest.mark.parametrize(
    ("invocation", "message"),
    [
        (call("missing"), "has no command 'missing'; it has broken, db clean-up, greet, wrong"),
        (call("db"), "has no command 'db'"),
        (Invocation(kind="script", target="greet"), "has no script 'greet'; it has none"),
        (Invocation(kind="tool", target="x/greet"), "has no route 'x/greet'; it has none"),
        (Invocation(kind="tool", target="cli:greet"), "has no route 'cli:greet'; it has none"),
        (
            Invocation(kind="event", target="tool/before"),
            "has commands, scripts, tools, resources and prompts, received an invocation of the kind event",
        ),
    ],
)
def test_an_unknown_target_is_refused(
    workshop: Workshop, invocation: Invocation, message: str
) -> None:
    with pytest.raises(RequestError, match=message) as caught:
        open_plugin(workshop, FILES).open(invocation)
    assert caught.value.code == "invalid-invocation"


def test_the_list_of_commands_in_an_error_is_bounded(workshop: Workshop) -> None:
    with pytest.raises(RequestError, match=r"it has none$"):
        open_plugin(workshop, {}).open(call("x"))
    application = open_plugin(workshop, {f"cli/c{number}.py": GREET for number in range(100)})
    with pytest.raises(RequestError, match=r", and 88 more$") as caught:
        application.open(call("x"))
    assert len(caught.value.message) < 300


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(:\n", "cli/a.py:1:7: TA4815 is not Python"),
        ("x = 1\n", "cli/a.py:1:1: TA4815 declares no route"),
        (GREET.replace("['hi']", "ALIASES"), "cli/a.py:4:18: TA4806 aliases is read without"),
        (GREET.replace("-> str", ""), "cli/a.py:5:1: TA4815 anything has no return annotation"),
        (GREET.replace("..words", "..nothing"), "cannot import curator_t.cli.a: "),
        (
            DECORATOR + "@print\n@command()\ndef f() -> str: ...\n",
            "cli/a.py:5: f is no longer a command when the module has run",
        ),
        (
            DECORATOR + "@command()\ndef f(x) -> str: ...\n",
            "cli/a.py:4: parameter `x` of curator_t.cli.a.f has no annotation",
        ),
        (
            DECORATOR + "@command()\ndef f() -> 'Missing': ...\n",
            "cli/a.py:4: f has the return annotation 'Missing', which cannot be resolved",
        ),
        (
            DECORATOR + "@command()\ndef f() -> set[int]: ...\n",
            "cli/a.py:4: ",
        ),
        (
            DECORATOR + "@command(render={'max_x': 1})\ndef f() -> str: ...\n",
            "cli/a.py:3:17: TA4835 'max_x' is not a limit; there are ",
        ),
    ],
)
def test_a_route_that_cannot_run_is_one_line_with_its_place(
    workshop: Workshop, text: str, message: str
) -> None:
    assert load_error(workshop, text).startswith(message)


def test_one_bad_route_does_not_cost_the_others(workshop: Workshop) -> None:
    application = open_plugin(workshop, FILES)
    for name in ("broken", "wrong"):
        with pytest.raises(PluginError):
            application.load(record(application, name))
    assert application.load(record(application, "greet")).name == "anything"


def test_the_identity_is_taken_once(workshop: Workshop) -> None:
    application = open_plugin(workshop, FILES)
    identity = application.identity
    workshop.write("curator_t", {"cli/new.py": GREET})
    assert application.identity is identity
    assert open_application(application.plugin.root).identity != identity


async def test_an_invocation_for_another_build_is_refused(workshop: Workshop) -> None:
    invocation = Invocation(
        kind="cli", target="greet", props=Json.of({"name": "x"}), artifact_epoch="other"
    )
    with pytest.raises(TrioAgentError) as caught:
        async with Runtime(open_plugin(workshop, FILES)).stream(invocation) as events:
            _ = [event async for event in events]
    assert caught.value.code == "artifact-epoch-mismatch"


def test_a_plugin_with_a_bad_manifest_is_refused_when_it_is_opened(workshop: Workshop) -> None:
    application = open_plugin(workshop, {"plugin.toml": "name = 'Curator'"})
    assert application.manifest == Manifest(name="Curator")
    with pytest.raises(PluginError, match=r"plugin.toml:1:1: TA4805 'nmae' is not a key"):
        open_plugin(workshop, {"plugin.toml": "nmae = 'Curator'"})
    with pytest.raises(PluginError, match="there is no plugin"):
        open_application(Path("/missing/curator"))


def test_two_plugins_run_side_by_side(workshop: Workshop) -> None:
    first = open_plugin(workshop, FILES)
    second = open_application(workshop.write("keeper_t", FILES).root)
    one, two = (app.load(record(app, "greet")) for app in (first, second))
    assert one is not two
    third = open_application(workshop.write("elsewhere/curator_t", FILES).root)
    with pytest.raises(PluginError, match="the name is taken by") as caught:
        third.load(record(third, "greet"))
    assert str(first.plugin.root) in caught.value.message
    assert str(third.plugin.root) in caught.value.message


def test_the_example_is_discovered() -> None:
    root = Path(__file__).parents[2] / "examples" / "curator"
    application = open_application(root)
    assert application.plugin.name == "curator"
    assert application.graph.diagnostics == ()


HEAVY = {
    "asyncio",
    "unittest",
    "importlib.metadata",
    "rich",
    "cattrs",
    "trio",
    "hashlib",
    "tomllib",
}


def test_listing_a_plugin_loads_nothing_heavy(workshop: Workshop) -> None:
    root = workshop.write("curator_t", FILES).root
    project = Path(__file__).parents[2]
    code = f"""
        import sys, types
        # The package's own exports are for authors; this is about the modules below it.
        sys.modules["trio_agent"] = types.ModuleType("trio_agent")
        sys.modules["trio_agent"].__path__ = [{str(project / "trio_agent")!r}]
        from trio_agent.routes.application import open_application
        assert len(open_application({str(root)!r}).commands()) == 4
        print(sorted({HEAVY!r} & set(sys.modules)))
        """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=project,
        # A coverage run follows into child processes, and brings its own modules.
        env={key: value for key, value in os.environ.items() if not key.startswith("COVERAGE")},
    )
    assert done.stdout.strip() == "[]"
