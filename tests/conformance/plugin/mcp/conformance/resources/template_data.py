"""A resource for each of many URIs: what stands in braces is the input; data becomes JSON."""

import attrs

from trio_agent import resource


@attrs.frozen
class Entry:
    id: str


@resource(
    uri="test://template/{id}/data",
    mime_type="application/json",
    description="The data of one entry.",
)
async def template_data(entry: Entry) -> dict[str, str | bool]:
    return {"id": entry.id, "templateTest": True, "data": f"Data for ID: {entry.id}"}
