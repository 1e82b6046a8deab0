"""Resources: their URIs and variables, and what their answers become."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import attrs
import pytest
from hypothesis import given, strategies as st

from tests.trees import texts
from trio_agent import Agent, Ge, Node, ResourceContext, resource
from trio_agent.errors import ContractError, InvocationError
from trio_agent.protocol.schema.issues import SchemaError
from trio_agent.routes.plugin import PluginError
from trio_agent.routes.resources import ResourceRoute
from trio_agent.testing import render_route
from trio_agent.vocabulary.media import ResourceNode


@resource(
    uri="curator://book/{number}/{+path}",
    mime_type="text/plain",
    description="A page.",
    title="Page",
    icons=[{"src": "data:,x"}],
    annotations={"priority": 0.5},
    meta={"vendor/x": 1},
    size=3,
    render={"max_elapsed_s": 5},
    input_schema={"type": "object"},
)
async def page(
    path: Path, number: Annotated[int, Ge(1)], context: ResourceContext, loud: bool = False
) -> str:
    assert context.invocation.target == "test"
    return f"{number} {path.as_posix()} {loud}"


def test_what_the_decorator_said_is_kept() -> None:
    assert isinstance(page, ResourceRoute)
    assert (page.uri, page.is_template) == ("curator://book/{number}/{+path}", True)
    assert (page.mime_type, page.size, page.name) == ("text/plain", 3, "page")
    assert (page.description, page.title) == ("A page.", "Page")
    assert (page.icons, page.annotations) == (({"src": "data:,x"},), {"priority": 0.5})
    assert (page.meta, page.form_schema) == ({"vendor/x": 1}, {"type": "object"})
    assert (page.limits, page.result, page.thread) == ({"max_elapsed_s": 5}, None, True)
    page.check()


async def test_the_variables_of_a_uri_are_the_input() -> None:
    found = page.match("curator://book/7/a/b%20c")
    assert found == {"number": "7", "path": "a/b c"}
    rendered = await render_route(page, found)
    assert rendered.value == "7 a/b c False"
    assert page.match("curator://book/7") is None


def test_variables_that_do_not_fit_are_refused() -> None:
    with pytest.raises(SchemaError) as caught:
        page.structure({"number": "0", "path": "x"})
    assert [issue.path for issue in caught.value.issues] == ["input.number"]
    with pytest.raises(SchemaError, match=r"input\.number: expected integer"):
        page.structure({"number": "07", "path": "x"})
    with pytest.raises(SchemaError, match="input: expected object"):
        page.structure(3)


def test_a_uri_without_variables_matches_itself() -> None:
    @resource(uri="curator://catalog")
    async def catalog() -> str:
        return ""

    assert not catalog.is_template
    assert catalog.match("curator://catalog") == {}
    assert catalog.match("curator://catalog/") is None
    catalog.check()


# ------------------------------------------------------------------------------ answers


async def leaf_of(route: ResourceRoute, **variables: str) -> Any:
    (leaf,) = (await render_route(route, variables)).root.children
    return leaf


async def test_bytes_become_a_blob_with_the_uri_they_are_of() -> None:
    @resource(uri="x://{name}/{when}", mime_type="image/png", title="Picture")
    async def picture(name: str, when: dt.date) -> bytes:
        return b"hi"

    leaf = await leaf_of(picture, name="a/b", when="2026-01-31")
    assert leaf == ResourceNode(
        uri="x://a%2Fb/2026-01-31", name="Picture", mime_type="image/png", blob="aGk="
    )
    assert picture.check_value is None


async def test_no_bytes_are_an_empty_text() -> None:
    @resource(uri="x://empty", thread=False)
    def empty() -> bytes:
        return b""

    leaf = await leaf_of(empty)
    assert (leaf.text, leaf.blob, leaf.uri) == ("", None, "x://empty")
    assert leaf.name.endswith("empty")


async def test_text_stays_text_and_other_data_become_json() -> None:
    @resource(uri="x://text")
    async def text() -> str:
        return "told"

    @resource(uri="x://data")
    async def data() -> dict[str, int]:
        return {"a": 1}

    told = await render_route(text, {})
    assert (texts(told.root), told.value) == (["told"], "told")
    shown = await render_route(data, {})
    assert (shown.root.children[0].kind, shown.value) == ("json", {"a": 1})


@pytest.mark.parametrize("answer", [b"hi", "told", None, 3])
async def test_bytes_may_be_one_of_several_answers(answer: object) -> None:
    @resource(uri="x://any")
    async def mixed() -> bytes | str | int | None:
        return answer  # type: ignore[return-value]  # what is drawn fits

    mixed.check()
    rendered = await render_route(mixed, {})
    if answer == b"hi":
        assert (rendered.root.children[0].kind, rendered.value) == ("resource", None)
    else:
        assert rendered.value == answer


async def test_bytes_may_stand_beside_nodes() -> None:
    @resource(uri="x://{kind}", result=int)
    async def mixed(kind: str) -> "Node | bytes":
        return b"hi" if kind == "blob" else Agent.Result(Agent.Text("x"), value=1)

    mixed.check()
    assert (await leaf_of(mixed, kind="blob")).blob == "aGk="
    assert (await render_route(mixed, {"kind": "node"})).value == 1


async def test_bytes_that_were_not_declared_fail() -> None:
    @resource(uri="x://text")
    async def text() -> str:
        return b"hi"  # type: ignore[return-value]  # wrong on purpose

    with pytest.raises(InvocationError, match=r"value is an instance of builtins\.bytes"):
        await render_route(text, {})


@given(values=st.fixed_dictionaries({"name": st.text(min_size=1), "number": st.integers()}))
def test_a_blob_has_a_uri_that_leads_back_to_it(values: dict[str, object]) -> None:
    @resource(uri="x://{name}/{number}")
    async def blob(name: str, number: int) -> bytes:
        return b""

    try:
        str(values["name"]).encode()
    except UnicodeError:
        return
    value = blob.signature.input_type(**values)
    node = blob.to_node(b"", value)
    assert isinstance(node, ResourceNode)
    found = blob.match(node.uri)
    assert found is not None
    assert blob.structure(found) == value


# ------------------------------------------------------------------------------ what is refused


def wrong(uri: str) -> Callable[[Callable[..., object]], str]:
    def decorate(function: Callable[..., object]) -> str:
        with pytest.raises(PluginError) as caught:
            resource(uri=uri)(function).check()
        return caught.value.message

    return decorate


def test_variables_and_parameters_have_to_fit_each_other() -> None:
    @wrong("x://{id}")
    async def unknown(name: str = "") -> str:
        return name

    @wrong("x://{id}")
    async def none() -> str:
        return ""

    @wrong("x://{id}")
    async def owed(id: str, limit: int) -> str:  # noqa: A002  # a variable may be called so
        return id

    @wrong("x://all")
    async def plain(limit: int) -> str:
        return ""

    @wrong("x://{ids}")
    async def listed(ids: list[int]) -> str:
        return ""

    assert unknown.startswith("the URI 'x://{id}' has the variable id, which is no parameter")
    assert unknown.endswith(".unknown; it has name")
    assert none.endswith(".none; it has none")
    assert owed.startswith("the parameter limit of ")
    assert owed.endswith(".owed has no default, and the URI 'x://{id}' has no variable limit")
    assert plain.endswith("has no default, and the URI 'x://all' has no variable limit")
    assert listed.endswith("is array, and a variable of the URI 'x://{ids}' is text")


@pytest.mark.parametrize(
    ("uri", "message"),
    [
        ("catalog", "uri is an absolute URI, 'curator://catalog', received 'catalog'"),
        ("", "uri is an absolute URI"),
        ("x://{?q}", r"the URI template 'x://{\?q}' has {\?q}, and takes"),
        ("x://{a}{b}", "has nothing between {a} and {b}"),
    ],
)
def test_a_uri_that_cannot_be_matched_is_refused(uri: str, message: str) -> None:
    with pytest.raises(PluginError, match=f"@resource: .*{message}"):
        resource(uri=uri)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": -1}, "size is a number of bytes, received -1"),
        ({"size": True}, "size is a number of bytes, received True"),
        ({"mime_type": " "}, "mime_type is"),
        ({"annotations": [1]}, r"annotations is a JSON object, received \[1\]"),
    ],
)
def test_what_is_not_what_an_argument_takes_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(PluginError, match=message):
        resource(uri="x://a", **arguments)


def test_a_result_says_nothing_beside_bytes() -> None:
    @resource(uri="x://a", result=int)
    async def blob() -> bytes:
        return b""

    with pytest.raises(PluginError, match="blob returns bytes, so its result= says nothing"):
        blob.check()
    with pytest.raises(ContractError, match="at most 86400"):
        resource(uri="x://a", render={"max_elapsed_s": 86_401})


@attrs.frozen
class Whole:
    name: str
    seen: int = attrs.field(init=False, default=3)


def test_an_input_class_has_the_variables_as_fields() -> None:
    @resource(uri="x://{name}")
    async def whole(params: Whole) -> str:
        return params.name

    whole.check()
    assert whole.structure({"name": "3"}) == Whole("3")
