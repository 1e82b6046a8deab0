"""What a client that can do this and not that would get: recorded events, projected once more.

    rendered = await render(Cover())
    narrow = create_capability_fixture(
        audio=False, image=False, progress=True, resource=True, rich_content_fallback=True
    )
    assert project_events(rendered.events, narrow).content == [...]

The projection is the one that serves hosts; only the client is not real, so the level is
`simulated`.  A client's real policy comes of its name, its protocol revision and `plugin.toml`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast, final

import attrs

from trio_agent.shown import shown
from trio_agent.surfaces.mcp.results.policy import ToolPolicy
from trio_agent.surfaces.mcp.results.projection import ToolProjection
from trio_agent.testing.proof import Provenance, proving

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio_agent.routes.settings import MediaRule
    from trio_agent.surfaces.mcp.results.progress import ProgressReport
    from trio_agent.surfaces.mcp.results.result import CallToolResult, ContentBlock, JsonMembers
    from trio_agent.vocabulary.event import RenderEvent

_SIMULATED: Final = Provenance(level="simulated")


@final
@attrs.frozen(kw_only=True)
class CapabilityFixture:
    """What a client can show; text it always can.  Made by `create_capability_fixture`.

    Attributes:
        audio: sounds.
        image: pictures.
        progress: whether it asks for progress.
        resource: links and embedded resources.
        rich_content_fallback: what it cannot show goes out as text; otherwise the call fails.
    """

    audio: bool
    image: bool
    progress: bool
    resource: bool
    rich_content_fallback: bool

    __repr__ = shown

    @property
    def policy(self) -> ToolPolicy:
        """The same, as the projection takes it."""
        return ToolPolicy(
            audio=self._rule(can=self.audio),
            image=self._rule(can=self.image),
            resource=self._rule(can=self.resource),
        )

    def _rule(self, *, can: bool) -> MediaRule:
        if can:
            return "native"
        return "text" if self.rich_content_fallback else "refuse"


@final
@attrs.frozen(kw_only=True)
class ProjectedResult:
    """What one client would get of one invocation.

    Attributes:
        result: of `tools/call`, as on the wire.
        progress: in order; empty when the client asks for none.
        provenance: what it proves.
    """

    result: CallToolResult
    progress: tuple[ProgressReport, ...]
    provenance: Provenance

    __repr__ = shown

    @property
    def content(self) -> Sequence[ContentBlock]:
        """For reading."""
        return self.result["content"]

    @property
    def is_error(self) -> bool:
        """Whether the document represents an error."""
        return self.result.get("isError", False)

    @property
    def structured_content(self) -> JsonMembers | None:
        """The value, where it is an object."""
        return self.result.get("structuredContent")


def create_capability_fixture(
    *, audio: bool, image: bool, progress: bool, resource: bool, rich_content_fallback: bool
) -> CapabilityFixture:
    """Say what a client can do.  Nothing has a default, so that no test forgets one of them.

    Args:
        audio: it can play sounds.
        image: it can show pictures.
        progress: it asks for progress.
        resource: it can follow links to resources, and read those that are embedded.
        rich_content_fallback: what it cannot show goes out as text; otherwise the call fails.
    """
    return CapabilityFixture(
        audio=audio,
        image=image,
        progress=progress,
        resource=resource,
        rich_content_fallback=rich_content_fallback,
    )


def project_events(events: Sequence[RenderEvent], fixture: CapabilityFixture) -> ProjectedResult:
    """Project the events of an invocation as `tools/call` does.

    Args:
        events: all of one invocation, such as `Rendered.events`.
        fixture: for whom.

    Raises:
        ProjectionError: `unsupported-rich-content`, the client cannot show it and there is no
            fallback; `invalid-result-metadata`, see there.
        StreamError: `stream-incomplete`, there is no `complete` among them.
    """
    projection = ToolProjection(fixture.policy, reports=fixture.progress)
    with proving(_SIMULATED):
        progress = [report for event in events for report in projection.feed(event)]
        result = cast("CallToolResult", projection.finish())
    return ProjectedResult(result=result, progress=tuple(progress), provenance=_SIMULATED)
