"""Invocations: who asked for what.  A value, not a running thing (`trio_agent.invocation`).

    tool       {"operationId", "input"}
    event      {"event", "payload"}
    cli        {"command", "args"}
    script     {"name", "input"?}
    workbench  {"view", "input"?}

The props of each kind are JSON; the wire form of an invocation adds `kind`, `id` and
`startedAt`, and what else is known.
"""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Final, Literal, Never, TypeAlias, cast, final, get_args

import attrs

from trio_agent.errors import ContractError, RequestError, abridge
from trio_agent.shown import shown
from trio_agent.vocabulary.json import Json

InvocationKind: TypeAlias = Literal["tool", "event", "cli", "script", "workbench"]

INVOCATION_KINDS: Final[tuple[InvocationKind, ...]] = get_args(InvocationKind)

_PROPS: Final[dict[InvocationKind, tuple[str, str, bool]]] = {
    "tool": ("operationId", "input", True),
    "event": ("event", "payload", True),
    "cli": ("command", "args", True),
    "script": ("name", "input", False),
    "workbench": ("view", "input", False),
}
"""Per kind: the member that names the target, the member that holds the data, is it required."""

_DEFAULTED: Final = {"id": "id", "startedAt": "started_at"}
_OPTIONAL: Final = {
    "operationId": "operation_id",
    "surface": "surface",
    "artifactEpoch": "artifact_epoch",
    "protocolRevision": "protocol_revision",
    "sourceRevision": "source_revision",
    "hostContractRevision": "host_contract_revision",
}


def _new_id() -> str:
    return str(uuid.uuid4())


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _refuse(where: str, expected: str, received: object) -> Never:
    raise RequestError("invalid-invocation", f"{where} is {expected}, received {abridge(received)}")


def _check_kind(value: object) -> None:
    # A tuple, not a set: what was given may not be hashable.
    if value not in INVOCATION_KINDS:
        _refuse("kind", f"one of {', '.join(INVOCATION_KINDS)}", value)


def _check_not_blank(name: str, value: object) -> None:
    if type(value) is not str or not value.strip():
        _refuse(name, "a string that is not blank", value)


_NULL: Final = Json.of(None)


@final
@attrs.frozen(kw_only=True)
class Invocation:
    """One request: what is to be rendered, for whom.

    Attributes:
        kind: which kind of caller it is.
        target: what is asked for: the operation, event, command, script or view.
        props: the data that came with it, frozen; JSON null when there is none.
        id: by default a random UUID.
        started_at: ISO 8601, by default now.
        operation_id: the route's identity, such as `cli:audit-library`.
        artifact_epoch: the build the caller talks to, if it says so; another is refused.

    Raises:
        RequestError: `invalid-invocation`, a field is blank, no string, or the kind unknown.
    """

    kind: InvocationKind
    target: str
    props: Json = _NULL
    id: str = attrs.field(factory=_new_id)
    started_at: str = attrs.field(factory=_now)
    operation_id: str | None = None
    surface: str | None = None
    artifact_epoch: str | None = None
    protocol_revision: str | None = None
    source_revision: str | None = None
    host_contract_revision: str | None = None

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        # Not a validator for each field: a call for each would be felt in every invocation.
        _check_kind(self.kind)
        _check_not_blank("target", self.target)
        if type(self.props) is not Json:
            _refuse("props", "an instance of Json", self.props)
        _check_not_blank("id", self.id)
        _check_not_blank("started_at", self.started_at)
        for name in _OPTIONAL.values():
            value = getattr(self, name)
            if value is not None:
                _check_not_blank(name, value)

    @property
    def route_id(self) -> str:
        """The route's identity: the operation id, or kind and target."""
        return self.operation_id or f"{self.kind}:{self.target}"

    def to_wire(self) -> dict[str, object]:
        """The wire form as plain Python; absent fields are not written."""
        target, data, required = _PROPS[self.kind]
        wire: dict[str, object] = {
            "kind": self.kind,
            "id": self.id,
            "startedAt": self.started_at,
            "props": {target: self.target},
        }
        value: object = self.props.value
        if required or value is not None:
            cast("dict[str, object]", wire["props"])[data] = value
        for name, field in _OPTIONAL.items():
            present = getattr(self, field)
            if present is not None:
                wire[name] = present
        return wire

    @classmethod
    def from_wire(cls, wire: object) -> Invocation:
        """Read an invocation, strictly; `id` and `startedAt` may be absent, as when one is made.

        Raises:
            RequestError: `invalid-invocation`, with the place.
        """
        members = _members(wire, "invocation", {"kind", "props", *_DEFAULTED, *_OPTIONAL})
        kind = members.get("kind")
        _check_kind(kind)
        target, data, required = _PROPS[cast("InvocationKind", kind)]
        props = _members(members.get("props"), "props", {target, data})
        if required and data not in props:
            raise RequestError("invalid-invocation", f"props.{data} is missing")
        return cls(
            kind=cast("InvocationKind", kind),
            target=_text(props.get(target), f"props.{target}"),
            props=_json(props.get(data), f"props.{data}"),
            **{
                field: _text(members[name], name)
                for name, field in {**_DEFAULTED, **_OPTIONAL}.items()
                if name in members
            },
        )


def _text(value: object, place: str) -> str:
    if type(value) is not str:
        _refuse(place, "a string", value)
    return value


def _json(value: object, place: str) -> Json:
    try:
        return Json.of(value, place)
    except ContractError as error:
        raise RequestError("invalid-invocation", error.message) from None


def _members(wire: object, place: str, known: set[str]) -> dict[str, object]:
    if not isinstance(wire, dict):
        _refuse(place, "an object", wire)
    members = cast("dict[str, object]", wire)
    for name in members:
        if name not in known:
            raise RequestError(
                "invalid-invocation", f"{place} has the unknown member {abridge(name)}"
            )
    return members
