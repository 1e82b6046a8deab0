"""Prompts: what is listed of them, how their arguments are read, and what they answer."""

import enum
from collections.abc import Sequence
from typing import Annotated, Any, cast

import attrs
import pytest

from tests.trees import At_once, texts
from trio_agent import Agent, Description, Message, Node, PromptContext, prompt
from trio_agent.errors import ContractError, InvocationError
from trio_agent.protocol.schema.issues import DeclarationError, SchemaError
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.prompts import PromptRoute
from trio_agent.testing import render_failure, render_route


class Tone(enum.Enum):
    KIND = "kind"
    TERSE = "terse"


@prompt(
    description="Triages.",
    title="Triage",
    icons=[{"src": "data:,x"}],
    meta={"vendor/x": 1},
    render={"max_elapsed_s": 5},
    input_schema={"type": "object"},
    thread=False,
)
def triage(
    title: Annotated[str, Description("Of the report.")],
    context: PromptContext,
    count: int = 1,
    loud: bool = False,
    tone: Tone = Tone.KIND,
) -> str:
    assert context.invocation.target == "test"
    return f"{title} {count} {loud} {tone.name}"


def test_what_the_decorator_said_is_kept() -> None:
    assert isinstance(triage, PromptRoute)
    assert (triage.description, triage.title, triage.name) == ("Triages.", "Triage", "triage")
    assert (triage.icons, triage.meta) == (({"src": "data:,x"},), {"vendor/x": 1})
    assert (triage.form_schema, triage.thread) == ({"type": "object"}, False)
    assert triage.limits == {"max_elapsed_s": 5}
    assert (triage.result, triage.has_messages) == (None, False)


def test_the_arguments_are_listed_with_what_is_said_of_them() -> None:
    assert triage.arguments == (
        {"name": "title", "description": "Of the report.", "required": True},
        {"name": "count", "required": False},
        {"name": "loud", "required": False},
        {"name": "tone", "required": False},
    )


async def test_arguments_are_read_by_their_types() -> None:
    arguments = {"title": "3", "count": "3", "loud": "true", "tone": "terse"}
    rendered = await render_route(triage, arguments)
    assert rendered.value == "3 3 True TERSE"
    assert texts(rendered.root) == ["3 3 True TERSE"]


def test_arguments_that_do_not_fit_are_refused_with_every_path() -> None:
    with pytest.raises(SchemaError) as caught:
        triage.structure({"count": "x", "loud": "yes", "other": "1"})
    issues = {issue.path: issue.expected for issue in caught.value.issues}
    assert issues["input.count"] == "integer"
    assert {*issues} == {"input", "input.title", "input.count", "input.loud"}
    with pytest.raises(SchemaError, match="input: expected object"):
        triage.structure([])


async def test_messages_become_the_value_and_are_shown() -> None:
    @prompt()
    async def talk() -> list[Message]:
        image = Agent.Image(b"hi", "image/png", alt="hi")
        return [Message("user", "Look."), Message("assistant", image)]

    talk.check()
    assert talk.has_messages
    rendered = await render_route(talk, {})
    assert rendered.value == {
        "messages": [
            {"role": "user", "content": "Look."},
            {
                "role": "assistant",
                "content": {"kind": "image", "data": "aGk=", "mimeType": "image/png", "alt": "hi"},
            },
        ]
    }
    assert [node.kind for node in rendered.root.children] == ["text", "image"]


@pytest.mark.parametrize("kind", [list[Message], tuple[Message, ...], Sequence[Message]])
def test_any_list_of_messages_is_one(kind: object) -> None:
    async def talk() -> Any: ...

    talk.__annotations__["return"] = kind
    route = prompt()(talk)
    assert route.has_messages
    assert route.check_value is None


@pytest.mark.parametrize(
    "kind", [Message, list[Message] | None, list[Message | str], dict[str, Message]]
)
def test_messages_among_other_things_are_refused(kind: object) -> None:
    async def talk() -> Any: ...

    talk.__annotations__["return"] = kind
    with pytest.raises(PluginError, match=r"talk returns messages as list\[Message\] and nothing"):
        prompt()(talk).check()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("x", "talk returns a list of Message, received 'x'"),
        ([Message("user", "x"), "x"], r"talk returns a list of Message, received 'x' at \[1\]"),
    ],
)
async def test_an_answer_that_is_no_list_of_messages_fails(answer: Any, message: str) -> None:
    @prompt()
    async def talk() -> list[Message]:
        return cast("list[Message]", answer)

    with pytest.raises(InvocationError, match=message) as caught:
        await render_route(talk, {})
    assert caught.value.code == "invalid-document"


async def test_nodes_and_data_are_shown_as_they_are() -> None:
    @prompt(result=int)
    async def nodes() -> Node:
        return At_once([Agent.Text("one"), Agent.Result(Agent.Markdown("two"), value=2)])

    @prompt()
    async def data() -> dict[str, int]:
        return {"a": 1}

    assert not nodes.has_messages
    assert not data.has_messages
    rendered = await render_route(nodes, {})
    assert (texts(rendered.root), rendered.value) == (["one", "two"], 2)
    shown = await render_route(data, {})
    assert [node.kind for node in shown.root.children] == ["json"]


async def test_a_prompt_that_raises_fails_the_render() -> None:
    # Surfaces B 32: there is no document, so the surface answers with an error.
    @prompt()
    def broken() -> str:
        raise LookupError("not there")

    failed = await render_failure(broken.element(broken.structure({})))
    assert (failed.error.code, failed.error.message) == ("render-failed", "not there")


# ------------------------------------------------------------------------------ what is refused


@attrs.frozen
class Options:
    deep: bool


@attrs.frozen
class Whole:
    title: str
    seen: int = attrs.field(init=False, default=3)


def test_an_argument_that_cannot_be_text_is_refused() -> None:
    @prompt()
    async def tagged(tags: list[str]) -> str:
        return ""

    @prompt()
    async def nested(title: str, options: Options) -> str:
        return ""

    with pytest.raises(PluginError, match=r"the argument tags of .*tagged is array, and the"):
        tagged.check()
    with pytest.raises(PluginError, match=r"the argument options of .*nested is object \(Options"):
        nested.check()


def test_an_input_class_is_listed_by_its_fields() -> None:
    @prompt()
    async def whole(params: Whole) -> str:
        return params.title

    whole.check()
    assert whole.arguments == ({"name": "title", "required": True},)
    assert whole.structure({"title": "3"}) == Whole("3")


def test_a_result_says_nothing_beside_messages() -> None:
    @prompt(result=int)
    async def talk() -> list[Message]:
        return []

    with pytest.raises(PluginError, match="talk returns messages, so its result= says nothing"):
        talk.check()


def test_what_is_wrong_with_any_handler_is_wrong_with_a_prompt() -> None:
    @prompt()
    async def anything(*words: str) -> str:
        return ""

    with pytest.raises(DeclarationError, match="words"):
        anything.check()
    with pytest.raises(PluginError, match="@prompt takes a def or an async def"):
        prompt()(len)
    with pytest.raises(PluginError, match="@prompt: title is a string that is not blank"):
        prompt(title="")
    with pytest.raises(ContractError, match="at most 86400"):
        prompt(render={"max_elapsed_s": 86_401})
