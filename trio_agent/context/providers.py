"""Providers: values that a request asks for by key, each made once for it, when first asked for.

A factory gets a `ProviderContext`, a narrow view of the request, and runs as deferred work does:
under the invocation's supervisor, within its time limit, stopped at its end.  It runs outside of
the request's context, so `agent()` in it is `outside-invocation`: what it makes must not depend
on who asked first.

Rules:

* whoever asks for a key in one request gets the same value, or the same failure;
* who stops waiting stops nobody else;
* providers may ask for each other; where that goes round in a circle the error names it;
* results live as long as the request; warm are `process_lifetime` and what a module keeps.

Not here: where factories come from.  A `ProviderSource` is given from above (`routes.providers`),
or finished values are, which replace it wholly.
"""

from __future__ import annotations

import inspect
import itertools
import os
import uuid
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, TypeVar, cast, final, overload

import attrs
import trio

from trio_agent.errors import ContractError, RequestError
from trio_agent.shown import shown

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping

    from trio_agent.context.deferred import Deferred, Starter
    from trio_agent.context.observed import Axes, Observed, PluginRoot
    from trio_agent.vocabulary.invocation import Invocation

    ProviderFactory: TypeAlias = Callable[["ProviderContext"], object]

T = TypeVar("T")

PROCESS_LIFETIME: Final = "process_lifetime"
"""The key that is always there."""


@final
@attrs.frozen(kw_only=True)
class ProcessLifetime:
    """The process that serves this request; the one thing that is warm without being asked to be.

    Attributes:
        instance_id: a UUID, the same for all requests of one process.
        pid: of the process.
        hits: requests that have asked for it, this one included.
    """

    instance_id: str
    pid: int
    hits: int

    __repr__ = shown


_INSTANCE_ID: Final = str(uuid.uuid4())
_HITS: Final = itertools.count(1)


async def _count_hit(_: ProviderContext) -> ProcessLifetime:
    await trio.sleep(0)  # noqa: ASYNC115  # public, and as good
    return ProcessLifetime(instance_id=_INSTANCE_ID, pid=os.getpid(), hits=next(_HITS))


class ProviderSource(Protocol):
    """Where factories come from."""

    @property
    def keys(self) -> Collection[str]:
        """All there are, in the order errors list them; imports nothing."""
        ...

    def load(self, key: str) -> ProviderFactory:
        """The factory of a key that there is; imports its module.

        Raises:
            TrioAgentError: it cannot be loaded.
        """
        ...


class ProviderRequest(Protocol):
    """What of a request is behind its providers (`handle.AgentRequest`)."""

    @property
    def invocation(self) -> Invocation:
        """Who asked for what."""
        ...

    @property
    def axes(self) -> Axes:
        """What is known about the caller."""
        ...


