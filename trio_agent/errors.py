"""Every error trio-agent raises, and the closed list of its codes.

    TrioAgentError                    catch this to catch everything below
    ├── ContractError                 a tree, value, row or event breaks the contract
    │   └── LimitError                ... because it is larger or later than a limit allows
    ├── StreamError                   a stream of rows or events ended before it was complete
    ├── ArtifactEpochError            the rows were made by another build than the reader's
    ├── RequestError                  the handle was asked where no invocation is, too late, or
    │                                 for what this host cannot do
    ├── HandoffRequiredError          a producer came after the end; `.handoff` says what it brought
    ├── InvocationError               the invocation failed; `.event` is its terminal error event
    └── InvocationCancelledError      the invocation was cancelled, or its consumer left early
    ConsumerLeftError                 a sink says that nobody reads any more; never shown
    AgentError                        for authors: a code and a message that every surface shows
    AuthorExitError                   author code called `sys.exit()` inside a component
    AuthorRaiseError                  author code raised what is no `Exception`, or cannot be shown

A machine reads `code`, a person reads the message, which names the place, the expectation and
the value received.  An exception of any other class that leaves `Runtime.invoke` is a bug in
trio-agent, with two exceptions: `trio.Cancelled` and `KeyboardInterrupt` always pass.

Nine more stand beside what raises them: `SchemaError` and `DeclarationError` (both a
`ContractError`, in `protocol.schema`), `InputRequiredError` (`context.input_required`),
`ProcessError` (`context.process`), `DeferredFailedError` (`pipeline.work`), `PluginError`
(`routes.plugin`), `UsageError` (`surfaces.cli.argv`), `ProjectionError` (`surfaces.mcp.content`)
and `HarnessError` (`testing.proof`).

This module knows nothing of documents or tasks; it sits at the very bottom.
"""

from __future__ import annotations

from typing import Final, Literal, Protocol, TypeAlias, cast, final, get_args

import attrs

from trio_agent.shown import shown

ErrorCode: TypeAlias = Literal[
    "ambiguous-value",
    "artifact-epoch-mismatch",
    "boundary",
    "cancelled",
    "component-depth-exceeded",
    "deferred-failed",
    "document-bytes-exceeded",
    "document-depth-exceeded",
    "document-node-count-exceeded",
    "elapsed-time-exceeded",
    "event-bytes-exceeded",
    "event-count-exceeded",
    "event-rate-exceeded",
    "flight-truncated",
    "frame-bytes-exceeded",
    "handoff-required",
    "input-required",
    "invalid-document",
    "invalid-element",
    "invalid-limits",
    "invalid-result-metadata",
    "media-bytes-exceeded",
    "render-failed",
    "runtime-restarted",
    "runtime-unavailable",
    "stream-incomplete",
    "unsupported-rich-content",
]
"""What can go wrong in an invocation.  An author's `AgentError` brings a code of its own."""

LimitCode: TypeAlias = Literal[
    "component-depth-exceeded",
    "document-bytes-exceeded",
    "document-depth-exceeded",
    "document-node-count-exceeded",
    "elapsed-time-exceeded",
    "event-bytes-exceeded",
    "event-count-exceeded",
    "event-rate-exceeded",
    "frame-bytes-exceeded",
    "media-bytes-exceeded",
]

RequestErrorCode: TypeAlias = Literal[
    "host-refused",
    "invalid-invocation",
    "outside-invocation",
    "provider-cycle",
    "request-closed",
    "unknown-provider",
    "unsupported-surface",
]

ProducerKind: TypeAlias = Literal["progress", "defer"]

Outcome: TypeAlias = Literal[
    "success", "represented-error", "failed", "cancelled", "input-required"
]
"""How an invocation ended: the status of its document, or, without one, why it has none."""

ERROR_CODES: Final[frozenset[str]] = frozenset(get_args(ErrorCode))

_QUOTED: Final = 80
"""Characters of a value that an error quotes: enough to know it, and no megabyte of it."""


def abridge(value: object) -> str:
    """*value* as an error quotes it: its repr, 80 characters at most; never fails."""
    try:
        quoted = repr(value)
    except (Exception, SystemExit):  # noqa: BLE001  # boundary: a foreign __repr__; an int of 4,301 digits
        quoted = f"<{type(value).__qualname__} that cannot be shown>"
    return quoted if len(quoted) <= _QUOTED else f"{quoted[: _QUOTED - 3]}..."


class TrioAgentError(Exception):
    """Base class: catch this to catch anything trio-agent raises."""

    code: str

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code

    @property
    def message(self) -> str:
        """The sentence for people, without the code."""
        return str(self.args[0])


class ContractError(TrioAgentError):
    """A tree, value, row or event breaks the contract.

    Raised on the author's own line where that is possible (a leaf, a JSON value).  While a tree
    is rendered, the renderer adds where it happened as the error passes: the innermost component
    and the place in what that component returned.
    """

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(code, message)
        self._steps: list[str] = []
        self._component: str | None = None

    def __str__(self) -> str:
        if self._component is None:
            return self.message
        place = " > ".join(self._steps)
        return f"{self.message} (in component {self._component}{', at ' if place else ''}{place})"

    def at(self, step: str) -> None:
        """Note one more step outwards, while the component is not known yet."""
        if self._component is None:
            self._steps.insert(0, step)

    def within(self, component: str) -> None:
        """Note the component; the innermost one stands."""
        if self._component is None:
            self._component = component


