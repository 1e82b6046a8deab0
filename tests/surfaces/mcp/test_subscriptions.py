"""Who is told of what, and when."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from actors import Actor
from trio_agent.surfaces.mcp import subscriptions
from trio_agent.surfaces.mcp.exchange import Audience, Client, Transport
from trio_agent.surfaces.mcp.rpc import INVALID_PARAMS, SERVER_BUSY, JsonObject, RequestId, RpcError
from trio_agent.surfaces.mcp.subscriptions import SUBSCRIPTION_KEY, Change, ChangeHub

TOOLS = Change("tools", is_list=True)
PROMPTS = Change("prompts", is_list=True)
PAGE = Change("curator://page", is_list=False)


class Listener:
    """A connection or a request that keeps what it was told."""

    transport: Transport = "stdio"
    session_id: str | None = None
    actor_id: str | None = None
    log_level: str | None = None
    id: RequestId = "sub-1"

    def __init__(self) -> None:
        self.told: list[tuple[str, JsonObject]] = []
        self.client = Client(version_spoken="2026-07-28")
        self.meta: JsonObject = {}
        self.audience: Audience | None = self
        self.gate: trio.Event | None = None

    def tell(self, method: str, params: JsonObject) -> None:
        self.told.append((method, params))

    async def notify(self, method: str, params: JsonObject) -> None:
        self.told.append((method, params))
        if self.gate is not None:
            await self.gate.wait()

    async def request(self, method: str, params: JsonObject) -> JsonObject:
        raise AssertionError

    def start(self, actor: Actor) -> None:
        raise AssertionError

    def set_log_level(self, level: str) -> None:
        raise AssertionError

    async def end_stream(self) -> None:
        raise AssertionError


def test_a_handshake_connection_hears_of_lists_and_of_the_resources_it_subscribed_to() -> None:
    hub, here, there = ChangeHub(), Listener(), Listener()
    leave = hub.join(here)
    hub.join(there)
    hub.subscribe("curator://page", here)

    for change in (TOOLS, PAGE, Change("curator://other", is_list=False)):
        hub.publish(change)

    assert here.told == [
        ("notifications/tools/list_changed", {}),
        ("notifications/resources/updated", {"uri": "curator://page"}),
    ]
    assert there.told == here.told[:1]
    hub.unsubscribe("curator://page", here)
    hub.unsubscribe("curator://never", there)
    hub.publish(PAGE)
    leave()
    hub.publish(TOOLS)
    assert len(here.told) == 2


def test_a_request_without_a_connection_subscribes_to_nothing() -> None:
    hub, nobody = ChangeHub(), Listener()
    nobody.audience = None

    hub.subscribe("curator://page", nobody)
    hub.unsubscribe("curator://page", nobody)
    hub.publish(PAGE)

    assert nobody.told == []


async def test_a_stream_acknowledges_first_and_tells_only_what_was_asked_for() -> None:
    hub, listener = ChangeHub(), Listener()
    wanted: JsonObject = {
        "notifications": {
            "toolsListChanged": True,
            "promptsListChanged": False,
            "resourceSubscriptions": ["curator://page"],
        }
    }
    answers: list[JsonObject] = []

    async def listen() -> None:
        answers.append(await hub.listen(wanted, listener))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen)
        await trio.testing.wait_all_tasks_blocked()
        for change in (PROMPTS, TOOLS, PAGE, Change("curator://other", is_list=False)):
            hub.publish(change)
        await trio.testing.wait_all_tasks_blocked()
        hub.close()

    stamp = {"_meta": {SUBSCRIPTION_KEY: "sub-1"}}
    honored = {"toolsListChanged": True, "resourceSubscriptions": ["curator://page"]}
    assert listener.told == [
        ("notifications/subscriptions/acknowledged", {"notifications": honored, **stamp}),
        ("notifications/tools/list_changed", stamp),
        ("notifications/resources/updated", {"uri": "curator://page", **stamp}),
    ]
    assert answers == [stamp]


async def test_what_a_slow_reader_has_not_taken_is_kept_once() -> None:
    hub, listener = ChangeHub(), Listener()
    listener.gate = trio.Event()
    wanted: JsonObject = {"notifications": {"toolsListChanged": True, "promptsListChanged": True}}

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hub.listen, wanted, listener)
        await trio.testing.wait_all_tasks_blocked()
        for _ in range(1000):
            hub.publish(TOOLS)
            hub.publish(PROMPTS)
        listener.gate.set()
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    assert [method for method, _ in listener.told[1:]] == [TOOLS.method, PROMPTS.method]
    # The stream is gone: publishing reaches nobody.
    hub.publish(TOOLS)
    assert len(listener.told) == 3


@pytest.mark.parametrize(
    "notifications", [None, [], {"resourceSubscriptions": "a://b"}, {"resourceSubscriptions": [1]}]
)
async def test_a_misshapen_filter_is_refused(notifications: object) -> None:
    with pytest.raises(RpcError) as caught:
        await ChangeHub().listen({"notifications": notifications}, Listener())

    assert caught.value.code == INVALID_PARAMS


async def test_an_empty_list_of_resources_is_left_out_of_what_is_honored() -> None:
    hub, listener = ChangeHub(), Listener()
    wanted: JsonObject = {"notifications": {"resourceSubscriptions": []}}

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hub.listen, wanted, listener)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    assert listener.told[0][1]["notifications"] == {}


async def test_too_many_streams_are_refused_and_say_how_many_are_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subscriptions, "MOST_STREAMS", 1)
    hub = ChangeHub()
    wanted: JsonObject = {"notifications": {}}

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hub.listen, wanted, Listener())
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(RpcError, match="at most 1") as caught:
            await hub.listen(wanted, Listener())
        nursery.cancel_scope.cancel()

    assert caught.value.code == SERVER_BUSY
