"""A resource for each shelf."""

from typing import Literal

from trio_agent import resource


@resource(uri="depot://shelf/{row}/{number}", title="One shelf")
async def shelf(row: Literal["left", "middle", "right"], number: int) -> dict[str, str | int]:
    """What lies on a shelf."""
    if number == 0:
        raise LookupError("shelves are counted from one")
    return {"row": row, "number": number}