@final
class LimitError(ContractError):
    """A limit was exceeded.  It fails the invocation, never a single boundary."""

    def __init__(self, code: LimitCode, message: str) -> None:
        super().__init__(code, message)


@final
class StreamError(TrioAgentError):
    """A stream of rows or events ended before it was complete."""

    def __init__(
        self, code: Literal["flight-truncated", "stream-incomplete"], message: str
    ) -> None:
        super().__init__(code, message)


@final
class ArtifactEpochError(TrioAgentError):
    """The rows were made by another build, or in another protocol revision, than expected."""

    def __init__(self, *, expected: str, received: str) -> None:
        super().__init__(
            "artifact-epoch-mismatch",
            f"the rows are of {received}, but this runtime reads {expected}",
        )
        self.expected = expected
        self.received = received


@final
class RequestError(TrioAgentError):
    """The request handle was asked for what there is not: here, any more, or with this host."""

    def __init__(self, code: RequestErrorCode, message: str) -> None:
        super().__init__(code, message)


@final
@attrs.frozen(kw_only=True)
class HandoffRequired:
    """What a producer brought too late, in full, so that a notice can be made of it.

    Attributes:
        invocation_id: the invocation that has ended.
        route_id: the route it ran, such as `cli:audit-library`.
        kind: which door was knocked at, `progress` or `defer`.
        last_sequence: number of the last event that was numbered; -1 if there was none.
        completed_at: when the invocation ended, seconds of the Trio clock.
        outcome: how it ended.
        refused: what was not accepted: the report as a mapping of its wire fields, or the
            qualified name of the function given to `defer`.
    """

    invocation_id: str
    route_id: str
    kind: ProducerKind
    last_sequence: int
    completed_at: float
    outcome: Outcome
    refused: object

    __repr__ = shown


@final
class HandoffRequiredError(TrioAgentError):
    """A producer came after the end; later work needs a new invocation."""

    def __init__(self, handoff: HandoffRequired) -> None:
        super().__init__(
            "handoff-required",
            f"invocation {handoff.invocation_id} of {handoff.route_id} has ended"
            f" ({handoff.outcome}); {handoff.kind} needs a new invocation",
        )
        self.handoff = handoff


class TerminalEvent(Protocol):
    """The `error` event without a boundary that ends a failed stream (`vocabulary.event`)."""

    @property
    def sequence(self) -> int:
        """Its number in the stream."""
        ...

    def to_wire(self) -> dict[str, object]:
        """Its wire form."""
        ...


@final
class InvocationError(TrioAgentError):
    """The invocation failed: no document, no `complete`.

    The exception that made it fail is `__cause__`.

    Attributes:
        event: the terminal `error` event; only NDJSON prints it.
    """

    def __init__(self, code: str, message: str, *, event: TerminalEvent) -> None:
        super().__init__(code, message)
        self.event = event


@final
class InvocationCancelledError(TrioAgentError):
    """The invocation was cancelled by `Runtime.cancel`, or its projector left early."""

    def __init__(self, message: str) -> None:
        super().__init__("cancelled", message)


@final
class ConsumerLeftError(Exception):
    """A sink raises this to say that its consumer has left, which is no failure of the sink.

    The invocation is cancelled, and whoever waits for it gets `InvocationCancelledError`.
    """


@final
class AgentError(Exception):
    """For authors: fail with a code of your own and a message that every surface shows.

    Args:
        code: not blank; `E_NOT_FOUND`, `library-locked`, whatever the tool documents.  A member
            of a string enum counts as its value.
        message: a sentence for people; may be empty.

    Raises:
        ValueError: the code is blank, or no string.
    """

    def __init__(self, code: str, message: str) -> None:
        # Authors are not all type-checked, and HTTP has taught many that a code is a number.
        if not isinstance(cast("object", code), str) or not code.strip():
            raise ValueError(f"AgentError needs a code that is not blank, received {abridge(code)}")
        super().__init__(message)
        self.code: str = str.__str__(code)


@final
class AuthorExitError(Exception):
    """Author code called `sys.exit()`; an invocation is not the process, so it only failed."""

    def __init__(self, component: str, status: object) -> None:
        super().__init__(f"{component} called sys.exit({status!r}); return or raise instead")


@final
class AuthorRaiseError(Exception):
    """Stands for what author code raised and cannot go on as it is; that is `__cause__`.

    An exception that is no `Exception` (asyncio's `CancelledError`, a panic of a Rust extension)
    would end the process, and one whose `repr()` raises would end Trio itself.
    """

    def __init__(self, component: str, error: BaseException) -> None:
        kind = type(error)
        text = f"{component} raised {kind.__module__}.{kind.__qualname__}"
        try:
            words = str.__str__(str(error))
        except (Exception, SystemExit):  # noqa: BLE001  # boundary: a foreign __str__
            words = "it cannot be put into words"
        super().__init__(f"{text}: {words}" if words else text)
        self.__cause__: BaseException | None = error
