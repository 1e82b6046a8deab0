"""How a document is told to one client: what of it goes out natively, as text, or not at all.

A policy is a value, made for a route and a client out of what the tool says (`structured`,
`scalar`), what the plugin says about clients of that name, and what the client's protocol revision
knows.  Nothing is decided here about a single document; `content` and `projection` do that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import attrs

from trio_agent.shown import shown

if TYPE_CHECKING:
    from trio_agent.routes.record import ScalarRule, StructuredRule
    from trio_agent.routes.settings import ClientPolicy, MediaRule
    from trio_agent.surfaces.mcp.exchange import Client

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
        structured: whether the value goes out as `structuredContent`; where it does not, the tool
            must not list an `outputSchema` either, since clients hold the two together.
        scalar: for values that are no object.
        wraps: whether every value is wrapped, objects too, as the tool's `outputSchema` has it.
        image: for image leaves.
        audio: for audio leaves.
        resource: for resource leaves, links and embedded ones alike.
        has_links: whether the client knows `resource_link`; a link goes out as text otherwise.
    """

    structured: bool = True
    scalar: ScalarRule = "text"
    wraps: bool = False
    image: MediaRule = "native"
    audio: MediaRule = "native"
    resource: MediaRule = "native"
    has_links: bool = True

    __repr__ = shown

    @classmethod
    def of(
        cls,
        settings: ClientPolicy,
        client: Client,
        *,
        structured: StructuredRule = "always",
        scalar: ScalarRule = "text",
        wraps: bool = False,
    ) -> ToolPolicy:
        """The policy of a tool for a client.

        What the client's revision does not know goes out as text and never fails a result: an
        author could not know.

        Args:
            settings: what the plugin says about clients of that name; it wins.
            client: whose revision counts.
            structured: what the tool says.
            scalar: what the tool says.
            wraps: what follows from that and from its type.
        """
        version = client.version_spoken
        audio = settings.audio or "native"
        knows_audio = version >= _AUDIO_SINCE
        rule = settings.structured or structured
        return cls(
            structured=rule == "always" and version >= _STRUCTURED_SINCE,
            scalar=scalar,
            wraps=wraps,
            image=settings.image or "native",
            audio=audio if knows_audio or audio == "refuse" else "text",
            resource=settings.resource or "native",
            has_links=version >= _LINKS_SINCE,
        )


NATIVE: Final = ToolPolicy()
"""Everything as MCP has it."""
