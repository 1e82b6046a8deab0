"""What the words after `trio-agent script` mean, and whose each of them is."""

import inspect
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, strategies as st

from tests.surfaces.cli.scripts import SCRIPTS, demo
from trio_agent.routes.plugin import PluginError
from trio_agent.surfaces.cli import shell
from trio_agent.surfaces.cli.call import Call
from trio_agent.surfaces.cli.complaint import Complaint
from trio_agent.surfaces.cli.plugin_words import MAX_LISTED
from trio_agent.surfaces.cli.scripts.preparing import split_words
from trio_agent.surfaces.cli.scripts.program import Main, arguments_of
from trio_agent.surfaces.cli.scripts.shell import become, read_interpreter, shell_command
from trio_agent.surfaces.cli.scripts.words import decide_script


@pytest.fixture
def plugin(tmp_path: Path) -> str:
    return str(demo(tmp_path) / "demo")


def refused(*words: str) -> Complaint:
    decision = decide_script(words, 80)
    assert isinstance(decision, Complaint)
    return decision


# ------------------------------------------------------------------------------ before the name


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"]])
def test_without_a_name_the_scripts_are_listed(plugin: str, words: list[str]) -> None:
    text = decide_script([plugin, *words], 80)

    assert isinstance(text, str)
    assert text.startswith("Start a script of a plugin, or list its scripts.\n\nUsage: ")
    listed = text.partition("\nScripts:\n")[2]
    assert "  main           Called.\n" in listed
    assert "  say            Say words.\n" in listed
    assert "  shell          Say what it was given.\n" in listed
    assert "  lost\n" in listed


def test_help_before_the_plugin_lists_none() -> None:
    text = decide_script(["--help"], 80)
    assert isinstance(text, str)
    assert "Usage: trio-agent script <plugin> [name] [word...] [options]\n" in text
    assert "Scripts:" not in text


def test_the_program_tells_of_scripts() -> None:
    text = shell.decide([], 80)
    assert isinstance(text, str)
    assert "  script    Start a script of a plugin, or list its scripts.\n" in text
    complaint = shell.decide(["scirpt"], 80)
    assert isinstance(complaint, Complaint)
    assert "did you mean script?" in complaint.lines[0]


@pytest.mark.parametrize("words", [["script", "--help"], ("script", "--help")])
def test_the_word_is_known_whatever_it_comes_in(
    words: Sequence[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert shell.main(words) == 0
    assert capfd.readouterr().out.startswith("Start a script of a plugin")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "<plugin>: expected a folder or the name of a package, received nothing"),
        (["--json"], "<plugin>: expected a folder or the name of a package, received --json"),
        (["./nowhere"], "the folder does not exist"),
    ],
)
def test_a_plugin_is_wanted(words: list[str], message: str) -> None:
    complaint = refused(*words)
    assert message in complaint.lines[0]
    assert complaint.exit_code == 2


def test_a_name_that_nobody_has_is_refused_with_those_that_there_are(plugin: str) -> None:
    complaint = refused(plugin, "mian", "--help")
    where = f"`trio-agent script {plugin} --help`"

    assert complaint.exit_code == 2
    first, why, last = complaint.lines
    assert why.startswith("scripts/odd.py:4:21: TA4805 ")
    assert first.startswith("trio-agent: there is no script 'mian' (")
    assert first.endswith(f" lists {len(SCRIPTS)}), did you mean main?")
    assert last == f"Run {where} for help."
    assert (
        refused(plugin, "--version").lines[0].endswith(f"lists {len(SCRIPTS)}), received --version")
    )


def test_few_scripts_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "few" / "scripts"
    folder.mkdir(parents=True)
    for number in range(MAX_LISTED):
        (folder / f"s{number:02}.sh").touch()
    (folder / "a b.sh").touch()
    names = ", ".join(f"s{number:02}" for number in range(MAX_LISTED))

    first, why, _ = refused(str(folder.parent), "x").lines
    assert first == f"trio-agent: there is no script 'x' ({names})"
    assert why.startswith("scripts/a b.sh:1:1: TA4803 ")


def test_a_plugin_without_scripts_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    root = str(tmp_path / "empty")

    for words in ([], ["--help"], ["x"]):
        complaint = refused(root, *words)
        expected = "<plugin>: expected a folder with scripts below scripts/"
        assert complaint.lines == (f"trio-agent: {expected}, received {root}, which has none",)
        assert complaint.exit_code == 2


def test_a_plugin_that_cannot_be_read_is_a_failure_and_no_wrong_word(plugin: str) -> None:
    (Path(plugin) / "plugin.toml").write_text("nonsense", encoding="utf-8")
    assert refused(plugin, "say").exit_code == 1


def test_a_script_in_error_says_what_is_wrong(plugin: str) -> None:
    complaint = refused(plugin, "odd")
    assert complaint.exit_code == 1
    assert f"{plugin}/scripts/odd.py:4:21: TA4805 description is a string" in complaint.lines[0]


