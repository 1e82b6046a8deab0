"""The request handle: what a component may ask while it renders.

It is what a route's `context` parameter is, and what `agent()` returns (`ambient`).  It is held
by the one context variable of the project, set before the invocation's supervisor opens, so every
task of the invocation inherits it and nothing else ambient crosses a link.

After the invocation every use of a handle that somebody kept is refused: `request-closed`, and
for the two producers, `progress.report` and `defer`, a `HandoffRequiredError` that carries what
came too late.

It is deliberately not a service locator: it starts work only through `defer`, and of the rest of
the invocation it holds nothing but the protocols of `backstage`.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar, TypeVarTuple, final, overload

from trio_agent.errors import ContractError, RequestError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence

    from trio_agent.context.backstage import Backstage, ProgressReporter
    from trio_agent.context.deferred import Deferred, Starter
    from trio_agent.context.host import ListKind, LogLevel
    from trio_agent.context.observed import Axes
    from trio_agent.context.process import RunsProcess
    from trio_agent.context.question import Elicited, Root, Sampled
    from trio_agent.context.stage import Stage
    from trio_agent.vocabulary.invocation import Invocation

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
FormT = TypeVar("FormT")
ValueT = TypeVar("ValueT")

current_request: Final[ContextVar[AgentRequest | None]] = ContextVar("trio_agent.current_request")
"""Set by `trio_agent.invocation` only; to None where providers are made."""


@final
class AgentRequest:
    """The handle of one invocation.  Awaiting it gives itself, so `await agent()` works too.

    Attributes below raise `RequestError` with `request-closed` once the invocation has ended.
    """

    __slots__ = (
        "_axes",
        "_backstage",
        "_closed",
        "_invocation",
        "_progress",
        "_starter",
        "stage",
    )

    def __init__(
        self,
        *,
        invocation: Invocation,
        axes: Axes | Callable[[], Axes] | None,
        progress: ProgressReporter,
        starter: Starter,
        stage: Stage,
        backstage: Backstage,
    ) -> None:
        self._invocation = invocation
        self._axes = axes
        self._progress = progress
        self._starter = starter
        self._backstage = backstage
        self._closed = False
        self.stage: Final = stage

    def __await__(self) -> Generator[None, None, AgentRequest]:
        yield from ()
        return self

    def close(self) -> None:
        """End the request: called by the invocation, once it has ended."""
        self._closed = True

    @property
    def invocation(self) -> Invocation:
        """Who asked for what."""
        self.check_open()
        return self._invocation

    @property
    def progress(self) -> ProgressReporter:
        """Where to say how far things are.  Stays usable, to be refused with a handoff."""
        return self._progress

    @property
    def axes(self) -> Axes:
        """What is known about the caller: host, session, workspace, terminal and so on."""
        self.check_open()
        if self._axes is None:
            # lazy: most invocations never ask, and making the classes takes ten milliseconds.
            from trio_agent.context.observed import Axes  # noqa: PLC0415

            self._axes = Axes()
        elif callable(self._axes):
            self._axes = self._axes()
        return self._axes

    def defer(self, function: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> Deferred[T]:
        """Begin work now, beside the rendering; give the `Deferred` to the components that need it.

        The work runs under the invocation's supervisor and does not hold up `complete`: what
        still runs then is cancelled.  Work that must finish is awaited by a component.

        Args:
            function: a coroutine function.
            *args: what it is called with.

        Raises:
            HandoffRequiredError: the invocation has ended.
            ContractError: `invalid-element`, called in a `def` component, which may run again.
        """
        component = self.stage.current
        if component is not None:
            raise ContractError(
                "invalid-element",
                f"{component} is a def and may run again, so defer() would start"
                " twice: make it async def, or defer in its parent",
            )
        return self._starter.start(function, args)

    @overload
    async def provider(self, key: str) -> object: ...
    @overload
    async def provider(self, key: str, kind: type[ValueT]) -> ValueT: ...

    async def provider(self, key: str, kind: type[object] = object) -> object:
        """What a provider of the plugin makes, `providers/<key>.py`; once for each request.

        Args:
            key: the stem of its file; `process_lifetime` is always there.
            kind: the class of the value, for whoever wants to have it checked.

        Raises:
            RequestError: `unknown-provider`, with all there are; `request-closed`.
            ContractError: `invalid-element`, the value is of another class.
            PluginError: the provider cannot be loaded.
            Exception: what the factory raised, the same for everybody who asks.
        """
        self.check_open()
        return await self._backstage.open_shelf(self).take(key, kind)

    # ---------------------------------------------------------------------- the host

    @overload
    async def elicit(
        self, message: str, schema: type[FormT], *, key: str | None = None
    ) -> Elicited[FormT]: ...
    @overload
    async def elicit(
        self, message: str, schema: dict[str, object], *, key: str | None = None
    ) -> Elicited[dict[str, object]]: ...

    async def elicit(
        self, message: str, schema: object, *, key: str | None = None
    ) -> Elicited[object]:
        """Let the user fill in a form, and wait for it.  The time limit stands still meanwhile.

        With some hosts the answer comes with another invocation: this one ends here, and code
        before this call runs again, so it must not have done what may not be done twice.

        Args:
            message: what the user reads above the form; not blank.
            schema: an attrs class, flat, of strings, numbers, booleans and choices; or the JSON
                Schema of such a form.
            key: what an answer that comes with another invocation is known by: letters, digits
                and `_`, at most 64.  By default the words of the question and its form, so an
                answer never belongs to other words; with a key of its own it does.

        Returns:
            What the user did; the content is an instance of the class, or the mapping.

        Raises:
            RequestError: `unsupported-surface`, nobody can be asked; `host-refused`, the host
                answered with an error.
            DeclarationError: no host could draw the form.
            ContractError: `invalid-document`, the message is blank, or the key is no such word.
            SchemaError: the answer does not fit the form.
        """
        self.check_open()
        return await self._backstage.asking.elicit(message, schema, key)

    async def sample(
        self,
        messages: str | Sequence[Mapping[str, object]],
        *,
        max_tokens: int,
        system_prompt: str | None = None,
        options: Mapping[str, object] | None = None,
        key: str | None = None,
    ) -> Sampled:
        """Let the host's model say something, and wait for it; see `elicit`.

        Args:
            messages: one text of the user, or messages as MCP spells them, `{"role", "content"}`.
            max_tokens: the most it may say; positive.
            system_prompt: what comes before the messages.
            options: other members of MCP's request, such as `temperature` or `stopSequences`.
            key: see `elicit`.

        Raises:
            RequestError: see `elicit`.
            ContractError: `invalid-document`, something is not JSON or not of its type.
            SchemaError: the answer is none of a model.
        """
        self.check_open()
        return await self._backstage.asking.sample(
            messages, max_tokens, system_prompt, options, key
        )

    async def roots(self, *, key: str | None = None) -> tuple[Root, ...]:
        """The directories that the host lets a server work on, in its order; see `elicit`.

        Args:
            key: see `elicit`.

        Raises:
            RequestError: see `elicit`.
            SchemaError: the answer is no list of roots.
        """
        self.check_open()
        return await self._backstage.asking.roots(key)

    def log(self, level: LogLevel, data: object, *, logger: str | None = None) -> None:
        """Write to the host's log; from any thread, never waits, dropped where there is none.

        Args:
            level: `debug` ... `emergency`.
            data: JSON, often a sentence.
            logger: who says it.

        Raises:
            ContractError: `invalid-document`, the level is unknown or *data* is not JSON.
            RequestError: `request-closed`.
        """
        self.check_open()
        self._backstage.telling.log(level, data, logger)

    def resource_updated(self, uri: str) -> None:
        """Tell those who subscribed to a resource that it has changed; never waits.

        Raises:
            ContractError: `invalid-document`, the URI is blank or no string.
            RequestError: `request-closed`.
        """
        self.check_open()
        self._backstage.telling.resource_updated(uri)

    def list_changed(self, kind: ListKind) -> None:
        """Tell the host that there are other tools, resources or prompts now; never waits.

        Raises:
            ContractError: `invalid-document`, the kind is unknown.
            RequestError: `request-closed`.
        """
        self.check_open()
        self._backstage.telling.list_changed(kind)

    def end_stream(self) -> None:
        """Let the client poll for the rest, where the answer has a stream; never waits.

        Raises:
            RequestError: `request-closed`.
        """
        self.check_open()
        self._backstage.telling.end_stream()

    @property
    def run_process(self) -> RunsProcess:
        """`trio_agent.run_process`: run a program, of which nothing is left when cancelled."""
        # lazy: few commands run a program.
        from trio_agent.context.process import run_process  # noqa: PLC0415

        return run_process

    @property
    def cancelled(self) -> bool:
        """Whether whoever waits for this code has been cancelled: for a thread that can stop.

        True before the thread is left behind, and for good.  In a task an `await` tells.
        """
        # lazy: only code in threads asks, and commands start without any.
        from trio_agent.context.bridge import is_cancelled  # noqa: PLC0415

        return self._closed or is_cancelled()

    def wait(self, function: Callable[[*Ts], Awaitable[T]], *args: *Ts) -> T:
        """In a worker thread: run a coroutine function in the invocation, and wait for it.

        It is deferred work, so it ends with the invocation, and with the thread's own part of it.
        A `def` handler can so ask the user or run a child process.

        Args:
            function: such as `context.elicit` or `context.run_process`.
            *args: what it is called with.

        Raises:
            ContractError: `invalid-element`, called in the Trio thread, where you can await, or
                in a thread that Trio did not start.
            InvocationCancelledError: it was cancelled before it was done.
            RequestError: `request-closed`.
            Exception: what it raised.
        """
        self.check_open()
        # lazy: as in `cancelled`.
        from trio_agent.context.bridge import wait_for  # noqa: PLC0415

        return wait_for(self._starter, function, args)

    def check_open(self) -> None:
        """Refuse a handle that outlived its invocation.

        Raises:
            RequestError: `request-closed`.
        """
        if self._closed:
            raise RequestError(
                "request-closed", f"invocation {self._invocation.id} has ended; keep no handle"
            )


CommandContext: TypeAlias = AgentRequest
"""The handle, as a `@command` names it."""

ScriptContext: TypeAlias = AgentRequest
"""The handle, as a `@script` names it."""

ToolContext: TypeAlias = AgentRequest
"""The handle, as a `@tool` names it."""

ResourceContext: TypeAlias = AgentRequest
"""The handle, as a `@resource` names it."""

PromptContext: TypeAlias = AgentRequest
"""The handle, as a `@prompt` names it."""

LayoutContext: TypeAlias = AgentRequest
"""The handle, as a `@layout` names it."""
