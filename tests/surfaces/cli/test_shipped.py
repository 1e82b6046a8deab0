"""A plugin's own program, out of a wheel, in an environment that has never seen its source."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.surfaces.cli.shipping import PROJECT, Installed, ship, write_project


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("shipped")
    return ship(folder, write_project(folder / "project", PROJECT))


def test_help_is_about_the_plugin_and_its_version_is_the_wheels(installed: Installed) -> None:
    done = installed.run("greeter")

    text = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert text.startswith("Greeter 1.4.0\n")
    assert "Usage: greeter <command>" in text
    assert "Greet somebody." in text
    assert "trio-agent" not in text
    assert installed.run("greeter", "--version").stdout == b"Greeter 1.4.0\n"


@pytest.mark.parametrize(
    "words",
    [
        ["greet", "--help"],
        ["show"],
        ["gret", "Ada"],
        ["greet", "Ada", "--times=x", "--json"],
        ["hi", "Ada", "--json"],
        ["judge", "7"],
    ],
    ids=" ".join,
)
def test_the_two_ways_to_start_differ_in_their_name_only(
    installed: Installed, words: list[str]
) -> None:
    own = installed.run("greeter", *words)
    ours = installed.run("python", "-P", "-m", "trio_agent", "run", "greeter", *words)

    def named(text: bytes) -> bytes:
        # Help wraps its lines by the length of what is in them; these fit either way.  And only a
        # program of its own is what a shell completes.
        text = re.sub(rb"  --completion <shell>.*\n", b"", text)
        text = re.sub(rb"  (-h, --help|--version) +", rb"  \1 ", text)
        return text.replace(b"trio-agent run greeter", b"greeter").replace(
            b"trio-agent:", b"greeter:"
        )

    assert own.returncode == ours.returncode
    assert named(own.stdout) == named(ours.stdout)
    assert own.stderr == named(ours.stderr)
    assert b"Traceback" not in own.stderr


def test_a_command_finds_the_files_of_the_wheel(installed: Installed) -> None:
    done = installed.run("greeter", "greet", "Ada")

    assert (done.returncode, done.stdout) == (0, b"Good morning, **Ada**.\n")
    assert done.stderr == b"printed by a component\n"
    events = installed.run("greeter", "greet", "Ada", "--ndjson").stdout.splitlines()
    assert [json.loads(event)["type"] for event in events] == ["shell", "complete"]


def test_a_complaint_names_the_program_and_a_hint_can_be_typed(installed: Installed) -> None:
    done = installed.run("greeter", "gret")

    assert (done.returncode, done.stdout) == (2, b"")
    first, hint = done.stderr.decode().splitlines()
    assert first.startswith("greeter: there is no command 'gret'")
    assert first.endswith("did you mean greet?")
    assert hint == "Run `greeter --help` for help."


def test_a_dotted_package_without_any_init_has_a_program_too(installed: Installed) -> None:
    done = installed.run("say-politely", "thank", "--json")

    assert (done.returncode, done.stdout, done.stderr) == (0, b'"Thank you."\n', b"")
    assert installed.run("say-politely", "--version").stdout == b"polite.phrases 1.4.0\n"


def test_a_package_may_be_run_as_a_module(installed: Installed) -> None:
    done = installed.run("python", "-m", "greeter", "judge", "3", "--json")
    assert (done.returncode, done.stdout) == (3, b'{"exitCode":3}\n')

    complaint = installed.run("python", "-m", "greeter", "judge", "x")
    assert complaint.returncode == 2
    assert b"Usage: greeter judge <code>" in complaint.stderr


def test_a_program_without_its_package_says_so_in_one_line(installed: Installed) -> None:
    done = installed.run("lost", "--help")

    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr == (
        b"lost: there is no plugin 'no_such_plugin': neither a folder nor a package on the path"
        b" of this interpreter\n"
    )


def test_a_folder_of_the_plugins_name_in_the_working_directory_is_not_it(
    installed: Installed,
) -> None:
    folder = installed.elsewhere / "greeter"
    folder.mkdir()
    try:
        assert installed.run("greeter", "--version").stdout == b"Greeter 1.4.0\n"
    finally:
        folder.rmdir()


# ------------------------------------------------------------------------------ .env files


@pytest.fixture
def dotenv(installed: Installed) -> Path:
    """The file beside the plugin, which nobody has written yet."""
    path = installed.packages / "greeter" / ".env"
    assert not path.exists()
    return path


SETTING = ("greeter", "show", "setting", "--json")


@pytest.mark.parametrize(
    ("settings", "seen"),
    [
        pytest.param({}, "from-env", id="the file beside the plugin"),
        pytest.param({"GREETING_TOKEN": "exported"}, "exported", id="what was exported wins"),
        pytest.param({"TRIO_AGENT_ENV_FILE": "none"}, None, id="none reads none"),
        pytest.param({"TRIO_AGENT_ENV_FILE": "other.env"}, "other", id="another file instead"),
    ],
)
def test_a_command_has_the_operators_environment_from_its_import_on(
    installed: Installed, dotenv: Path, settings: dict[str, str], seen: str | None
) -> None:
    (installed.elsewhere / "other.env").write_text("GREETING_TOKEN=other", encoding="utf-8")
    dotenv.write_text("GREETING_TOKEN=from-env\n", encoding="utf-8")
    try:
        done = installed.run(*SETTING, settings=settings)
    finally:
        dotenv.unlink()

    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, [seen, seen], b"")


def test_the_local_file_is_the_stronger_one(installed: Installed, dotenv: Path) -> None:
    local = dotenv.with_name(".env.local")
    dotenv.write_text("GREETING_TOKEN=weak\n", encoding="utf-8")
    local.write_text("GREETING_TOKEN=strong\n", encoding="utf-8")
    try:
        done = installed.run(*SETTING)
    finally:
        dotenv.unlink()
        local.unlink()

    assert json.loads(done.stdout) == ["strong", "strong"]


def test_a_named_file_that_is_not_there_is_a_warning(installed: Installed) -> None:
    done = installed.run(*SETTING, settings={"TRIO_AGENT_ENV_FILE": "missing.env"})

    assert (done.returncode, json.loads(done.stdout)) == (0, [None, None])
    assert done.stderr == b"greeter: missing.env is not read: there is no such file\n"


def test_a_line_that_cannot_be_read_is_named_and_never_shown(
    installed: Installed, dotenv: Path
) -> None:
    dotenv.write_text("GREETING_TOKEN=s3cret-1\nwhat is s3cret-2\n", encoding="utf-8")
    try:
        done = installed.run("greeter", "greet", "Ada", settings={"TRIO_AGENT_DEBUG": "1"})
        help_of_all = installed.run("greeter", "--help")
    finally:
        dotenv.unlink()

    assert done.returncode == 0
    assert f"{dotenv}:2: expected NAME=VALUE" in done.stderr.decode()
    assert b"s3cret" not in done.stdout + done.stderr
    # Help imports nothing of the plugin's, so it reads nothing for it either.
    assert help_of_all.stderr == b""
