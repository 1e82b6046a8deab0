"""One server of a real plugin, asked directly."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest

from tests.surfaces.mcp.asking import Asker, open_service
from trio_agent.routes.application import open_application
from trio_agent.surfaces.mcp.exchange import Client
from trio_agent.surfaces.mcp.rpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND,
    JsonObject,
    RpcError,
)
from trio_agent.surfaces.mcp.service import McpService

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def depot() -> Iterator[McpService]:
    yield from open_service("depot")


async def ask(service: McpService, method: str, **params: object) -> JsonObject:
    return await service.handle(method, params, Asker())


async def call(
    service: McpService, name: str, asker: Asker | None = None, **arguments: object
) -> JsonObject:
    params: JsonObject = {"name": name, "arguments": arguments}
    return await service.handle("tools/call", params, asker or Asker())


async def refused(service: McpService, method: str, **params: object) -> RpcError:
    with pytest.raises(RpcError) as caught:
        await service.handle(method, params, Asker())
    return caught.value


def listed(result: JsonObject, key: str) -> dict[str, JsonObject]:
    return {str(item["name"]): item for item in cast("list[JsonObject]", result[key])}


def test_a_server_says_what_it_is_and_what_it_can(depot: McpService) -> None:
    assert depot.introduction("2025-11-25") == {
        "capabilities": {
            "completions": {},
            "logging": {},
            "prompts": {"listChanged": True},
            "resources": {"listChanged": True, "subscribe": True},
            "tools": {"listChanged": True},
        },
        "serverInfo": {
            "name": "depot",
            "title": "Depot",
            "version": "2.1.0",
            "description": "Shelves and what lies on them.",
        },
    }


async def test_a_listing_has_what_the_decorators_say_and_the_types_mean(depot: McpService) -> None:
    tools = listed(await ask(depot, "tools/list"), "tools")

    assert [*tools] == sorted(tools)
    assert tools["add"] == {
        "name": "add",
        "title": "Add",
        "description": "Add two numbers.",
        "annotations": {"readOnlyHint": True},
        "inputSchema": tools["add"]["inputSchema"],
    }
    schema = cast("JsonObject", tools["add"]["inputSchema"])
    assert (schema["type"], schema["required"]) == ("object", ["a"])
    assert tools["measure"]["title"] == "Measure the depot"
    assert tools["measure"]["description"] == "Count what lies on the shelves."
    assert cast("JsonObject", tools["measure"]["outputSchema"])["type"] == "object"
    # Lists, resources and prompts are JSON as they are.
    json.dumps(tools)


async def test_one_bad_tool_costs_the_others_nothing(
    depot: McpService, caplog: pytest.LogCaptureFixture
) -> None:
    tools = listed(await ask(depot, "tools/list"), "tools")
    again = listed(await ask(depot, "tools/list"), "tools")

    assert "broken" not in tools
    assert tools == again
    (said,) = [record.getMessage() for record in caplog.records if record.name == "trio_agent.mcp"]
    assert said.startswith("tool:depot/broken is not offered: ")
    assert "the disk is full" in said


async def test_calling_a_tool_that_cannot_be_loaded_says_why(depot: McpService) -> None:
    result = await call(depot, "broken")

    assert result["isError"] is True
    assert "the disk is full" in json.dumps(result["content"])


async def test_a_tool_is_hidden_from_the_clients_it_excludes_in_lists_and_calls(
    depot: McpService,
) -> None:
    codex = Client(version_spoken="2025-11-25", name="Codex CLI")
    hidden = await depot.handle("tools/list", {}, Asker(client=codex))
    shown = await ask(depot, "tools/list")

    assert "secret" not in listed(hidden, "tools")
    assert "secret" in listed(shown, "tools")
    with pytest.raises(RpcError, match="Unknown tool: secret") as caught:
        await call(depot, "secret", Asker(client=codex))
    assert caught.value.code == INVALID_PARAMS
    told = await call(depot, "secret")
    assert told["content"] == [{"type": "text", "text": "told"}]


async def test_a_call_gives_one_result(depot: McpService) -> None:
    result = await call(depot, "add", a=2, b=3)

    assert result == {"content": [{"type": "text", "text": "5"}]}


async def test_invalid_arguments_are_one_error_result_with_every_path(depot: McpService) -> None:
    result = await call(depot, "add", a="2", b=True, c=None)

    (block,) = cast("list[JsonObject]", result["content"])
    assert result["isError"] is True
    for named in ("a", "b", '"c"'):
        assert named in str(block["text"])
    assert "structuredContent" not in result


@pytest.mark.parametrize("token", ["", "7", 0, 7, "π"], ids=repr)
async def test_progress_goes_out_under_the_very_token_and_rises(
    depot: McpService, token: object, autojump_clock: object
) -> None:
    asker = Asker(meta={"progressToken": token})

    result = await call(depot, "measure", asker, shelves=4)

    assert result["structuredContent"] == {"shelves": 4, "items": 40}
    sent = [params for method, params in asker.sent if method == "notifications/progress"]
    tokens = [params["progressToken"] for params in sent]
    assert tokens
    assert all(one == token and type(one) is type(token) for one in tokens)
    numbers = [cast("float", params["progress"]) for params in sent]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("token", [None, True, 1.5, [], {}])
async def test_without_a_usable_token_there_is_no_progress(
    depot: McpService, token: object, autojump_clock: object
) -> None:
    asker = Asker(meta={} if token is None else {"progressToken": token})

    await call(depot, "measure", asker, shelves=2)

    assert asker.sent == []


async def test_resources_and_templates_are_listed_apart(depot: McpService) -> None:
    resources = listed(await ask(depot, "resources/list"), "resources")
    templates = listed(await ask(depot, "resources/templates/list"), "resourceTemplates")

    assert resources == {
        "manual": {
            "name": "manual",
            "title": "Manual",
            "description": "How the depot works.",
            "uri": "depot://manual",
            "mimeType": "text/markdown",
        },
        "stamp": {
            "name": "stamp",
            "title": "Stamp",
            "description": "The depot's stamp.",
            "uri": "depot://stamp",
            "mimeType": "image/png",
        },
    }
    assert templates["shelf"]["uriTemplate"] == "depot://shelf/{row}/{number}"
    assert templates["shelf"]["title"] == "One shelf"


async def test_an_app_is_a_resource_that_is_the_file(tmp_path: Path, depot: McpService) -> None:
    plugin = tmp_path / "shop_t"
    (plugin / "mcp/shop/apps").mkdir(parents=True)
    page = plugin / "mcp/shop/apps/price_panel.html"
    page.write_text("<title>Prices</title><p>12 \u20ac", encoding="utf-8")
    application = open_application(plugin)
    shop = McpService(application, application.graph.find_server(None))

    resources = await ask(shop, "resources/list")
    read = await ask(shop, "resources/read", uri="ui://shop/price_panel")

    listing: JsonObject = {
        "name": "price_panel",
        "title": "Prices",
        "uri": "ui://shop/price_panel",
        "mimeType": "text/html;profile=mcp-app",
    }
    assert resources == {"resources": [listing]}
    (content,) = cast("list[JsonObject]", read["contents"])
    assert content["text"] == "<title>Prices</title><p>12 \u20ac"
    assert content["mimeType"] == listing["mimeType"]
    assert "resources" in cast("JsonObject", shop.introduction("2025-11-25")["capabilities"])
    page.unlink()
    assert (await refused(shop, "resources/read", uri="ui://shop/price_panel")).code == (
        INTERNAL_ERROR
    )


async def test_a_resource_is_read_as_text_bytes_or_json(depot: McpService) -> None:
    manual = await ask(depot, "resources/read", uri="depot://manual")
    stamp = await ask(depot, "resources/read", uri="depot://stamp")
    shelf = await ask(depot, "resources/read", uri="depot://shelf/left/7")

    assert manual == {
        "contents": [{"uri": "depot://manual", "mimeType": "text/markdown", "text": "# Manual"}]
    }
    assert stamp == {
        "contents": [{"uri": "depot://stamp", "mimeType": "image/png", "blob": "iVBORw=="}]
    }
    (content,) = cast("list[JsonObject]", shelf["contents"])
    assert json.loads(str(content["text"])) == {"row": "left", "number": 7}
    assert content["uri"] == "depot://shelf/left/7"
    assert content["mimeType"] == "application/json"


async def test_a_resource_that_is_not_there_has_the_code_of_the_era(depot: McpService) -> None:
    error = await refused(depot, "resources/read", uri="depot://attic")
    modern = Asker(client=Client(version_spoken="2026-07-28"))
    with pytest.raises(RpcError) as caught:
        await depot.handle("resources/read", {"uri": "depot://attic"}, modern)

    assert (error.code, error.data) == (RESOURCE_NOT_FOUND, {"uri": "depot://attic"})
    assert caught.value.code == INVALID_PARAMS


@pytest.mark.parametrize("uri", ["depot://shelf/left/0", "depot://shelf/left/x"])
async def test_a_resource_that_fails_is_an_error_of_the_request(
    depot: McpService, uri: str
) -> None:
    error = await refused(depot, "resources/read", uri=uri)

    assert "shelves are counted from one" in error.message or "number" in error.message


async def test_a_prompt_is_listed_with_its_arguments_and_gotten(depot: McpService) -> None:
    prompts = listed(await ask(depot, "prompts/list"), "prompts")
    review = await ask(
        depot, "prompts/get", name="review", arguments={"tone": "keen", "number": "3"}
    )
    plain = await ask(depot, "prompts/get", name="plain")

    assert [
        argument["name"] for argument in cast("list[JsonObject]", prompts["review"]["arguments"])
    ] == [
        "tone",
        "number",
    ]
    assert "arguments" not in prompts["plain"]
    assert review["messages"] == [
        {"role": "user", "content": {"type": "text", "text": "Review shelf 3."}},
        {"role": "assistant", "content": {"type": "text", "text": "In a keen tone."}},
    ]
    assert plain["messages"] == [{"role": "user", "content": {"type": "text", "text": "Hello."}}]


async def test_a_prompt_that_fails_is_an_error_of_the_request(depot: McpService) -> None:
    thrown = await refused(
        depot, "prompts/get", name="review", arguments={"tone": "kind", "number": "0"}
    )
    missing = await refused(depot, "prompts/get", name="review")
    unknown = await refused(depot, "prompts/get", name="revue")

    assert thrown.message == "shelves are counted from one"
    assert (missing.code, "tone" in missing.message) == (INVALID_PARAMS, True)
    assert (unknown.code, unknown.message) == (INVALID_PARAMS, "Unknown prompt: revue")


async def test_arguments_are_completed_from_enums_and_literals(depot: McpService) -> None:
    async def completed(reference: JsonObject, name: str, typed: str) -> JsonObject:
        answer = await ask(
            depot,
            "completion/complete",
            ref=reference,
            argument={"name": name, "value": typed},
        )
        return cast("JsonObject", answer["completion"])

    prompt: JsonObject = {"type": "ref/prompt", "name": "review"}
    template: JsonObject = {"type": "ref/resource", "uri": "depot://shelf/{row}/{number}"}
    assert await completed(prompt, "tone", "K") == {
        "values": ["kind", "keen"],
        "total": 2,
        "hasMore": False,
    }
    assert (await completed(template, "row", ""))["values"] == ["left", "middle", "right"]
    assert (await completed(template, "number", "1"))["values"] == []
    assert (await completed(prompt, "no such", ""))["values"] == []


@pytest.mark.parametrize(
    ("reference", "argument"),
    [
        (None, {"name": "a", "value": ""}),
        ({"type": "ref/prompt", "name": "review"}, None),
        ({"type": "ref/prompt", "name": "review"}, {"name": "tone"}),
        ({"type": "ref/prompt", "name": "revue"}, {"name": "tone", "value": ""}),
        ({"type": "ref/resource", "uri": "depot://attic"}, {"name": "row", "value": ""}),
        ({"type": "ref/tool", "name": "add"}, {"name": "a", "value": ""}),
    ],
)
async def test_a_completion_of_nothing_is_refused(
    depot: McpService, reference: object, argument: object
) -> None:
    error = await refused(depot, "completion/complete", ref=reference, argument=argument)

    assert error.code == INVALID_PARAMS


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {}),
        ("tools/call", {"name": 3}),
        ("tools/call", {"name": "add", "arguments": []}),
        ("tools/call", {"name": "no_such"}),
        ("tools/list", {"cursor": "2"}),
        ("resources/read", {"uri": None}),
        ("prompts/get", {"name": "review", "arguments": "kind"}),
        ("logging/setLevel", {"level": "loud"}),
        ("resources/subscribe", {}),
    ],
)
async def test_misshapen_parameters_are_refused(
    depot: McpService, method: str, params: JsonObject
) -> None:
    assert (await refused(depot, method, **params)).code == INVALID_PARAMS


async def test_a_method_of_nothing_is_unknown(depot: McpService) -> None:
    error = await refused(depot, "tools/uninstall")

    assert (error.code, error.data) == (METHOD_NOT_FOUND, "tools/uninstall")


async def test_the_level_of_logging_is_the_connections(depot: McpService) -> None:
    asker = Asker()

    assert await depot.handle("logging/setLevel", {"level": "error"}, asker) == {}
    assert asker.log_level == "error"


async def test_a_tool_knows_what_the_transport_knows_of_its_caller(depot: McpService) -> None:
    over_http = Asker(transport="http", session_id="s-1")

    here = cast("JsonObject", (await call(depot, "whoami"))["structuredContent"])
    there = cast("JsonObject", (await call(depot, "whoami", over_http))["structuredContent"])

    assert cast("JsonObject", here["host"])["value"] == {"name": "host"}
    assert cast("JsonObject", here["session"])["reason"] == "unsupported-surface"
    assert cast("JsonObject", here["actor"])["reason"] == "unsupported-surface"
    assert cast("JsonObject", there["session"])["value"] == {"sessionId": "s-1"}
    assert cast("JsonObject", there["actor"])["reason"] == "unauthenticated"
