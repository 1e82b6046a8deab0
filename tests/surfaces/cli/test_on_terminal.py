"""`trio-agent` on a terminal: real processes on pseudo terminals, and what is on the screen."""

import json
import re
import signal
from pathlib import Path

import pyte
import pytest

from tests.surfaces.cli.plugins import need_pseudo_terminals, shown_demo
from tests.surfaces.cli.terminal import Watched, run, write_plugin

need_pseudo_terminals()


@pytest.fixture
def cwd(tmp_path: Path) -> Path:
    return shown_demo(tmp_path)


SHOW = ["run", "demo", "show"]


def finish(watched: Watched, cwd: Path) -> int:
    (cwd / "one").touch()
    (cwd / "go").touch()
    return watched.finish()


def without_spinner(lines: list[str]) -> list[str]:
    """Without what depends on the moment: the positions of the spinners, and the seconds."""
    still = [line[2:] if line[:2] in ("| ", "/ ", "- ", "\\ ") else line for line in lines]
    return [re.sub(r" \d+s$", " 0s", line) for line in still]


def test_a_terminal_shows_a_live_picture_then_the_document(cwd: Path) -> None:
    with Watched(SHOW, cwd=cwd) as watched:
        watched.wait_for("found")
        assert without_spinner(watched.lines) == [
            "Inspecting files 0s",
            "Working          [======>                 ]  1/4 0s",
            "hashing: 漢字 🎉 [=======>                ] 3/10",
            "found [red]x[/red] \\x1b[2J (7)",
        ]
        (cwd / "one").touch()
        watched.wait_for(lambda text: "Inspecting" not in text)
        assert watched.text.startswith("Working ")

        assert finish(watched, cwd) == 0
        assert watched.lines == [" " * 37 + "Title", "", "part one ✓", "", "part go worked"]


def test_the_picture_fits_into_twenty_columns(cwd: Path) -> None:
    with Watched(SHOW, cwd=cwd, columns=20) as watched:
        watched.wait_for("found")
        assert without_spinner(watched.lines) == [
            "Inspecting files",
            "Working 1/4",
            "hashing: 漢... 3/10",
            "found [red... (7)",
        ]
        assert finish(watched, cwd) == 0
        assert watched.lines == ["       Title", "", "part one ✓", "", "part go worked"]


def test_the_picture_is_never_taller_than_the_screen(cwd: Path) -> None:
    with Watched(SHOW, cwd=cwd, rows=3) as watched:
        watched.wait_for("... and 3 more")
        assert without_spinner(watched.lines) == ["Inspecting files 0s", "... and 3 more"]
        assert finish(watched, cwd) == 0
        assert "more" not in watched.text


def test_a_resize_is_followed(cwd: Path) -> None:
    with Watched(SHOW, cwd=cwd) as watched:
        watched.wait_for("found")
        watched.resize(30, 10)
        watched.wait_for(lambda text: "Working          1/4" in text or "Working 1/4" in text)
        watched.wait_for(lambda text: text.count("found") == 1 and text.count("Inspecting") == 1)
        watched.resize(100, 24)
        watched.wait_for("[======>                 ]  1/4")
        assert watched.text.count("Working") == 1
        assert finish(watched, cwd) == 0
        assert [line.strip() for line in watched.lines] == [
            "Title",
            "",
            "part one ✓",
            "",
            "part go worked",
        ]


def test_a_window_of_one_cell_shows_nothing_and_is_survived(cwd: Path) -> None:
    with Watched(SHOW, cwd=cwd) as watched:
        watched.wait_for("found")
        watched.resize(1, 1)
        watched.wait_for(lambda text: not text.strip())
        watched.resize(80, 24)
        watched.wait_for("[======>                 ]  1/4")
        assert watched.text.count("Working") == 1
        watched.resize(1, 24)
        assert finish(watched, cwd) == 0


def test_what_a_settled_boundary_reveals_is_indented(cwd: Path) -> None:
    with Watched(["run", "demo", "nested"], cwd=cwd) as watched:
        watched.wait_for("Beside")
        assert without_spinner(watched.lines) == ["Opening 0s", "Beside 0s"]
        (cwd / "one").touch()
        watched.wait_for("Reading b")
        shown = [re.sub(r"[-|/\\\\] |\d+s$", "", line) for line in watched.lines]
        assert shown == [
            "  Reading a ",
            "  Reading b [============>           ] 1/2 ",
            "Beside ",
        ]
        assert finish(watched, cwd) == 0
        assert watched.lines == ["outer", "", "a", "", "b", "", "c"]


