"""Tasks in both eras of the protocol: what a client asks for, and what it is told.

    handshake   2025-11-25, part of the core: `ttl`, `pollInterval`; a result with `isError` is a
                failed task, and is fetched by a method of its own
    modern      2026-07-28, the extension `io.modelcontextprotocol/tasks`: `ttlMs`,
                `pollIntervalMs`; any result is a completed task, and is part of it

Values in and out; nothing here knows where a task is kept.
"""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast, final

import attrs

from trio_agent.shown import shown
from trio_agent.surfaces.mcp.rpc import (
    INVALID_PARAMS,
    MISSING_CLIENT_CAPABILITY,
    JsonObject,
    RpcError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trio_agent.surfaces.mcp.exchange import Client
    from trio_agent.surfaces.mcp.tasks.record import Objects, TaskRecord

TASKS_VERSION: Final = "2025-11-25"
"""The one revision of the handshake that has tasks."""

EXTENSION: Final = "io.modelcontextprotocol/tasks"
RELATED_KEY: Final = "io.modelcontextprotocol/related-task"
IMMEDIATE_KEY: Final = "io.modelcontextprotocol/model-immediate-response"
PROGRESS_KEY: Final = "trio-agent/progress"

DAY_MS: Final = 86_400_000
DEFAULT_TTL_MS: Final = 300_000
DEFAULT_POLL_MS: Final = 1000
SHORTEST_POLL_MS: Final = 100

CAPABILITY: Final[JsonObject] = {"cancel": {}, "list": {}, "requests": {"tools": {"call": {}}}}
"""`capabilities.tasks` of the handshake era."""


@final
@attrs.frozen(kw_only=True)
class TaskTerms:
    """What was agreed on for a task.

    Attributes:
        ttl_ms: how long it is kept when it is over.
        poll_ms: how often its client should ask.
    """

    ttl_ms: int = DEFAULT_TTL_MS
    poll_ms: int = DEFAULT_POLL_MS

    __repr__ = shown


def read_terms(params: JsonObject) -> TaskTerms | None:
    """What a client of the handshake era wishes; None when it wishes no task.

    Raises:
        RpcError: the wish is misshapen.
    """
    wish = params.get("task")
    if wish is None:
        return None
    if not isinstance(wish, dict):
        raise RpcError(INVALID_PARAMS, "task is an object")
    members = cast("JsonObject", wish)
    ttl_ms = _milliseconds(members, "ttl", DEFAULT_TTL_MS)
    poll_ms = _milliseconds(members, "pollInterval", DEFAULT_POLL_MS)
    return TaskTerms(
        ttl_ms=min(ttl_ms, DAY_MS), poll_ms=min(max(poll_ms, SHORTEST_POLL_MS), DAY_MS)
    )


def declares_extension(client: Client) -> bool:
    """Whether a client of the modern era said that it knows tasks."""
    extensions = client.capabilities.get("extensions")
    return isinstance(extensions, dict) and EXTENSION in extensions


def lacks_extension() -> RpcError:
    """The refusal of a client that did not."""
    return RpcError(
        MISSING_CLIENT_CAPABILITY,
        f"this needs a client with the extension {EXTENSION}",
        {"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
    )


def read_id(params: JsonObject) -> str:
    """The task that a request is about.

    Raises:
        RpcError: it names none.
    """
    id_ = params.get("taskId")
    if not isinstance(id_, str):
        raise RpcError(INVALID_PARAMS, "taskId is a string")
    return id_


def read_responses(params: JsonObject) -> Objects:
    """The answers to questions of a task.

    Raises:
        RpcError: they are misshapen.
    """
    responses = params.get("inputResponses")
    if not isinstance(responses, dict) or not all(
        isinstance(answer, dict) for answer in cast("JsonObject", responses).values()
    ):
        raise RpcError(INVALID_PARAMS, "inputResponses is an object of objects")
    return cast("Objects", responses)


def read_cursor(params: JsonObject) -> int:
    """The number of the task after which a page begins.

    Raises:
        RpcError: the cursor was not made here.
    """
    cursor = params.get("cursor")
    if cursor is None:
        return 0
    try:
        number = base64.urlsafe_b64decode(cast("str", cursor).encode("ascii"))
        return int(number.removeprefix(b"task-"))
    except (AttributeError, ValueError):
        raise RpcError(INVALID_PARAMS, "cursor is what the page before came with") from None


def write_cursor(number: int) -> str:
    """The cursor of the page that begins after a task."""
    return base64.urlsafe_b64encode(b"task-%d" % number).decode("ascii")


def handshake_task(record: TaskRecord) -> JsonObject:
    """A task as 2025-11-25 has it."""
    wire = _common(record, record.status)
    wire |= {"ttl": record.ttl_ms, "pollInterval": record.poll_ms}
    return _with_progress(wire, record)


def handshake_created(record: TaskRecord) -> JsonObject:
    """`CreateTaskResult` of 2025-11-25."""
    text = (
        f"{record.tool} works in the background, as task {record.id}. Go on with something else:"
        " its result will be there later."
    )
    return {"task": handshake_task(record), "_meta": {IMMEDIATE_KEY: text}}


def modern_task(record: TaskRecord) -> JsonObject:
    """A task as 2026-07-28 has it, without what it asks and came to."""
    outcome = record.outcome
    has_result = record.status == "failed" and outcome is not None and not outcome.is_error
    wire = _common(record, "completed" if has_result else record.status)
    return wire | {"ttlMs": record.ttl_ms, "pollIntervalMs": record.poll_ms}


def modern_created(record: TaskRecord) -> JsonObject:
    """`CreateTaskResult` of 2026-07-28."""
    return {"resultType": "task", **modern_task(record)}


def detailed_task(record: TaskRecord) -> JsonObject:
    """`DetailedTask` of 2026-07-28."""
    wire = modern_task(record)
    if record.questions:
        wire["inputRequests"] = dict(record.questions)
    outcome = record.outcome
    if outcome is not None and record.status != "cancelled":
        if outcome.is_error:
            wire["error"] = outcome.value
        else:
            wire["result"] = {"resultType": "complete", **outcome.value}
    return _with_progress(wire, record)


def related(params: Mapping[str, object], task_id: str) -> JsonObject:
    """*params*, or a result, with the key that says which task it is about."""
    meta = params.get("_meta")
    known = cast("JsonObject", meta) if isinstance(meta, dict) else {}
    return {**params, "_meta": {**known, RELATED_KEY: {"taskId": task_id}}}


def _common(record: TaskRecord, status: str) -> JsonObject:
    wire: JsonObject = {"taskId": record.id, "status": status}
    if record.message is not None:
        wire["statusMessage"] = record.message
    wire["createdAt"] = _moment(record.created_at)
    wire["lastUpdatedAt"] = _moment(record.updated_at)
    return wire


def _with_progress(wire: JsonObject, record: TaskRecord) -> JsonObject:
    if record.progress is not None:
        wire["_meta"] = {PROGRESS_KEY: dict(record.progress)}
    return wire


def _moment(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _milliseconds(members: JsonObject, name: str, default: int) -> int:
    value = members.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0:
        raise RpcError(INVALID_PARAMS, f"task.{name} is a number of milliseconds, 0 or more")
    return int(min(value, DAY_MS))
