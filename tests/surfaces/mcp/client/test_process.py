"""A server in a process of its own: it always ends, and everything that it started."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import trio

from tests.surfaces.mcp.client.alive import is_alive
from trio_agent.surfaces.mcp.client import process as processes
from trio_agent.surfaces.mcp.client.caller import Caller
from trio_agent.surfaces.mcp.client.launch import Launch
from trio_agent.surfaces.mcp.client.process import LaunchError, open_server_process

if TYPE_CHECKING:
    from trio_agent.surfaces.mcp.client.process import ServerProcess

FOREIGN = (sys.executable, str(Path(__file__).with_name("foreign_server.py")))
PATIENCE_S = 30

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups and signals")


async def wait_gone(pid: int) -> None:
    with trio.fail_after(PATIENCE_S):
        while is_alive(pid):
            await trio.sleep(0.01)


def pids(said: str) -> list[int]:
    return [int(number) for number in re.findall(r"(?:pid|sleeper) (\d+)", said)]


async def test_a_process_is_spoken_to_and_ends_by_itself(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with trio.fail_after(PATIENCE_S):
        async with open_server_process(Launch(words=FOREIGN)) as process:
            introduction = await Caller(process).open()
            tools = await Caller(process).list_all("tools/list", "tools")

    assert introduction.info == {"name": "foreign", "version": "9"}
    assert [tool["name"] for tool in tools] == [f"tool_{number}" for number in range(5)]
    assert process.ending == "ended with 0"
    (pid,) = pids(capfd.readouterr().err)
    assert not is_alive(pid)


async def test_what_it_started_is_ended_with_it(capfd: pytest.CaptureFixture[str]) -> None:
    with trio.fail_after(PATIENCE_S):
        async with open_server_process(Launch(words=(*FOREIGN, "child"))) as process:
            await Caller(process).open()

    sleeper, server = pids(capfd.readouterr().err)
    await wait_gone(sleeper)
    await wait_gone(server)


@pytest.mark.parametrize("has_groups", [True, False])
async def test_a_server_that_does_not_want_to_end_is_killed(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, has_groups: bool
) -> None:
    monkeypatch.setattr(processes, "_IS_POSIX", has_groups)
    monkeypatch.setattr(processes, "PATIENCE_S", 0.1)
    monkeypatch.setattr(processes, "GRACE_S", 0.1)
    with trio.fail_after(PATIENCE_S):
        async with open_server_process(Launch(words=(*FOREIGN, "stay"))) as process:
            await Caller(process).open()

    assert process.ending == f"was ended by signal {int(signal.SIGKILL)}"
    await wait_gone(pids(capfd.readouterr().err)[0])


async def test_whoever_is_cancelled_leaves_nothing_behind(
    capfd: pytest.CaptureFixture[str],
) -> None:
    spoken = trio.Event()

    async def speak() -> None:
        async with open_server_process(Launch(words=(*FOREIGN, "deaf"))) as process:
            spoken.set()
            await Caller(process).open()

    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(speak)
            await spoken.wait()
            nursery.cancel_scope.cancel()

    for pid in pids(capfd.readouterr().err):
        await wait_gone(pid)


async def test_an_error_leaves_nothing_behind_either() -> None:
    kept: list[ServerProcess] = []

    async def stumble() -> None:
        async with open_server_process(Launch(words=(*FOREIGN, "deaf"))) as process:
            kept.append(process)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await stumble()
    assert kept[0].ending in {"ended with 143", f"was ended by signal {int(signal.SIGTERM)}"}


async def test_where_and_with_which_variables_is_the_launchs(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code = "import os; print(os.getcwd(), os.environ['LEVEL'], 'PATH' in os.environ)"
    launch = Launch(words=(sys.executable, "-c", code), cwd=str(tmp_path), env={"LEVEL": "3"})
    async with open_server_process(launch) as process:
        said = b""
        while data := await process.receive():
            said += data
        # It does not read any more, and that is no error of the sender.
        await process.send(b"x" * 1_000_000)
        assert process.ending == "ended with 0"

    assert said.decode().split() == [str(tmp_path), "3", "True"]


async def test_a_server_that_closes_its_output_is_said_to_have_done_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "_REAP_S", 0.1)
    code = "import os, sys; os.close(1); sys.stdin.read()"
    async with open_server_process(Launch(words=(sys.executable, "-c", code))) as process:
        assert await process.receive() == b""
        assert process.ending == "closed its output"


@pytest.mark.parametrize(
    ("launch", "named"),
    [
        (Launch(words=("/no/such/program",)), "No such file"),
        (Launch(words=(sys.executable,), cwd="/no/such/folder"), "No such file"),
        (Launch(words=("nul\0l",)), "embedded null byte"),
    ],
)
async def test_what_cannot_be_started_says_why(launch: Launch, named: str) -> None:
    with pytest.raises(LaunchError, match=named):
        async with open_server_process(launch):
            raise AssertionError  # never reached