def test_long_output_does_not_scroll_the_picture_away(cwd: Path) -> None:
    with Watched(["run", "demo", "chatty"], cwd=cwd, rows=8) as watched:
        watched.wait_for("line 199")
        assert watched.lines[:-1] == [f"line {number}" for number in range(193, 200)]
        assert without_spinner(watched.lines)[-1] == "Talking 0s"
        assert finish(watched, cwd) == 0
        assert watched.lines == [*(f"line {number}" for number in range(194, 200)), "all said"]
        assert watched.raw.count(b"all said") == 1


def test_an_error_of_a_boundary_stands_above_the_picture_at_once(cwd: Path) -> None:
    with Watched([*SHOW, "--bad"], cwd=cwd) as watched:
        watched.wait_for("found")
        (cwd / "bad").touch()
        watched.wait_for("[boundary] it [b]broke[/b]")
        watched.wait_for("Working")
        assert watched.lines[0] == "[boundary] it [b]broke[/b]"

        assert finish(watched, cwd) == 1
        assert "[boundary] it [b]broke[/b]" in watched.lines[-3]
        assert watched.lines[-1] == "part go worked"


def test_what_components_print_does_not_tear_the_picture(cwd: Path) -> None:
    with Watched(["run", "demo", "hello"], cwd=cwd) as watched:
        assert watched.finish() == 0
        assert watched.lines == [
            "printed while importing",
            "printed by a component",
            "hello **world**",
        ]


@pytest.mark.parametrize("settings", [{"CI": "1"}, {"CLAUDECODE": "1"}, {"TERM": "dumb"}])
def test_where_nobody_watches_nothing_is_repainted(cwd: Path, settings: dict[str, str]) -> None:
    with Watched(SHOW, cwd=cwd, settings=settings) as watched:
        assert finish(watched, cwd) == 0
        assert b"\x1b[J" not in watched.raw
        assert b"Inspecting" not in watched.raw
        assert watched.lines[-1] == "part go worked"
        assert "part one ✓" in watched.text


def test_where_nobody_watches_errors_of_boundaries_are_plain_lines(cwd: Path) -> None:
    (cwd / "go").touch()
    with Watched([*SHOW, "--bad"], cwd=cwd, settings={"CI": "1"}) as watched:
        (cwd / "bad").touch()
        assert watched.finish() == 1
        assert watched.text.count("[boundary] it [b]broke[/b]") == 2


def test_without_colour_the_document_has_no_escape_sequences(cwd: Path) -> None:
    with Watched(SHOW, cwd=cwd, settings={"CI": "1", "NO_COLOR": "1"}) as watched:
        assert finish(watched, cwd) == 0
        assert b"\x1b" not in watched.raw
    with Watched(SHOW, cwd=cwd, settings={"CI": "1", "FORCE_COLOR": "1"}) as watched:
        assert finish(watched, cwd) == 0
        assert b"\x1b[1mone\x1b[0m" in watched.raw


def test_a_pipe_is_silent_also_when_a_terminal_could_show_something(cwd: Path) -> None:
    with Watched(SHOW, cwd=cwd, piped_stdout=True) as watched:
        assert finish(watched, cwd) == 0
        assert watched.raw == b""
    assert watched.piped == run(SHOW, cwd=cwd).stdout


@pytest.mark.parametrize("mode", ["--json", "--ndjson"])
def test_machine_output_on_a_terminal_is_not_decorated(cwd: Path, mode: str) -> None:
    with Watched([*SHOW, mode], cwd=cwd, columns=1000) as watched:
        assert finish(watched, cwd) == 0
        assert b"\x1b" not in watched.raw
        for line in watched.raw.decode().splitlines():
            json.loads(line)


def test_data_is_the_same_line_on_a_terminal_as_in_a_pipe(cwd: Path) -> None:
    words = ["run", "demo", "exact", "7", "--tags", "b\x1b[2J", "--tags", "a"]
    with Watched(words, cwd=cwd, columns=100) as watched:
        assert watched.finish() == 0
        assert watched.lines == [r'{"number":7,"tags":["b\u001b[2J","a"]}']
    with Watched(["run", "demo", "hello", "--name", "\x1b[2J"], cwd=cwd) as watched:
        assert watched.finish() == 0
        assert watched.lines[-1] == r"hello **\x1b[2J**"


def test_a_failed_invocation_leaves_one_line(cwd: Path) -> None:
    with Watched(["run", "demo", "broken"], cwd=cwd) as watched:
        assert watched.finish() == 1
        assert watched.lines == ["[render-failed] it \\x1b[31mbroke"]


def test_ctrl_c_cleans_up_and_leaves_no_picture(cwd: Path) -> None:
    with Watched(["run", "demo", "patient"], cwd=cwd) as watched:
        watched.wait_for("Waiting")
        watched.type(b"\x03")
        assert watched.finish() == 130
        # The terminal itself echoes the keys where the cursor is: they go with the picture.
        assert watched.lines == ["Interrupted."]
        assert not watched.screen.cursor.hidden
    assert (cwd / "cleaned").exists()