@final
class ProviderShelf:
    """The providers of one request.

    Args:
        source: None where there are none.
        values: finished values by key, which replace the source wholly; None leaves it.
        starter: runs the factories.
        request: what they may know about.
        leave: called in the task of a factory, which it takes out of the request's context.
    """

    __slots__ = ("_leave", "_made", "_request", "_source", "_starter", "_values", "_waits")

    def __init__(
        self,
        *,
        source: ProviderSource | None,
        values: Mapping[str, object] | None,
        starter: Starter,
        request: ProviderRequest,
        leave: Callable[[], object],
    ) -> None:
        self._leave: Final = leave
        self._source: Final = source
        self._values: Final = values
        self._starter: Final = starter
        self._request: Final = request
        self._made: Final[dict[str, Deferred[object]]] = {}
        self._waits: Final[dict[str, list[str]]] = {}

    async def take(self, key: str, kind: type[object], *, asker: str | None = None) -> object:
        """The value of a key; made now, if nobody has asked for it before.

        Args:
            key: of the provider.
            kind: the class that its user expects.
            asker: the key of the provider that asks, if one does.

        Raises:
            RequestError: `unknown-provider`; `provider-cycle`.
            ContractError: `invalid-element`, the value is of another class.
            Exception: what the factory raised, the same for everybody.
        """
        if self._values is not None and key in self._values:
            value = self._values[key]
        else:
            value = await self._wait(self._begin(key), key, asker)
        if isinstance(value, kind):
            return value
        raise ContractError(
            "invalid-element",
            f"the provider {key} gave an instance of {type(value).__qualname__},"
            f" expected {kind.__qualname__}",
        )

    def _begin(self, key: str) -> Deferred[object]:
        deferred = self._made.get(key)
        if deferred is None:
            deferred = self._starter.start(
                self._make, (key, self._find_maker(key)), name=f"provider {key}"
            )
            # If all who wait are cancelled, its failure concerns nobody.
            deferred.is_received = True
            self._made[key] = deferred
        return deferred

    async def _wait(self, deferred: Deferred[object], key: str, asker: str | None) -> object:
        """Wait, but not on behalf of a provider that this one waits for."""
        if asker is None:
            return await deferred
        if not deferred.is_settled and (path := self._find_path(key, asker)):
            circle = " -> ".join((asker, *path))
            raise RequestError("provider-cycle", f"providers wait for each other: {circle}")
        waits = self._waits.setdefault(asker, [])
        waits.append(key)
        try:
            return await deferred
        finally:
            waits.remove(key)

    def _find_path(self, start: str, end: str) -> tuple[str, ...]:
        """The providers from *start* to *end* that each wait for the next; empty if none do."""
        stack: list[tuple[str, ...]] = [(start,)]
        seen: set[str] = set()
        while stack:
            path = stack.pop()
            if path[-1] == end:
                return path
            if path[-1] not in seen:
                seen.add(path[-1])
                stack += [(*path, key) for key in self._waits.get(path[-1], ())]
        return ()

    def _find_maker(self, key: str) -> Callable[[str], ProviderFactory]:
        """What loads the factory of a key, to be called in the task that makes the value.

        Raises:
            RequestError: `unknown-provider`.
        """
        known: Collection[str] = ()
        if self._values is not None:
            known = self._values
        elif self._source is not None:
            known = self._source.keys
            if key in known:
                return self._source.load
        if key == PROCESS_LIFETIME:
            return lambda _: _count_hit
        every = ", ".join((*known, PROCESS_LIFETIME))
        raise RequestError("unknown-provider", f"Unknown provider {key!r:.120}; there is {every}")

    async def _make(self, key: str, load: Callable[[str], ProviderFactory]) -> object:
        self._leave()
        factory = load(key)
        context = ProviderContext(self, self._request, key)
        if inspect.iscoroutinefunction(factory):
            return await cast("Awaitable[object]", factory(context))
        # In a tuple, since Trio takes a coroutine that comes out of a thread for a mistake.
        (made,) = await trio.to_thread.run_sync(lambda: (factory(context),), abandon_on_cancel=True)
        return await cast("Awaitable[object]", made) if inspect.isawaitable(made) else made


@final
class ProviderContext:
    """What a factory knows about the request it makes something for.

    There is deliberately no progress and nobody to ask in it: whoever asks for the value first is
    no reason to speak in their name.
    """

    __slots__ = ("_key", "_request", "_shelf")

    def __init__(self, shelf: ProviderShelf, request: ProviderRequest, key: str) -> None:
        self._shelf: Final = shelf
        self._request: Final = request
        self._key: Final = key

    @property
    def invocation(self) -> Invocation:
        """Who asked for what.

        Raises:
            RequestError: `request-closed`.
        """
        return self._request.invocation

    @property
    def axes(self) -> Axes:
        """What is known about the caller.

        Raises:
            RequestError: `request-closed`.
        """
        return self._request.axes

    @property
    def plugin(self) -> Observed[PluginRoot]:
        """Where the plugin is installed: one of the axes.

        Raises:
            RequestError: `request-closed`.
        """
        return self._request.axes.plugin

    @overload
    async def provider(self, key: str) -> object: ...

    @overload
    async def provider(self, key: str, kind: type[T]) -> T: ...

    async def provider(self, key: str, kind: type[object] = object) -> object:
        """Another provider's value; see `AgentRequest.provider`.

        Raises:
            RequestError: `provider-cycle`, that one waits for this one; and as there.
        """
        _ = self._request.invocation
        return await self._shelf.take(key, kind, asker=self._key)
