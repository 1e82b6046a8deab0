"""Child processes: what they say, and that nothing of them is left when somebody stops waiting.

With the real clock, since a child knows no other: every wait is for something that happens, and
a limit that no test comes near ends what does not.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trio

from trio_agent import CompletedProcess, ProcessError, run_process
from trio_agent.context import process

pytestmark = pytest.mark.skipif(os.name != "posix", reason="has no process groups")

LIMIT_S = 60


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def is_running(pid: int) -> bool:
    """Whether there is such a process; one that nobody has collected yet is none."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    found = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=LIMIT_S,
    )
    return bool(found.stdout.strip()) and not found.stdout.startswith("Z")


async def read_pids(file: Path, count: int) -> list[int]:
    """The process ids that children write into a file, a line each, once they are there."""
    with trio.fail_after(LIMIT_S):
        while True:
            text = file.read_text(encoding="utf-8") if file.exists() else ""
            if text.count("\n") == count:
                return [int(line) for line in text.splitlines()]
            await trio.sleep(0.01)


@pytest.fixture
def pid_file(tmp_path: Path) -> Iterator[Path]:
    """Where children write who they are; whoever is left in the end is ended here."""
    file = tmp_path / "pids"
    yield file
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        if is_running(int(line)):
            os.kill(int(line), signal.SIGKILL)


# ------------------------------------------------------------------------------ by itself


async def test_what_it_wrote_comes_back() -> None:
    code = "import sys; print('out é'); print('err', file=sys.stderr)"
    done = await run_process(python(code), env={**os.environ, "PYTHONIOENCODING": "utf-8"})
    assert done == CompletedProcess(
        command=tuple(python(code)), returncode=0, stdout="out é\n".encode(), stderr=b"err\n"
    )
    assert done.text == "out é\n"
    assert "stdout" not in repr(done)


async def test_it_gets_its_input_and_otherwise_none() -> None:
    read = python("import sys; sys.stdout.write(sys.stdin.read())")
    assert (await run_process(read, input="é")).stdout == "é".encode()
    assert (await run_process(read, input=b"x" * 1_000_000)).stdout == b"x" * 1_000_000
    assert (await run_process(read)).stdout == b""


async def test_input_that_it_does_not_read_is_no_error() -> None:
    assert (await run_process(python("pass"), input=b"x" * 1_000_000)).returncode == 0


async def test_directory_and_environment_are_what_was_given(tmp_path: Path) -> None:
    code = "import os; print(os.getcwd(), os.environ.get('A'), os.environ.get('HOME'))"
    done = await run_process(python(code), cwd=tmp_path, env={"A": "1"})
    assert done.text.split() == [str(tmp_path.resolve()), "1", "None"]
    assert (await run_process([Path("/bin/echo"), "x"])).text == "x\n"


async def test_a_failure_says_the_last_that_it_wrote() -> None:
    code = "import sys; print('first', file=sys.stderr); sys.exit('no library here')"
    with pytest.raises(ProcessError) as caught:
        await run_process(python(code))
    assert caught.value.code == "process-failed"
    assert caught.value.message == f"{sys.executable} ended with 1: no library here"
    assert caught.value.completed is not None
    assert caught.value.completed.stderr == b"first\nno library here\n"
    assert (await run_process(python(code), check=False)).returncode == 1
    with pytest.raises(ProcessError, match=r"ended with 3$"):
        await run_process(["/bin/sh", "-c", "exit 3"])


