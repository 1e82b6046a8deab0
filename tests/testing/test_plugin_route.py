"""Routes of a plugin, rendered by their ids; and levels of proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from tests.testing.folders import DEPOT, opened, write_plugin
from trio_agent import Agent, InvocationError
from trio_agent.protocol.schema.issues import SchemaError
from trio_agent.routes.plugin import PluginError
from trio_agent.testing import (
    PROOF_LEVELS,
    HarnessError,
    ProofLevel,
    Provenance,
    expect_document,
    expect_events,
    plugin_route,
    render,
    render_failure,
)
from trio_agent.testing.proof import note_proof

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trio_agent.routes.application import PluginApplication

LAYOUT = """
    from trio_agent import Agent, Node, RouteInfo, layout


    @layout()
    def around(children: Node, route: RouteInfo) -> Node:
        return Agent.Result(children, metadata={"route": route.id})
    """
COMMAND = """
    from trio_agent import command


    @command(description="Count.")
    async def count(up_to: int) -> int:
        return up_to
    """
TOOL = """
    from trio_agent import Node, ToolContext, Agent, tool


    @tool()
    async def greet(name: str, context: ToolContext) -> Node:
        '''Greet.'''
        return Agent.Text(f"{await context.provider('greeting')}, {name}")
    """
PROVIDER = """
    from trio_agent import ProviderContext, provider


    @provider
    async def greeting(context: ProviderContext) -> str:
        return "Hello"
    """


@pytest.fixture
def depot() -> Iterator[PluginApplication]:
    with opened(DEPOT) as application:
        yield application


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[PluginApplication]:
    files = {
        "layout.py": LAYOUT,
        "cli/count.py": COMMAND,
        "mcp/shop/tools/greet.py": TOOL,
        "providers/greeting.py": PROVIDER,
    }
    with opened(write_plugin(tmp_path / "corner_shop", files)) as application:
        yield application


async def test_a_route_is_rendered_with_its_layouts_and_its_providers(
    shop: PluginApplication,
) -> None:
    route = plugin_route(shop, "tool:shop/greet", {"name": "you"})

    rendered = await render(route)
    replaced = await render(route, providers={"greeting": "Good day"})

    expect_document(rendered).has_status("success").contains_text("Hello, you")
    assert rendered.root.metadata is not None
    assert rendered.root.metadata.value == {"route": "tool:shop/greet"}
    assert rendered.invocation.route_id == "tool:shop/greet"
    expect_document(replaced).contains_text("Good day, you")


async def test_a_command_is_found_by_its_id_too(shop: PluginApplication) -> None:
    rendered = await render(plugin_route(shop.plugin.root, "cli:count", {"up_to": 3}))

    assert rendered.value == 3
    assert rendered.invocation.kind == "cli"
    assert rendered.provenance == Provenance(
        level="route-unit", plugin="corner_shop", route="cli:count"
    )


async def test_resources_and_prompts_take_their_variables_and_arguments(
    depot: PluginApplication,
) -> None:
    shelf = plugin_route(depot, "resource:depot/shelf", {"row": "left", "number": "3"})
    review = plugin_route(depot, "prompt:depot/review", {"tone": "kind"})

    assert (await render(shelf)).value == {"row": "left", "number": 3}
    expect_events(await render(review)).completes_once()


async def test_surfaces_164_an_unknown_id_lists_what_there_is(depot: PluginApplication) -> None:
    with pytest.raises(HarnessError, match=r"no route 'tool:depot/fial'; it has .*") as caught:
        plugin_route(depot, "tool:depot/fial")
    assert caught.value.code == "route-not-found"
    assert "tool:depot/fail" in str(caught.value)
    assert str(caught.value).endswith("(proof level: route-unit, depot, tool:depot/fial)")


async def test_surfaces_164_a_throwing_route_is_render_failed_and_has_no_document(
    depot: PluginApplication,
) -> None:
    failed = await render_failure(plugin_route(depot, "tool:depot/fail", {"way": "text"}))

    assert (failed.error.code, failed.error.message) == ("render-failed", "thrown away")
    assert failed.events == ()
    assert failed.error.__notes__ == ["proof level: route-unit, depot, tool:depot/fail"]


async def test_many_routes_are_counted_and_not_all_listed(tmp_path: Path) -> None:
    files = {f"cli/c{number:02}.py": COMMAND for number in range(14)}
    crowd = write_plugin(tmp_path / "crowd", files)
    empty = write_plugin(tmp_path / "empty", {"plugin.toml": ""})

    with pytest.raises(HarnessError, match=r"cli:c00, .*cli:c11, and 2 more"):
        plugin_route(crowd, "cli:c99")
    with pytest.raises(HarnessError, match="it has none"):
        plugin_route(empty, "cli:c99")


async def test_a_plugin_that_is_not_there_and_one_that_cannot_be_loaded(
    tmp_path: Path, depot: PluginApplication
) -> None:
    with pytest.raises(HarnessError) as caught:
        plugin_route(tmp_path / "nowhere", "tool:a/b")
    assert caught.value.code == "manifest-unavailable"
    with pytest.raises(PluginError, match="the disk is full") as broken:
        await render(plugin_route(depot, "tool:depot/broken"))
    assert broken.value.__notes__ == ["proof level: route-unit, depot, tool:depot/broken"]


async def test_an_input_that_does_not_fit_is_refused_before_anything_runs(
    depot: PluginApplication,
) -> None:
    with pytest.raises(SchemaError, match="way"):
        await render(plugin_route(depot, "tool:depot/fail", {"way": "up"}))


async def test_a_plugin_has_its_own_identity(depot: PluginApplication) -> None:
    route = plugin_route(depot, "tool:depot/add", {"a": 1})

    assert route.identity == depot.identity
    assert (await render(route)).value == 1


async def test_an_expectation_that_fails_says_what_it_would_have_proven(
    depot: PluginApplication,
) -> None:
    rendered = await render(plugin_route(depot, "tool:depot/add", {"a": 1}))

    with pytest.raises(AssertionError, match=r"the document \(route-unit, depot, tool:depot/add\)"):
        expect_document(rendered).has_status("represented-error")
    with pytest.raises(AssertionError, match=r"the events \(route-unit, depot, tool:depot/add\)"):
        expect_events(rendered).has_error("boundary")
    with pytest.raises(AssertionError, match=r"the document is"):
        expect_document(rendered.document).has_status("represented-error")


async def test_a_failure_without_a_plugin_says_its_level_too() -> None:
    with pytest.raises(InvocationError) as caught:
        await render(Agent.Text("x"), limits={"max_events": 1})
    assert caught.value.__notes__ == ["proof level: route-unit"]


def test_there_are_eleven_levels() -> None:
    assert get_args(ProofLevel) == PROOF_LEVELS
    assert len(PROOF_LEVELS) == len({*PROOF_LEVELS}) == 11


def test_a_level_is_noted_once() -> None:
    error, proof = ValueError(), Provenance(level="route-unit", plugin="a")

    note_proof(error, proof)
    note_proof(error, proof)

    assert error.__notes__ == ["proof level: route-unit, a"]
    assert str(Provenance(level="mcp-in-memory", plugin="a", server="b", version="c")) == (
        "mcp-in-memory, a/b over c"
    )
