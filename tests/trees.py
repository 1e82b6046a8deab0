"""Trees that several tests render, and two ways to consume them slowly.

The trees are driven by two gates, a and b: what is behind a gate comes when the test opens it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import trio

from trio_agent import Agent, Node, Runtime, Suspense, component
from trio_agent.testing import SingleTree, make_invocation

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from trio_agent import EventStream, LimitOverrides
    from trio_agent.vocabulary.event import RenderEvent
    from trio_agent.vocabulary.result import DocumentNode


@attrs.frozen(eq=False)
class Gates:
    """Two events that a test sets."""

    a: trio.Event = attrs.field(factory=trio.Event)
    b: trio.Event = attrs.field(factory=trio.Event)


@component
async def Behind(gate: trio.Event, node: Node) -> Node:
    """*node*, once the gate is open."""
    await gate.wait()
    return node


@component
async def After(seconds: float, node: Node) -> Node:
    """*node*, after so many seconds."""
    await trio.sleep(seconds)
    return node


@component
async def At_once(node: Node) -> Node:
    """*node*, without ever waiting."""
    return node


@component
async def Fails_after(seconds: float, error: BaseException) -> Node:
    """Raise, after so many seconds."""
    await trio.sleep(seconds)
    raise error


@component
async def For_ever() -> Node:
    """Never ready."""
    await trio.sleep_forever()


def ready() -> Node:
    """A document without suspense."""
    return Agent.Result(Agent.Markdown("# Ready"), value={"ready": True})


def single(gates: Gates) -> Node:
    """One boundary, on a."""
    return Agent.Result(
        Agent.Markdown("# Shell"),
        Suspense(
            Behind(gates.a, Agent.Markdown("A ready")),
            fallback=Agent.Progress(0, None, "loading-a"),
        ),
        value={"ready": False},
    )


def dual(gates: Gates) -> Node:
    """Two boundaries, on a and on b."""
    return Agent.Result(
        Agent.Markdown("# Shell"),
        Suspense(
            Behind(gates.a, Agent.Markdown("A ready")),
            fallback=Agent.Progress(0, None, "loading-a"),
        ),
        Suspense(
            Behind(gates.b, Agent.Markdown("B ready")),
            fallback=Agent.Progress(0, None, "loading-b"),
        ),
    )


def nested(gates: Gates) -> Node:
    """A boundary on b, in the content of one on a."""
    inner = Suspense(
        Behind(gates.b, Agent.Markdown("nested-ready")),
        fallback=Agent.Progress(0, None, "loading-inner"),
    )
    return Agent.Result(
        Agent.Markdown("# Shell"),
        Suspense(
            Behind(gates.a, [Agent.Markdown("inner-shell"), inner]),
            fallback=Agent.Progress(0, None, "loading-outer"),
        ),
    )


@component
async def Boom(gate: trio.Event) -> Node:
    """Fail, once the gate is open."""
    await gate.wait()
    raise ValueError("boundary failed")


def boom(gates: Gates) -> Node:
    """One boundary, which fails on a."""
    return Agent.Result(
        Agent.Markdown("# Shell"),
        Suspense(Boom(gates.a), fallback=Agent.Progress(0, None, "loading-a")),
    )


def stream(
    tree: Node | SingleTree, *, limits: LimitOverrides | None = None
) -> AbstractAsyncContextManager[EventStream]:
    """The events of a tree, taken one by one by the test."""
    application = tree if isinstance(tree, SingleTree) else SingleTree(tree)
    return Runtime(application).stream(make_invocation(), limits=limits)


def texts(node: DocumentNode) -> list[str]:
    """What a person would read, in order."""
    if node.kind == "result":
        return [text for child in node.children for text in texts(child)]
    if node.kind == "error":
        return [f"[{node.code}] {node.message}"]
    if node.kind == "progress":
        return [node.message or ""]
    return [getattr(node, "text", node.kind)]


class Reader:
    """A projection that keeps the events, and a sink that may be slow, leave or fail."""

    def __init__(
        self, *, pause_s: float = 0, leave_at: str | None = None, error: Exception | None = None
    ) -> None:
        self.events: list[RenderEvent] = []
        self.pause_s = pause_s
        self.leave_at = leave_at
        self.error = error

    def feed(self, event: RenderEvent) -> Sequence[RenderEvent]:
        self.events.append(event)
        return [event]

    def finish(self) -> list[str]:
        return self.types

    async def sink(self, event: RenderEvent) -> None:
        if event.type == self.leave_at:
            raise self.error or AssertionError("leave_at comes with an error")
        if self.pause_s:
            await trio.sleep(self.pause_s)

    @property
    def types(self) -> list[str]:
        return [event.type for event in self.events]