async def test_a_signal_is_called_by_its_name() -> None:
    with pytest.raises(ProcessError, match="/bin/sh was ended by SIGKILL"):
        await run_process(["/bin/sh", "-c", "kill -9 $$"])
    done = await run_process(["/bin/sh", "-c", "kill -9 $$"], check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.skipif(not hasattr(signal, "SIGRTMIN"), reason="has no signals without a name")
async def test_a_signal_without_a_name_is_told_by_its_number() -> None:
    number = signal.SIGRTMIN + 1
    with pytest.raises(ProcessError, match=f"ended with -{number}"):
        await run_process(["/bin/sh", "-c", f"kill -{number} $$"])


async def test_what_cannot_be_started_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for command, why in (
        (["no-such-program-x"], "no-such-program-x cannot be started: No such file or directory"),
        ([tmp_path / "file"], f"{tmp_path / 'file'} cannot be started: Permission denied"),
        (["a\0b"], "a\0b cannot be started: embedded null byte"),
    ):
        with pytest.raises(ProcessError) as caught:
            await run_process(command)
        assert caught.value.message == why
        assert caught.value.completed is None


@pytest.mark.parametrize("command", ["ls -l", b"ls", [], ["ls", 3], {"ls"}], ids=repr)
async def test_a_command_is_a_list_of_words(command: Any) -> None:
    with pytest.raises(ProcessError) as caught:
        await run_process(command)
    assert caught.value.message.startswith(
        "a command is a list of words, such as ['git', 'status'], received "
    )


async def test_a_command_that_writes_for_ever_is_ended(pid_file: Path) -> None:
    for redirect, stream in (("", "stdout"), (" >&2", "stderr")):
        pid_file.unlink(missing_ok=True)
        script = f"echo $$ > {pid_file}; while :; do echo xxxxxxxxxx{redirect}; done"
        with trio.fail_after(LIMIT_S), pytest.raises(ProcessError) as caught:
            await run_process(["/bin/sh", "-c", script], most_output=100_000)
        assert caught.value.message == (
            f"/bin/sh wrote more than 100000 bytes to {stream}, and was ended"
        )
        (pid,) = await read_pids(pid_file, 1)
        assert not is_running(pid)


async def test_who_leaves_a_daemon_behind_has_ended_when_it_has_ended(pid_file: Path) -> None:
    script = f"sleep 1000 & echo $! > {pid_file}; echo started"
    with trio.fail_after(LIMIT_S):
        done = await run_process(["/bin/sh", "-c", script])
    assert done.text == "started\n"
    (pid,) = await read_pids(pid_file, 1)
    assert is_running(pid)


# ------------------------------------------------------------------------------ the end

SHELLS = {
    "a shell that waits": "sleep 1000 & echo $! >> {file}; echo $$ >> {file}; wait",
    "nobody hears a request": 'trap "" TERM; sleep 1000 & echo $! >> {file}; echo $$ >> {file}; wait',
    "the shell ends at once": "sleep 1000 & echo $! >> {file}; echo $$ >> {file}; exit 0",
    "a grandchild of a grandchild": "sh -c 'sleep 1000 & echo $! >> {file}; wait' & "
    "echo $$ >> {file}; wait",
}


@pytest.mark.parametrize("shell", SHELLS)
async def test_whoever_is_cancelled_takes_the_whole_group_along(shell: str, pid_file: Path) -> None:
    async with trio.open_nursery() as nursery:
        script = SHELLS[shell].format(file=pid_file)
        nursery.start_soon(run_process, ["/bin/sh", "-c", script])
        pids = await read_pids(pid_file, 2)
        nursery.cancel_scope.cancel()
    assert [pid for pid in pids if is_running(pid)] == []


async def test_who_can_clean_up_in_half_a_second_does(pid_file: Path, tmp_path: Path) -> None:
    cleaned = tmp_path / "cleaned"
    script = f"trap 'echo yes > {cleaned}; exit' TERM; echo $$ >> {pid_file}; while :; do sleep 0.01; done"
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_process, ["/bin/sh", "-c", script])
        await read_pids(pid_file, 1)
        nursery.cancel_scope.cancel()
    assert cleaned.read_text(encoding="utf-8") == "yes\n"


async def test_a_time_limit_ends_it_too(pid_file: Path) -> None:
    script = SHELLS["a shell that waits"].format(file=pid_file)
    scope = trio.CancelScope()

    async def run() -> None:
        with scope:
            await run_process(["/bin/sh", "-c", script])

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run)
        pids = await read_pids(pid_file, 2)
        scope.deadline = trio.current_time()
    assert scope.cancelled_caught
    assert [pid for pid in pids if is_running(pid)] == []


async def test_where_there_are_no_groups_the_child_is_killed(
    pid_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "_IS_POSIX", False)
    script = f"trap '' TERM; echo $$ >> {pid_file}; while :; do sleep 0.01; done"
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_process, ["/bin/sh", "-c", script])
        (pid,) = await read_pids(pid_file, 1)
        nursery.cancel_scope.cancel()
    assert not is_running(pid)


async def test_a_group_that_is_gone_already_is_no_error(
    pid_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What macOS says of a group of which nobody lives.
    def killpg(group: int, number: int) -> None:
        real(group, number)
        raise PermissionError(1, "Operation not permitted")

    real = os.killpg
    monkeypatch.setattr(os, "killpg", killpg)
    async with trio.open_nursery() as nursery:
        script = SHELLS["a shell that waits"].format(file=pid_file)
        nursery.start_soon(run_process, ["/bin/sh", "-c", script])
        pids = await read_pids(pid_file, 2)
        nursery.cancel_scope.cancel()
    assert [pid for pid in pids if is_running(pid)] == []
