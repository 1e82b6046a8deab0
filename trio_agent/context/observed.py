"""The observed axes: what is known about where a request came from, and how it is known.

Every axis is either `Available`, with the source of its value, or `Unavailable`, with a reason
from a closed list.  Nothing is guessed: an identity that the host did not name is unavailable.

Not here: how a surface finds the facts, the rules for reading a plugin root from the
environment, the handle that shows the axes to a component, and any axis for the person at the
keyboard (there is none, on purpose).  Above sits the handle; below are `axis_value`, `terminal` and
errors.

Rules kept here:
* An axis holds a frozen value of its own class; lists are copied into tuples on the way in.
  What a caller changes after the call cannot reach a component.
* No string in it is blank, and none is trimmed: a path may end in a space.
* An unavailable axis has no `value`, neither as an attribute nor on the wire.
"""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Final,
    Generic,
    Literal,
    TypeAlias,
    TypeVar,
    cast,
    final,
    get_args,
)

import attrs

from trio_agent.context.axis_value import AxisValue, depth, text, texts
from trio_agent.context.terminal import Terminal, one_of, refusal
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

Source: TypeAlias = Literal["native", "receipt", "derived"]
"""The host said so; a record of an earlier exchange says so; it follows from other facts."""

Reason: TypeAlias = Literal[
    "not-provided",
    "unsupported-surface",
    "host-omitted",
    "unauthenticated",
    "no-subagent-events",
    "id-not-resolvable",
    "cloud-agent-no-user-hooks",
    "no-shared-runtime",
]
"""Why there is no value.  The last four are told of the lineage only."""


ValueT_co = TypeVar("ValueT_co", bound=AxisValue, covariant=True)
ValueT = TypeVar("ValueT", bound=AxisValue)


def _roots(values: Sequence[str]) -> tuple[str, ...]:
    return texts("FilesystemCapability.roots", values)


def _allow(values: Sequence[str]) -> tuple[str, ...]:
    return texts("NetworkCapability.allow", values)


@final
@attrs.frozen(kw_only=True)
class Available(Generic[ValueT_co]):
    """A value, and where it comes from."""

    source: Source = attrs.field(validator=one_of(get_args(Source)))
    value: ValueT_co

    __repr__ = shown

    def to_wire(self) -> dict[str, object]:
        """The wire form."""
        return {"state": "available", "source": self.source, "value": self.value.to_wire()}


@final
@attrs.frozen
class Unavailable:
    """No value, and why.  There is no `value` to read by mistake."""

    reason: Reason = attrs.field(default="not-provided", validator=one_of(get_args(Reason)))

    __repr__ = shown

    def to_wire(self) -> dict[str, object]:
        """The wire form; it has no `value` key."""
        return {"state": "unavailable", "reason": self.reason}


Observed: TypeAlias = Available[ValueT] | Unavailable
"""One axis.  `match axis: case Available(value=host): ...` is how to read it."""

NOT_PROVIDED: Final = Unavailable("not-provided")


@final
@attrs.frozen(kw_only=True)
class Host:
    """The program that asked, such as `claude-code`."""

    name: str = attrs.field(validator=text)

    __repr__ = shown

    def to_wire(self) -> dict[str, object]:
        """The wire form."""
        return {"name": self.name}


@final
@attrs.frozen(kw_only=True)
class Session:
    """The host's own session."""

    session_id: str = attrs.field(validator=text)

    __repr__ = shown

    def to_wire(self) -> dict[str, object]:
        """The wire form."""
        return {"sessionId": self.session_id}


@final
@attrs.frozen(kw_only=True)
class Actor:
    """The client that authenticated itself to an HTTP server; not a person."""

    id: str = attrs.field(validator=text)

    __repr__ = shown

    def to_wire(self) -> dict[str, object]:
        """The wire form."""
        return {"id": self.id}


@final
@attrs.frozen(kw_only=True)
class Workspace:
    """The directory the host works in; the first, where it names several."""

    root: str = attrs.field(validator=text)

    __repr__ = shown

    def to_wire(self) -> dict[str, object]:
        """The wire form."""
        return {"root": self.root}


@final
@attrs.frozen(kw_only=True)
class PluginRoot:
    """Where the plugin is installed, and where it may keep its state."""

    root: str = attrs.field(validator=text)
    state_root: str = attrs.field(validator=text)

    __repr__ = shown

    def to_wire(self) -> dict[str, object]:
        """The wire form."""
        return {"root": self.root, "stateRoot": self.state_root}


