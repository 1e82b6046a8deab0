"""Listings and results for people.

Text only; what a terminal would obey is the writer's business (`protocol.output`).
"""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Final, cast, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trio_agent.surfaces.mcp.client.caller import Introduction
    from trio_agent.surfaces.mcp.results.progress import ProgressReport
    from trio_agent.surfaces.mcp.rpc import JsonObject

_WIDEST: Final = 32
"""Columns for the names; a longer one has a line of its own."""


@final
@attrs.frozen(kw_only=True)
class Listing:
    """Everything that a server offers."""

    server: Introduction
    tools: Sequence[JsonObject] = ()
    resources: Sequence[JsonObject] = ()
    templates: Sequence[JsonObject] = ()
    prompts: Sequence[JsonObject] = ()

    __repr__ = shown

    def to_wire(self) -> JsonObject:
        """As one JSON document; the items as the server sent them."""
        return {
            "protocolVersion": self.server.version,
            "serverInfo": self.server.info,
            "capabilities": self.server.capabilities,
            "tools": list(self.tools),
            "resources": list(self.resources),
            "resourceTemplates": list(self.templates),
            "prompts": list(self.prompts),
        }

    def to_page(self, columns: int) -> str:
        """For people, in lines of at most so many columns."""
        info = self.server.info
        named = " ".join(str(info[name]) for name in ("name", "version") if info.get(name))
        blocks = [f"{named or 'A server without a name'}, over {self.server.version}"]
        parts = (
            ("Tools", self.tools, "name"),
            ("Resources", self.resources, "uri"),
            ("Resource templates", self.templates, "uriTemplate"),
            ("Prompts", self.prompts, "name"),
        )
        blocks += [
            "\n".join((title, *_rows(items, key, columns))) for title, items, key in parts if items
        ]
        return "\n\n".join(blocks) + "\n"


def _rows(items: Sequence[JsonObject], key: str, columns: int) -> Iterator[str]:
    names = [_one_line(item.get(key)) for item in items]
    width = min(_WIDEST, max(map(len, names)))
    room = max(20, columns - width - 4)
    for name, item in zip(names, items, strict=True):
        said = item.get("description") or item.get("title") or ""
        text = textwrap.shorten(str(said), room, placeholder=" ...")
        if len(name) > width and text:
            yield f"  {name}"
            name = ""  # noqa: PLW2901  # its place stays empty
        yield f"  {name:{width}}  {text}".rstrip()


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def result_text(result: JsonObject) -> str:
    """What a tool answered, as text: its blocks, or its value when there are none."""
    content = result.get("content")
    blocks = cast("list[object]", content) if isinstance(content, list) else []
    texts = [_block_text(cast("JsonObject", one)) for one in blocks if isinstance(one, dict)]
    if not texts and "structuredContent" in result:
        texts = [json.dumps(result["structuredContent"], indent=2, ensure_ascii=False)]
    text = "\n\n".join(one.strip("\n") for one in texts if one.strip())
    return f"{text}\n" if text else ""


def _block_text(block: JsonObject) -> str:
    match block.get("type"):
        case "text":
            return str(block.get("text", ""))
        case "image" | "audio" as kind:
            size = len(str(block.get("data", ""))) * 3 // 4
            return f"[{kind}, {block.get('mimeType', 'of an unknown type')}, {size} bytes]"
        case "resource_link":
            return f"[{block.get('name', 'resource')}]({block.get('uri', '')})"
        case "resource":
            resource = block.get("resource")
            members = cast("JsonObject", resource) if isinstance(resource, dict) else {}
            text = members.get("text")
            return text if isinstance(text, str) else f"[resource, {members.get('uri', '')}]"
        case other:
            return f"[{_one_line(other)}]"


def progress_line(report: ProgressReport, columns: int) -> str:
    """One report in one line: `Counting (1/3)`."""
    total = "" if report.total is None else f"/{report.total:g}"
    counter = f"{report.progress:g}{total}"
    message = _one_line(report.message or "")
    line = f"{message} ({counter})" if message else counter
    return line[: max(1, columns - 1)]
