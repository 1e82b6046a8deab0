"""Providers of a real plugin: found by file, loaded by key, and only when somebody asks."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.routes.conftest import Workshop
from tests.trees import Reader, texts
from trio_agent import Agent, InvocationError, ProviderContext, Runtime, provider
from trio_agent.routes.application import PluginApplication
from trio_agent.routes.plugin import Plugin, PluginError
from trio_agent.routes.providers import ProviderRoute
from trio_agent.vocabulary.event import CompleteEvent
from trio_agent.vocabulary.invocation import Invocation
from trio_agent.vocabulary.json import Json

COMMAND = """
    from trio_agent import CommandContext, command

    @command(description="Ask a provider.")
    async def ask(key: str, context: CommandContext) -> str:
        return str(await context.provider(key))
"""
LIBRARY = """
    from trio_agent import ProviderContext, provider

    @provider
    async def library(context: ProviderContext) -> str:
        return f"the library of {context.invocation.target}"
"""


async def ask(plugin: Plugin, key: str, values: dict[str, object] | None = None) -> list[str]:
    reader = Reader()
    runtime = Runtime(PluginApplication(plugin), providers=values)
    invocation = Invocation(kind="cli", target="ask", props=Json.of({"key": key}))
    await runtime.invoke(invocation, reader, reader.sink)
    last = reader.events[-1]
    assert isinstance(last, CompleteEvent)
    return texts(last.document.root)


async def test_a_file_is_a_key_and_only_the_one_that_is_asked_for_is_imported(
    workshop: Workshop,
) -> None:
    plugin = workshop.write(
        "lib_one",
        {
            "cli/ask.py": COMMAND,
            "providers/library.py": LIBRARY,
            "providers/broken.py": "from trio_agent import provider\n1 / 0\n"
            "@provider\ndef broken(context): ...",
        },
    )
    assert await ask(plugin, "library") == ["the library of ask"]
    assert "lib_one.providers.library" in sys.modules
    assert "lib_one.providers.broken" not in sys.modules
    with pytest.raises(InvocationError) as caught:
        await ask(plugin, "broken")
    assert caught.value.code == "invalid-plugin"
    assert "division by zero" in caught.value.message


async def test_an_unknown_key_names_the_known_ones_and_imports_none(workshop: Workshop) -> None:
    plugin = workshop.write(
        "lib_two",
        {"cli/ask.py": COMMAND, "providers/library.py": LIBRARY, "providers/art.py": LIBRARY},
    )
    with pytest.raises(InvocationError) as caught:
        await ask(plugin, "shelf")
    assert caught.value.message == (
        "Unknown provider 'shelf'; there is art, library, process_lifetime"
    )
    assert not [name for name in sys.modules if name.startswith("lib_two.providers.")]


async def test_values_of_a_test_replace_the_files(workshop: Workshop) -> None:
    plugin = workshop.write("lib_three", {"cli/ask.py": COMMAND, "providers/library.py": LIBRARY})
    assert await ask(plugin, "library", {"library": "a fake"}) == ["a fake"]
    assert "lib_three.providers.library" not in sys.modules


async def test_a_plugin_without_providers_has_the_one_that_is_always_there(
    workshop: Workshop,
) -> None:
    plugin = workshop.write("lib_four", {"cli/ask.py": COMMAND})
    assert PluginApplication(plugin).providers is None
    (text,) = await ask(plugin, "process_lifetime")
    assert text.startswith("ProcessLifetime(")


async def test_a_module_that_is_in_error_says_so_when_it_is_asked_for(workshop: Workshop) -> None:
    plugin = workshop.write("lib_five", {"cli/ask.py": COMMAND, "providers/none.py": "x = 1"})
    with pytest.raises(InvocationError) as caught:
        await ask(plugin, "none")
    assert "TA4940" in caught.value.message
    plugin = workshop.write(
        "lib_six",
        {
            "cli/ask.py": COMMAND,
            "providers/gone.py": LIBRARY.replace("library(", "gone(") + "\n    gone = 3\n",
        },
    )
    with pytest.raises(InvocationError) as caught:
        await ask(plugin, "gone")
    assert "gone is no longer a provider when the module has run" in caught.value.message


def test_the_decorator_keeps_the_function() -> None:
    @provider
    def library(context: ProviderContext) -> str:
        return "x"

    assert isinstance(library, ProviderRoute)
    assert library.name.endswith("library")
    given: Any = None
    assert library.handler(given) == "x"


def test_what_cannot_be_a_factory_is_refused() -> None:
    def nothing() -> None: ...

    def two(context: ProviderContext, other: int) -> None: ...

    def keyword(*, context: ProviderContext) -> None: ...

    async def yields(context: ProviderContext) -> Any:
        yield 1  # pragma: no cover  # it is refused before

    for function, why in (
        (nothing, "nothing is a provider: expected one parameter, the context, received ()"),
        (two, "two is a provider: expected one parameter, the context"),
        (keyword, "keyword is a provider: expected one parameter, the context"),
        (yields, "yields yields, and a handler returns"),
        (Agent, "@provider takes a def or an async def"),
    ):
        wrong: Any = function
        with pytest.raises(PluginError) as caught:
            provider(wrong)
        assert why in caught.value.message