@pytest.mark.parametrize(
    ("words", "settings"),
    [(["patient", "--json"], {}), (["patient"], {"CI": "1"})],
)
def test_ctrl_c_without_a_picture_ends_with_a_line_of_its_own(
    cwd: Path, words: list[str], settings: dict[str, str]
) -> None:
    with Watched(["run", "demo", *words], cwd=cwd, settings=settings) as watched:
        watched.follow_until((cwd / "started").exists)
        watched.type(b"\x03")
        assert watched.finish() == 130
        assert watched.lines == ["^C", "Interrupted."]


def test_ctrl_c_while_a_module_is_imported_ends_with_a_line_of_its_own(tmp_path: Path) -> None:
    text = "import pathlib, time\nfrom trio_agent import command\npathlib.Path('on').touch()\n"
    write_plugin(
        tmp_path,
        {
            "slow": text
            + "time.sleep(60)\n@command(description='-')\nasync def slow() -> None: ...\n"
        },
    )
    with Watched(["run", "demo", "slow"], cwd=tmp_path) as watched:
        watched.follow_until((tmp_path / "on").exists)
        watched.type(b"\x03")
        assert watched.finish() == 130
        assert watched.lines == ["^C", "Interrupted."]


@pytest.mark.parametrize("columns", [20, 80])
def test_a_command_that_shows_nothing_yet_is_named(cwd: Path, columns: int) -> None:
    with Watched(["run", "demo", "asleep"], cwd=cwd, columns=columns) as watched:
        watched.wait_for("asleep")
        assert without_spinner(watched.lines) == ["asleep" + (" 0s" if columns > 24 else "")]
        (cwd / "go").touch()
        assert watched.finish() == 0
        assert watched.text.strip() == "7"


def test_sigterm_on_a_terminal(cwd: Path) -> None:
    with Watched(["run", "demo", "patient"], cwd=cwd) as watched:
        watched.wait_for("Waiting")
        watched.send(signal.SIGTERM)
        assert watched.finish() == 143
        assert watched.lines == ["Terminated."]


def test_a_second_ctrl_c_does_not_wait_for_a_cleanup(cwd: Path) -> None:
    with Watched(["run", "demo", "patient", "--stubborn"], cwd=cwd) as watched:
        watched.wait_for("Waiting")
        watched.type(b"\x03")
        watched.wait_for(lambda _: (cwd / "cleaned").exists())
        watched.type(b"\x03")
        assert watched.finish() == 130
        assert "Waiting" not in watched.text
        assert not watched.screen.cursor.hidden


def test_ctrl_z_takes_the_picture_away_and_fg_brings_it_back(cwd: Path) -> None:
    shell = '"$@"; echo stopped; read line; fg > jobs.txt'
    with Watched(["run", "demo", "patient"], cwd=cwd, shell=shell) as watched:
        watched.wait_for("Waiting")
        watched.type(b"\x1a")
        watched.wait_for("stopped")
        assert "Waiting" not in watched.text
        assert not watched.screen.cursor.hidden
        assert pyte.modes.DECAWM in watched.screen.mode

        watched.type(b"typed\n")
        watched.wait_for("Waiting")
        assert "stopped" in watched.text
        assert "typed" in watched.text
        watched.type(b"\x03")
        assert watched.finish() == 130
        assert watched.lines[-1] == "Interrupted."


def test_nothing_is_painted_from_the_background(cwd: Path) -> None:
    shell = '"$@" & touch went; wait; echo over'
    with Watched(SHOW, cwd=cwd, shell=shell) as watched:
        watched.follow_until((cwd / "went").exists)
        assert finish(watched, cwd) == 0
        assert "part one" in watched.text
        assert "Inspecting" not in watched.raw.decode()


def test_ctrl_s_does_not_keep_it_from_ending(cwd: Path) -> None:
    with Watched(["run", "demo", "patient"], cwd=cwd) as watched:
        watched.wait_for("Waiting")
        watched.type(b"\x13")
        watched.send(signal.SIGTERM)
        assert watched.process.wait(30) == 143


def test_where_there_is_no_utf_8_the_picture_and_the_document_are_escaped(cwd: Path) -> None:
    settings = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    with Watched(SHOW, cwd=cwd, settings=settings) as watched:
        watched.wait_for("found")
        assert "hashing: \\u6f22" in watched.text
        assert finish(watched, cwd) == 0
        assert "part one \\u2713" in watched.text
        assert all(byte < 0x80 for byte in watched.raw)


def test_a_component_knows_the_terminal(cwd: Path) -> None:
    with Watched(["run", "demo", "terminal", "--json"], cwd=cwd, columns=1000) as watched:
        assert watched.finish() == 0
        axis = json.loads(watched.raw)
    assert axis["value"]["stdout"]["columns"] == 1000
    assert axis["value"]["sharesTarget"] is True
