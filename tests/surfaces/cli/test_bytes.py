"""What is written, byte by byte, whatever the encoding, the data and the terminal beside it."""

import json
from pathlib import Path

import pytest

from tests.surfaces.cli.hostile import obeyed
from tests.surfaces.cli.plugins import demo, need_pseudo_terminals
from tests.surfaces.cli.terminal import Watched, run

need_pseudo_terminals()

ENCODINGS = ["utf-8", "cp1252", "ascii"]


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    return demo(tmp_path)


def on_terminal(cwd: Path, words: list[str], encoding: str) -> str:
    """Everything that was written to a terminal that nothing is painted on."""
    settings = {"PYTHONIOENCODING": encoding, "CI": "1"}
    with Watched(["run", "demo", *words], cwd=cwd, columns=60, settings=settings) as watched:
        watched.finish()
        return watched.raw.replace(b"\r\n", b"\n").decode(encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_terminal_shows_hostile_data_in_any_encoding(cwd: Path, encoding: str) -> None:
    shown = on_terminal(cwd, ["hostile"], encoding)

    # What a component prints is its own; ours comes after it.
    _, _, ours = shown.partition("[odd]")
    assert obeyed(ours) == []
    assert "[red]x[/red] [/x] :smile: \\x1b[2J" in ours
    assert "\\u202e" in ours
    assert ("漢字 🎉 ┏━┓" in ours) == (encoding == "utf-8")
    assert ("\\u6f22\\u5b57" in ours) == (encoding != "utf-8")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_help_and_failures_show_hostile_data_too(cwd: Path, encoding: str) -> None:
    assert obeyed(on_terminal(cwd, ["hostile", "--help"], encoding)) == []
    _, _, failure = on_terminal(cwd, ["hostile", "--fail"], encoding).rpartition("[odd]")
    assert obeyed(failure) == []
    assert "\\x1b[2J" in failure


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("mode", ["--json", "--ndjson"])
def test_json_is_json_in_any_encoding(cwd: Path, encoding: str, mode: str) -> None:
    done = run(["run", "demo", "hostile", mode], cwd=cwd, settings={"PYTHONIOENCODING": encoding})

    assert done.returncode == 1
    assert encoding == "utf-8" or done.stdout.isascii()
    for line in done.stdout.decode("utf-8").splitlines():
        json.loads(line)
    if mode == "--ndjson":
        assert "漢字" in json.dumps(json.loads(done.stdout.splitlines()[-1]), ensure_ascii=False)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_pipe_gets_the_bytes_of_the_author(cwd: Path, encoding: str) -> None:
    done = run(["run", "demo", "hostile"], cwd=cwd, settings={"PYTHONIOENCODING": encoding})
    text = done.stdout.decode(encoding)

    assert "[red]x[/red] [/x] :smile: \x1b[2J" in text
    assert ("漢字 🎉 ┏━┓" in text) == (encoding == "utf-8")


@pytest.mark.parametrize("mode", [[], ["--json"], ["--ndjson"]])
@pytest.mark.parametrize("command", ["gallery", "hello", "broken"])
def test_a_pipe_is_the_same_with_and_without_a_terminal_beside_it(
    cwd: Path, command: str, mode: list[str]
) -> None:
    words = ["run", "demo", command, *mode]
    alone = run(words, cwd=cwd)
    with Watched(words, cwd=cwd, piped_stdout=True) as watched:
        assert watched.finish() == alone.returncode
        assert watched.piped == alone.stdout
        shown = alone.stderr.replace(b"\x1b", b"\\x1b")
        assert watched.raw.replace(b"\r\n", b"\n") == shown
