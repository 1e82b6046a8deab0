import json

import pytest

from trio_agent.routes.plugin import PluginError
from trio_agent.surfaces.cli.complaint import (
    Complaint,
    MachineMode,
    signalled,
    stated_mode,
)
from trio_agent.surfaces.cli.usage_error import UsageError, UsageIssue


def usage_error() -> UsageError:
    issues = [
        UsageIssue(target="--n", expected="integer", received="x\udc80"),
        UsageIssue(target="<a>", expected="string", is_missing=True),
    ]
    return UsageError(issues, usage="Usage: x", hint="Run x --help")


def test_people_get_a_line_for_each_issue_then_the_usage_and_the_hint() -> None:
    (output,) = Complaint.of_input(usage_error()).outputs(None)

    assert output.stream == "stderr"
    assert output.text.splitlines()[1:] == [
        "<a>: expected string, received nothing",
        "Usage: x",
        "Run x --help",
    ]


def test_json_is_one_line_on_standard_error() -> None:
    (output,) = Complaint.of_input(usage_error()).outputs("json")

    assert (output.stream, output.text.count("\n")) == ("stderr", 1)
    error = json.loads(output.text)["error"]
    assert list(error) == ["code", "issues", "message", "usage"]
    assert error["code"] == "CLI_INPUT_INVALID"
    assert [issue["target"] for issue in error["issues"]] == ["--n", "<a>"]
    assert output.text.isascii()


def test_ndjson_is_one_event_on_standard_output() -> None:
    complaint = Complaint.of_error(PluginError("no such\nthing"), 1)
    (output,) = complaint.outputs("ndjson")

    assert output.stream == "stdout"
    assert json.loads(output.text) == {
        "type": "error",
        "sequence": 0,
        "error": {"code": "invalid-plugin", "message": "no such thing"},
    }
    assert complaint.exit_code == 1


def test_wrong_words_are_usage() -> None:
    complaint = Complaint.of_usage("no command 'x'", "Run y")

    assert complaint.exit_code == 2
    assert [output.text for output in complaint.outputs(None)] == [
        "trio-agent: no command 'x'\nRun y\n"
    ]


@pytest.mark.parametrize(
    ("words", "mode"),
    [
        ([], None),
        (["a", "--json"], "json"),
        (["--ndjson", "a"], "ndjson"),
        (["--json", "--ndjson"], None),
        (["--", "--json"], None),
        (["--json", "--", "--ndjson"], "json"),
    ],
)
def test_the_mode_is_known_before_the_words_are_read(
    words: list[str], mode: MachineMode | None
) -> None:
    assert stated_mode(words) == mode


def test_a_signal_is_reported_as_a_shell_does() -> None:
    assert [signalled(2), signalled(15)] == [130, 143]
