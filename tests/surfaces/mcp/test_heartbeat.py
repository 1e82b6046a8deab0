import os

import trio
import trio.testing

from actors import open_supervisor
from trio_agent.surfaces.mcp.process.heartbeat import Heartbeat


async def test_there_is_a_line_every_five_minutes(autojump_clock: trio.testing.MockClock) -> None:
    said = list[str]()
    heart = Heartbeat("curator", said.append, trio.current_time())
    async with open_supervisor() as supervisor:
        supervisor.start(heart)
        await trio.sleep(610.5)
        heart.note_activity(trio.current_time() - 0.5)
        await trio.sleep(300)
        supervisor.stop()

    pid = os.getpid()
    assert said == [
        f"trio-agent heartbeat server=curator reason=interval pid={pid} uptime_s=300 idle_s=300\n",
        f"trio-agent heartbeat server=curator reason=interval pid={pid} uptime_s=600 idle_s=600\n",
        f"trio-agent heartbeat server=curator reason=activity pid={pid} uptime_s=610 idle_s=610\n",
        f"trio-agent heartbeat server=curator reason=interval pid={pid} uptime_s=900 idle_s=290\n",
    ]


def test_activity_is_told_once_a_minute_and_not_in_the_first() -> None:
    said = list[str]()
    heart = Heartbeat("curator", said.append, 1000.0)
    for second in range(0, 200, 2):
        heart.note_activity(1000.0 + second)

    assert [line.split(" uptime_s=")[1] for line in said] == [
        "60 idle_s=2\n",
        "120 idle_s=2\n",
        "180 idle_s=2\n",
    ]