def test_every_word_after_the_name_is_kept(plugin: str) -> None:
    call = decide_script([plugin, "say", "--help", "--", "-h", "say"], 80)

    assert isinstance(call, Call)
    assert call.words == f"trio-agent script {plugin} say"
    assert call.argv == ["--help", "--", "-h", "say"]
    assert "demo.scripts.say" not in sys.modules


# ------------------------------------------------------------------------------ after the name

WORDS = st.sampled_from(["--json", "--ndjson", "--", "-h", "--help", "a", "", "--json=1"])


@given(words=st.lists(WORDS | st.text()))
def test_a_word_is_ours_exactly_if_it_is_a_mode_before_the_dashes(words: list[str]) -> None:
    argv, modes = split_words(words)
    end = words.index("--") if "--" in words else len(words)

    ours = [word for word in words[:end] if word in {"--json", "--ndjson"}]
    assert modes == {word.removeprefix("--") for word in ours}
    assert argv == [word for word in words[:end] if word not in ours] + words[end:]


@given(words=st.lists(st.text().filter(lambda word: word not in {"--json", "--ndjson"})))
def test_words_that_are_not_reserved_are_left_alone(words: list[str]) -> None:
    assert split_words(words) == (words, frozenset())
    assert split_words(["--", *words]) == (["--", *words], frozenset())


# ------------------------------------------------------------------------------ main

OFFERED = {"argv": lambda: ["a"], "terminal": lambda: 1}


def taking(signature: str) -> Main:
    """A function of these parameters."""
    return cast("Main", eval(f"lambda {signature}: None"))


@pytest.mark.parametrize(
    ("signature", "taken"),
    [
        ("", {}),
        ("argv", {"argv": ["a"]}),
        ("terminal, argv=None", {"argv": ["a"], "terminal": 1}),
        ("*, terminal", {"terminal": 1}),
        ("*argv, **terminal", {}),
        ("other=None, *more, **rest", {}),
        ("argv=None, /", {}),
    ],
)
def test_main_gets_what_it_names(signature: str, taken: Mapping[str, object]) -> None:
    assert arguments_of(taking(signature), OFFERED) == taken


@pytest.mark.parametrize("signature", ["depth", "argv, /", "argv, *, depth"])
def test_main_cannot_have_anything_else(signature: str) -> None:
    with pytest.raises(PluginError, match="main takes by name argv and terminal, each if"):
        arguments_of(taking(signature), OFFERED)


@given(
    names=st.lists(st.sampled_from(["argv", "terminal", "depth"]), unique=True),
    defaults=st.integers(0, 3),
)
def test_main_is_called_or_refused_by_what_it_requires(names: Sequence[str], defaults: int) -> None:
    required = names[: len(names) - defaults] if defaults < len(names) else []
    signature = ", ".join(name if name in required else f"{name}=None" for name in names)
    main = taking(signature)

    if "depth" in required:
        with pytest.raises(PluginError):
            arguments_of(main, OFFERED)
    else:
        arguments = arguments_of(main, OFFERED)
        assert {*arguments} == {*names} - {"depth"}
        inspect.signature(main).bind(**arguments)


# ------------------------------------------------------------------------------ shells


def at(*known: str) -> "dict[str, str]":
    return {name: f"/bin/{name}" for name in known}


@pytest.mark.parametrize(
    ("path", "interpreted", "shells", "command"),
    [
        ("/x.sh", "#!/bin/dash", at("bash"), ["/x.sh"]),
        ("/x.sh", None, at("bash", "sh"), ["/bin/bash", "/x.sh"]),
        ("/x.sh", None, at("sh"), ["/bin/sh", "/x.sh"]),
        ("/x.sh", None, at(), None),
        ("/x.bash", None, at("bash", "sh"), ["/bin/bash", "/x.bash"]),
        ("/x.bash", None, at("sh"), None),
    ],
)
def test_a_shell_script_is_given_to_a_shell_that_can_read_it(
    path: str, interpreted: str | None, shells: Mapping[str, str], command: list[str] | None
) -> None:
    assert shell_command(path, interpreted, shells.get) == command


@pytest.fixture
def no_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("name", "wanted"), [("x.sh", "bash or sh"), ("x.bash", "bash")])
def test_without_a_shell_that_is_said(no_path: Path, name: str, wanted: str) -> None:
    file = no_path / name
    file.touch()
    assert become(str(file), ()) == f"{file}: there is no {wanted} on the PATH to run it with"


def test_only_a_first_line_names_an_interpreter(tmp_path: Path) -> None:
    file = tmp_path / "x.sh"
    for content, expected in (
        (b"#!/bin/sh -e\necho", "#!/bin/sh -e"),
        (b"\n#!/bin/sh", None),
        (b"", None),
        (b"#!" + b"x" * 999, "#!" + "x" * 254),
    ):
        file.write_bytes(content)
        assert read_interpreter(str(file)) == expected
    assert read_interpreter(str(tmp_path / "none")) is None
