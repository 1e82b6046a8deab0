"""Listings and results as a person reads them."""

from __future__ import annotations

import pytest

from trio_agent.surfaces.mcp.client.caller import Introduction
from trio_agent.surfaces.mcp.client.page import Listing, progress_line, result_text
from trio_agent.surfaces.mcp.results.progress import ProgressReport
from trio_agent.surfaces.mcp.rpc import JsonObject

SERVER = Introduction(version="2025-11-25", info={"name": "depot"}, capabilities={})


def test_a_listing_has_its_parts_in_columns_and_leaves_out_what_there_is_not() -> None:
    listing = Listing(
        server=SERVER,
        tools=[
            {"name": "add", "description": "Add two\nnumbers, " + "whatever they are, " * 9},
            {"name": "a_tool_whose_name_is_longer_than_a_column_may_be", "title": "Long"},
            {"name": "bare"},
            {"title": "without a name"},
        ],
        templates=[{"uriTemplate": "depot://{n}", "description": "One."}],
    )

    assert listing.to_page(72) == (
        "depot, over 2025-11-25\n"
        "\n"
        "Tools\n"
        "  add                               Add two numbers, whatever they ...\n"
        "  a_tool_whose_name_is_longer_than_a_column_may_be\n"
        "                                    Long\n"
        "  bare\n"
        "  None                              without a name\n"
        "\n"
        "Resource templates\n"
        "  depot://{n}  One.\n"
    )


def test_a_server_without_anything_is_one_line() -> None:
    nobody = Introduction(version="2026-07-28", info={}, capabilities={})

    assert Listing(server=nobody).to_page(80) == "A server without a name, over 2026-07-28\n"


def test_as_json_a_listing_has_what_the_server_sent() -> None:
    tool: JsonObject = {"name": "add", "x-mine": [1]}

    wire = Listing(server=SERVER, tools=[tool]).to_wire()

    assert wire["tools"] == [tool]
    assert wire["prompts"] == []
    assert wire["serverInfo"] == {"name": "depot"}


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ({"type": "text", "text": "one\ntwo\n"}, "one\ntwo\n"),
        (
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            "[image, image/png, 3 bytes]\n",
        ),
        ({"type": "audio", "data": "AAAA"}, "[audio, of an unknown type, 3 bytes]\n"),
        ({"type": "resource_link", "uri": "a://b", "name": "b"}, "[b](a://b)\n"),
        ({"type": "resource", "resource": {"uri": "a://b", "text": "inside"}}, "inside\n"),
        ({"type": "resource", "resource": {"uri": "a://b", "blob": "AAAA"}}, "[resource, a://b]\n"),
        ({"type": "resource"}, "[resource, ]\n"),
        ({"type": "hologram"}, "[hologram]\n"),
        ({"type": "text", "text": "  "}, ""),
        ("not a block", ""),
    ],
)
def test_a_block_is_text_or_says_what_it_is(block: object, text: str) -> None:
    assert result_text({"content": [block]}) == text


def test_blocks_are_paragraphs_and_a_value_alone_is_shown() -> None:
    blocks = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]

    assert result_text({"content": blocks, "structuredContent": {"a": 1}}) == "one\n\ntwo\n"
    assert result_text({"content": [], "structuredContent": {"a": "ö"}}) == '{\n  "a": "ö"\n}\n'
    assert result_text({}) == ""


@pytest.mark.parametrize(
    ("report", "line"),
    [
        (ProgressReport(1, 3, "Counting\nshelves"), "Counting shelves (1/3)"),
        (ProgressReport(0.5), "0.5"),
        (ProgressReport(2, None, "on"), "on (2)"),
        (ProgressReport(2, None, "x" * 90), "x" * 29),
    ],
)
def test_progress_is_one_line_that_fits(report: ProgressReport, line: str) -> None:
    assert progress_line(report, 30) == line
