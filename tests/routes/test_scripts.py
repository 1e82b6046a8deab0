"""`@script`, and what a plugin makes of an invocation of one."""

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from tests.routes.conftest import Workshop
from trio_agent import (
    Agent,
    Invocation,
    Node,
    Runtime,
    ScriptContext,
    script,
)
from trio_agent.errors import ContractError
from trio_agent.protocol.output import MarkdownProjection, Output
from trio_agent.protocol.schema.issues import DeclarationError, SchemaError
from trio_agent.routes.application import PluginApplication
from trio_agent.routes.checking import check
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.scripts import ScriptRoute
from trio_agent.testing import render_route
from trio_agent.vocabulary.json import Json


@script(description="Says its words.", render={"max_elapsed_s": 3.0}, result=list[str])
async def say(argv: Sequence[str], context: ScriptContext) -> Node:
    """Not this."""
    return Agent.Result(Agent.Text(context.invocation.kind), value=[*argv])


@script()
def silent() -> str:
    """Takes no words."""
    return "silent"


def test_a_script_keeps_what_its_decorator_said() -> None:
    say.check()

    assert isinstance(say, ScriptRoute)
    assert (say.name, say.description, say.title, say.thread) == (
        "say",
        "Says its words.",
        None,
        True,
    )
    assert (say.limits, say.result) == ({"max_elapsed_s": 3.0}, list[str])
    assert say.takes_argv
    assert say.input_of(["--help"]) == {"argv": ["--help"]}


def test_the_words_may_be_left_out() -> None:
    silent.check()

    assert silent.description == "Takes no words."
    assert not silent.takes_argv
    assert silent.input_of(()) == {}
    silent.structure(None)


async def test_a_script_can_be_rendered_by_itself() -> None:
    rendered = await render_route(say, {"argv": ["a"]})
    assert rendered.value == ["a"]
    assert silent.handler() == "silent"


def test_an_invocation_without_input_has_no_words() -> None:
    assert say.signature.arguments(say.structure(None), None) == {"argv": (), "context": None}


def test_an_input_that_is_none_is_refused() -> None:
    with pytest.raises(SchemaError, match="no unknown key"):
        say.structure({"argv": [], "x": 1})


@pytest.mark.parametrize("type_", [list[str], tuple[str, ...], Sequence[str]])
def test_words_come_as_any_list(type_: type) -> None:
    async def handler(argv: object) -> None: ...

    handler.__annotations__["argv"] = type_
    route = script()(handler)
    route.check()

    words = route.signature.arguments(route.structure({"argv": ["a"]}), None)["argv"]
    assert words in (["a"], ("a",))


async def wants_numbers(argv: Sequence[int]) -> None: ...
async def wants_one(argv: str) -> None: ...
async def wants_two(argv: tuple[str, str]) -> None: ...
async def wants_more(argv: Sequence[str], depth: int = 3) -> None: ...
async def wants_another(words: Sequence[str]) -> None: ...


@pytest.mark.parametrize(
    "function", [wants_numbers, wants_one, wants_two, wants_more, wants_another]
)
def test_a_script_takes_words_and_nothing_else(function: "type[object]") -> None:
    with pytest.raises(PluginError, match=r"takes argv: Sequence\[str\], the words after its name"):
        script()(function).check()


def test_what_a_decorator_does_not_take_is_refused() -> None:
    with pytest.raises(PluginError, match="@script: description is a string"):
        script(description=" ")
    with pytest.raises(ContractError, match="at most"):
        script(render={"max_elapsed_s": 1e9})
    with pytest.raises(DeclarationError, match="has no annotation"):
        script()(lambda argv: None).check()


# ------------------------------------------------------------------------------ in a plugin

FILES = {
    "layout.py": """
        from trio_agent import Agent, Node, RouteInfo, layout

        @layout(render={"max_document_nodes": 50})
        def frame(children: Node, route: RouteInfo) -> Node:
            return Agent.Result(children, Agent.Text(f"inside {route.kind} {route.name}"))
        """,
    "providers/shelf.py": """
        from trio_agent import provider

        @provider
        def shelf(context):
            return "a shelf"
        """,
    "scripts/say_words.py": """
        from trio_agent import Agent, Node, ScriptContext, script

        @script(render={"max_elapsed_s": 5})
        async def say(argv: list[str], context: ScriptContext) -> Node:
            return Agent.Markdown(f"{argv} from {await context.provider('shelf')}")
        """,
    "scripts/data.py": """
        from trio_agent import script

        @script()
        def data(argv: list[str]) -> list[str]:
            return argv
        """,
    "scripts/moved.py": """
        from trio_agent import script

        @script()
        def moved() -> None: ...

        moved = None
        """,
    "scripts/broken.py": """
        import no_such_module_anywhere
        from trio_agent import script

        @script()
        def broken() -> None: ...
        """,
    "scripts/plain.py": "raise SystemExit('started')",
    "scripts/shell.sh": "",
}


def application(workshop: Workshop) -> PluginApplication:
    return PluginApplication(workshop.write("scripts_t", FILES))


def invocation(target: str, *words: str) -> Invocation:
    return Invocation(kind="script", target=target, props=Json.of({"argv": [*words]}))


async def rendered(application: PluginApplication, asked: Invocation) -> str:
    said: list[Output] = []

    async def take(output: Output) -> None:
        said.append(output)

    await Runtime(application).invoke(asked, MarkdownProjection(), take)
    return "".join(one.text for one in said)


async def test_a_script_stands_inside_the_layout_and_asks_providers(workshop: Workshop) -> None:
    text = await rendered(application(workshop), invocation("say-words", "a", "--", "-h"))

    assert text == "['a', '--', '-h'] from a shelf\n\ninside script say-words\n"


async def test_data_is_shown_as_it_is(workshop: Workshop) -> None:
    assert await rendered(application(workshop), invocation("data")) == "```json\n[]\n```\n"


def test_the_limits_are_those_of_the_layout_and_the_script(workshop: Workshop) -> None:
    program = application(workshop).open(invocation("say-words"))
    assert program.limits == {"max_document_nodes": 50, "max_elapsed_s": 5}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "plain",
            r"scripts/plain.py:1: is a program of its own, which is started and not rendered",
        ),
        ("shell", r"scripts/shell.sh:1: is a program of its own"),
        ("moved", r"moved is no longer a script when the module has run: @script has to be"),
        ("broken", r"broken.py:2: ModuleNotFoundError: No module named 'no_such_module_anywhere'"),
    ],
)
def test_what_cannot_be_rendered_says_why(workshop: Workshop, name: str, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        application(workshop).open(invocation(name))


def test_a_check_imports_what_is_rendered_and_starts_no_program(workshop: Workshop) -> None:
    found = [*check(application(workshop))]
    assert [(one.code, one.file) for one in found] == [
        ("TA4848", "scripts/broken.py"),
        ("TA4848", "scripts/moved.py"),
    ]


@given(words=st.lists(st.text(st.characters(codec=None))))
def test_any_words_are_an_input(words: list[str]) -> None:
    props = Json.of(say.input_of(words), "input")
    assert say.signature.arguments(say.structure(props.value), None)["argv"] == tuple(words)
