"""The operator's environment: which files, which value wins, and what is never said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from trio_agent.context.env_names import ENV_FILE
from trio_agent.context.launch_env import (
    MOST_BYTES,
    apply_operator_env,
    decide_env,
    env_file_paths,
)

SECRET = "hunter2"


def apply(
    root: Path, environ: dict[str, str], declared: dict[str, str] | None = None
) -> dict[str, str]:
    apply_operator_env(str(root), declared=declared, environ=environ)
    return environ


def test_the_files_beside_the_plugin_are_read_and_the_local_one_wins(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\nB=1\nC=1", encoding="utf-8")
    (tmp_path / ".env.local").write_text("B=2\nC=2", encoding="utf-8")
    assert apply(tmp_path, {"C": "3"}, {"A": "0", "D": "0"}) == {
        "A": "1",
        "B": "2",
        "C": "3",
        "D": "0",
    }


def test_files_that_are_not_there_are_nothing_to_speak_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert apply(tmp_path, {"A": "1"}) == {"A": "1"}
    assert caplog.text == ""


def test_surfaces_case_067_none_reads_no_files(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1", encoding="utf-8")
    assert apply(tmp_path, {ENV_FILE: "none"}) == {ENV_FILE: "none"}
    assert apply(tmp_path, {ENV_FILE: " "})["A"] == "1"


def test_named_files_replace_the_two_and_the_last_wins(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ".env").write_text("A=1\nZ=1", encoding="utf-8")
    for name in "xy":
        (tmp_path / name).write_text(f"A={name}\n{name}=1", encoding="utf-8")
    paths = [str(tmp_path / name) for name in ("x", "y", "missing")]
    environ = apply(tmp_path, {ENV_FILE: os.pathsep.join([*paths, ""])})
    del environ[ENV_FILE]
    assert environ == {"A": "y", "x": "1", "y": "1"}
    assert caplog.messages == [f"{paths[2]} is not read: there is no such file"]


def test_a_caller_may_name_the_files_or_none(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1", encoding="utf-8")
    (tmp_path / "mine").write_text("B=1", encoding="utf-8")
    environ = {ENV_FILE: str(tmp_path / ".env")}
    apply_operator_env(str(tmp_path), files=[], environ=environ)
    assert "A" not in environ
    found = apply_operator_env(str(tmp_path), files=[str(tmp_path / "mine")], environ=environ)
    assert environ["B"] == "1"
    assert [file.path for file in found] == [str(tmp_path / "mine")]


def test_the_environment_of_the_process_is_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRIO_AGENT_TEST", raising=False)
    monkeypatch.delenv(ENV_FILE, raising=False)
    (tmp_path / ".env").write_text("TRIO_AGENT_TEST=1", encoding="utf-8")
    apply_operator_env(str(tmp_path))
    assert os.environ["TRIO_AGENT_TEST"] == "1"
    monkeypatch.delenv("TRIO_AGENT_TEST")


def test_what_cannot_be_read_is_skipped_and_no_value_is_ever_shown(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    texts = {
        "odd": f"A='{SECRET}\nB=1\n{SECRET}".encode(),
        "latin": f"A={SECRET}é".encode("latin-1"),
        "huge": b"A=" + b"x" * MOST_BYTES,
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)
    (tmp_path / "folder").mkdir()
    (tmp_path / "good").write_text(f"GOOD={SECRET}", encoding="utf-8")
    names = [*texts, "folder", "good", "\0", "odd/x"]
    environ: dict[str, str] = {}
    found = apply_operator_env(
        str(tmp_path), files=[str(tmp_path / name) for name in names], environ=environ
    )
    assert environ == {"B": "1", "GOOD": SECRET}
    assert [warning.replace(str(tmp_path) + os.sep, "") for warning in caplog.messages] == [
        "odd:1: expected NAME=VALUE",
        "odd:3: expected NAME=VALUE",
        "latin is not read: it is not UTF-8",
        f"huge is not read: it is larger than {MOST_BYTES} bytes",
        "folder is not read: it is no regular file",
        "\0 is not read: embedded null byte",
        "odd/x is not read: Not a directory",
    ]
    assert SECRET not in caplog.text
    assert SECRET not in repr(found)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    os.mkfifo(tmp_path / ".env")
    assert apply(tmp_path, {}) == {}
    assert caplog.messages == [f"{tmp_path / '.env'} is not read: it is no regular file"]


def test_what_the_host_passed_through_is_no_export() -> None:
    declared = {"A": "default"}
    assert decide_env(declared, [{"A": "file"}], {"A": "default"}) == {"A": "file"}
    assert decide_env(declared, [{"A": "file"}], {"A": "exported"}) == {}
    assert decide_env(declared, [{"A": "file"}], {"A": ""}) == {}
    assert decide_env(declared, [], {}) == {"A": "default"}


def test_a_value_that_the_host_fills_in_is_always_kept() -> None:
    declared = {"A": "${CLAUDE_PLUGIN_ROOT}/bin"}
    assert decide_env(declared, [{"A": "file"}], {"A": "/installs/bin"}) == {}
    assert decide_env(declared, [{"A": "file"}], dict(declared)) == {}
    assert decide_env(declared, [], {}) == {}
    assert decide_env(declared, [{"A": "file"}], {}) == {"A": "file"}


layers = st.dictionaries(st.sampled_from("ABC"), st.sampled_from("12"))


@given(layers, st.lists(layers, max_size=3), layers)
def test_the_strongest_layer_that_says_something_wins(
    declared: dict[str, str], files: list[dict[str, str]], environ: dict[str, str]
) -> None:
    changed = {**environ, **decide_env(declared, files, environ)}
    for name in "ABC":
        exported = {} if environ.get(name) == declared.get(name) else environ
        said = [layer[name] for layer in (declared, *files, exported) if name in layer]
        assert changed.get(name) == (said[-1] if said else None)


def test_a_variable_of_blanks_names_no_file() -> None:
    assert env_file_paths("/p", {ENV_FILE: "  "}) == env_file_paths("/p", {})
    assert env_file_paths("/p", {ENV_FILE: " none "}) == ((), True)
