"""A task as a row: what it is, in JSON, with beside it what a store has to look for.

    state      everything that is small and changes
    outcome    what it came to, which may be megabytes and is written once

What is written is read again as the same value, member by member and in their order.  Sans-I/O.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias, TypedDict, cast

from trio_agent.surfaces.mcp.tasks.record import TaskOutcome, TaskRecord

if TYPE_CHECKING:
    from trio_agent.surfaces.mcp.rpc import JsonObject
    from trio_agent.surfaces.mcp.tasks.record import Objects, TaskStatus

Row: TypeAlias = "tuple[str, str | None]"


class _State(TypedDict):
    """What of a record is in `state`."""

    id: str
    owner: str
    tool: str
    created_at: float
    updated_at: float
    ttl_ms: int
    poll_ms: int
    status: TaskStatus
    message: str | None
    progress: JsonObject | None
    questions: Objects
    answers: Objects
    ended_at: float | None
    is_orphan: bool


def write_row(record: TaskRecord) -> Row:
    """`state` and `outcome` of a record."""
    state = {name: getattr(record, name) for name in _State.__annotations__}
    outcome = record.outcome
    return _json(state), None if outcome is None else _json([outcome.value, outcome.is_error])


def read_row(number: int, row: Row) -> TaskRecord:
    """The record that was written."""
    state, outcome = row
    found = None if outcome is None else TaskOutcome(*json.loads(outcome))
    return TaskRecord(**cast("_State", json.loads(state)), outcome=found, number=number)


def _json(value: object) -> str:
    # ASCII: a lone surrogate in a result must not be what a database chokes on.
    return json.dumps(value, separators=(",", ":"))