@final
@attrs.frozen(kw_only=True)
class Lineage:
    """Which conversation asked, and where it hangs in the tree of conversations.

    Attributes:
        conversation: the conversation that asked.
        root: the one at the top of its tree.
        depth: steps from the root, which has 0.
    """

    conversation: str = attrs.field(validator=text)
    root: str = attrs.field(validator=text)
    depth: int = attrs.field(validator=depth)

    __repr__ = shown

    def to_wire(self) -> dict[str, object]:
        """The wire form."""
        return {"conversation": self.conversation, "root": self.root, "depth": self.depth}


@final
@attrs.frozen(kw_only=True)
class CommandCapability:
    """Commands may be run, in this directory."""

    cwd: str = attrs.field(validator=text)

    __repr__ = shown

    def to_wire(self) -> dict[str, object]:
        """The wire form."""
        return {"cwd": self.cwd}


@final
@attrs.frozen(kw_only=True)
class FilesystemCapability:
    """Files may be used below these directories."""

    roots: tuple[str, ...] = attrs.field(converter=_roots)

    __repr__ = shown

    def to_wire(self) -> dict[str, object]:
        """The wire form."""
        return {"roots": list(self.roots)}


@final
@attrs.frozen(kw_only=True)
class NetworkCapability:
    """These network destinations may be reached."""

    allow: tuple[str, ...] = attrs.field(converter=_allow)

    __repr__ = shown

    def to_wire(self) -> dict[str, object]:
        """The wire form."""
        return {"allow": list(self.allow)}


@final
@attrs.frozen(kw_only=True)
class ProjectRoot:
    """The root of the project at hand."""

    root: str = attrs.field(validator=text)

    __repr__ = shown

    def to_wire(self) -> dict[str, object]:
        """The wire form."""
        return {"root": self.root}


def _held(axis: object) -> object:
    return cast("Available[AxisValue]", axis).value if isinstance(axis, Available) else None


def _check_axes(axes: object, **kinds: type[AxisValue]) -> None:
    for name, kind in kinds.items():
        axis: object = getattr(axes, name)
        if not isinstance(axis, Unavailable) and not isinstance(_held(axis), kind):
            place = f"{type(axes).__name__}.{name}"
            raise refusal(place, f"Available with {kind.__name__}, or Unavailable", axis)


@final
@attrs.frozen(kw_only=True)
class Capabilities:
    """What the host lets a component do.  A statement, not an enforcement.

    Raises:
        RequestError: `invalid-invocation`, as for `Axes`.
    """

    command: Observed[CommandCapability] = NOT_PROVIDED
    filesystem: Observed[FilesystemCapability] = NOT_PROVIDED
    network: Observed[NetworkCapability] = NOT_PROVIDED
    project_root: Observed[ProjectRoot] = NOT_PROVIDED

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        _check_axes(
            self,
            command=CommandCapability,
            filesystem=FilesystemCapability,
            network=NetworkCapability,
            project_root=ProjectRoot,
        )

    def to_wire(self) -> dict[str, object]:
        """The wire form."""
        return {
            "command": self.command.to_wire(),
            "filesystem": self.filesystem.to_wire(),
            "network": self.network.to_wire(),
            "projectRoot": self.project_root.to_wire(),
        }


@final
@attrs.frozen(kw_only=True)
class Axes:
    """Everything that was observed about one request.  An axis not given was not provided.

    Raises:
        RequestError: `invalid-invocation`, when an axis is anything but its own `Observed`.
    """

    host: Observed[Host] = NOT_PROVIDED
    session: Observed[Session] = NOT_PROVIDED
    actor: Observed[Actor] = NOT_PROVIDED
    workspace: Observed[Workspace] = NOT_PROVIDED
    plugin: Observed[PluginRoot] = NOT_PROVIDED
    lineage: Observed[Lineage] = NOT_PROVIDED
    terminal: Observed[Terminal] = NOT_PROVIDED
    capabilities: Capabilities = attrs.field(factory=Capabilities)

    __repr__ = shown

    def __attrs_post_init__(self) -> None:
        _check_axes(
            self,
            host=Host,
            session=Session,
            actor=Actor,
            workspace=Workspace,
            plugin=PluginRoot,
            lineage=Lineage,
            terminal=Terminal,
        )

    def to_wire(self) -> dict[str, object]:
        """The wire form: one entry per axis, with the capabilities under a name of their own."""
        return {
            "host": self.host.to_wire(),
            "session": self.session.to_wire(),
            "actor": self.actor.to_wire(),
            "workspace": self.workspace.to_wire(),
            "plugin": self.plugin.to_wire(),
            "lineage": self.lineage.to_wire(),
            "terminal": self.terminal.to_wire(),
            "capabilities": self.capabilities.to_wire(),
        }
