"""Programs that say something instead of serving, on streams that cannot be written."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

MILL = str(Path(__file__).parent / "plugins" / "mill")
LIST = ["mcp", "list", MILL]
HELP = [["mcp", "--help"], ["serve", "--help"], ["serve", "--version"]]


def finish(words: list[str], redirection: str) -> tuple[int, bytes, bytes]:
    """Exit code and both streams of `trio-agent WORDS`, with its streams as a shell would have them."""
    command = [sys.executable, "-P", "-m", "trio_agent", *words]
    done = subprocess.run(
        ["sh", "-c", f"exec {shlex.join(command)} {redirection}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        # Python writes what is left in its buffers at its end, unless it has none.
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
        timeout=30,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("words", [LIST, [*LIST, "--json"], *HELP], ids=shlex.join)
@pytest.mark.parametrize(
    ("redirection", "why"), [(">/dev/full", "No space left on device"), (">&-", "it is closed")]
)
def test_an_output_that_cannot_be_written_is_one_clear_line(
    words: list[str], redirection: str, why: str
) -> None:
    code, _, said = finish(words, redirection)
    assert (code, said.decode()) == (1, f"trio-agent: cannot write to standard output: {why}\n")


@pytest.mark.parametrize("words", [LIST, *HELP], ids=shlex.join)
def test_a_reader_that_left_is_no_error(words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-P", "-m", "trio_agent", *words]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, timeout=30, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_mistakes_that_nobody_can_be_told_have_their_exit_codes(redirection: str) -> None:
    for words, code in (
        (["mcp", "nothing"], 2),
        (["serve"], 2),
        (["serve", "./no/such/folder"], 1),
    ):
        assert finish(words, redirection) == (code, b"", b""), words


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_a_list_needs_no_standard_error(redirection: str) -> None:
    code, stdout, _ = finish(LIST, redirection)
    assert code == 0
    assert b"mill" in stdout
