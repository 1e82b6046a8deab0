"""How a document is told to one client: what of it goes out natively, as text, or not at all.

A policy is a value that the service makes once for a route and a client, out of what the tool
says (`structured`, `scalar`), what the plugin says about the client, and what the client's
protocol revision knows.  Nothing is decided here about a single document; `content` and
`projection` do that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, final

import attrs

if TYPE_CHECKING:
    from trio_agent.surfaces.mcp.exchange import Client

Delivery: TypeAlias = Literal["native", "text", "refuse"]
"""A kind of content as MCP has it; as text that stands for it; or the whole result fails."""

ScalarRule: TypeAlias = Literal["text", "wrap", "reject"]
"""What becomes of a value that is no JSON object: text only, `{"result": value}`, a failure."""

_AUDIO_SINCE: Final = "2025-03-26"
_LINKS_SINCE: Final = "2025-06-18"
_STRUCTURED_SINCE: Final = "2025-06-18"
"""First revisions with audio blocks, `resource_link` blocks and `structuredContent`.  Revisions
are dates, so they compare as text."""


@final
@attrs.frozen(kw_only=True)
class ToolPolicy:
    """What one client gets of the results of one tool.

    Attributes:
        structured: whether the value goes out as `structuredContent` at all.
        scalar: for values that are no object.
        image: for image leaves.
        audio: for audio leaves.
        resource: for resource leaves, links and embedded ones alike.
        has_links: whether the client knows `resource_link`; a link goes out as text otherwise.
    """

    structured: bool = True
    scalar: ScalarRule = "text"
    image: Delivery = "native"
    audio: Delivery = "native"
    resource: Delivery = "native"
    has_links: bool = True

    def for_client(self, client: Client) -> ToolPolicy:
        """The same policy without what the client's protocol revision does not know.

        What a revision lacks goes out as text, and never fails a result: the author could not
        know.
        """
        version = client.version_spoken
        has_audio = version >= _AUDIO_SINCE or self.audio == "refuse"
        return attrs.evolve(
            self,
            structured=self.structured and version >= _STRUCTURED_SINCE,
            audio=self.audio if has_audio else "text",
            has_links=self.has_links and version >= _LINKS_SINCE,
        )


NATIVE: Final = ToolPolicy()
"""Everything as MCP has it."""
