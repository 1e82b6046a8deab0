"""What the runner of the conformance suite calls a failure; the suite itself is not run here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import run
from trio_agent.routes.application import open_application


def write(folder: Path, scenario: str, *statuses: str) -> None:
    place = folder / f"server-{scenario}-2026-11-30T21-35-45-285Z"
    place.mkdir()
    checks = [
        {"id": f"check-{number}", "status": status, "errorMessage": "not so"}
        for number, status in enumerate(statuses)
    ]
    (place / "checks.json").write_text(json.dumps(checks), "utf-8")


def test_what_passed_is_counted(tmp_path: Path) -> None:
    write(tmp_path, "tools-list", "SUCCESS", "SUCCESS", "INFO")
    (outcome,) = run.read_outcomes(tmp_path)
    assert list(outcome.lines()) == ["  ok        tools-list: 2 passed"]
    assert run.tally([outcome]) == {"ok": 1, "checks passed": 2}


@pytest.mark.parametrize("status", ["FAILURE", "WARNING", "SKIPPED"])
def test_one_check_that_did_not_pass_fails_its_scenario(tmp_path: Path, status: str) -> None:
    write(tmp_path, "tools-list", "SUCCESS", status)
    (outcome,) = run.read_outcomes(tmp_path)
    assert outcome.is_failed
    assert list(outcome.lines()) == [
        "  FAILED    tools-list: 1 passed",
        f"            {status.lower()} check-1: not so",
    ]
    assert run.tally([outcome]) == {"failed": 1, "checks passed": 1}


def test_a_scenario_that_checked_nothing_is_failed(tmp_path: Path) -> None:
    write(tmp_path, "server-sse-polling", "INFO")
    assert [outcome.is_failed for outcome in run.read_outcomes(tmp_path)] == [True]


def test_what_is_left_out_says_why_and_is_not_counted(tmp_path: Path) -> None:
    write(tmp_path, "tasks-status-notifications", "FAILURE")
    (outcome,) = run.read_outcomes(tmp_path)
    assert list(outcome.lines()) == [
        "  left out  tasks-status-notifications: the suite itself skips it and checks nothing"
    ]
    assert run.tally([outcome]) == {"left out": 1}


def test_no_failure_is_expected() -> None:
    lines = (run.HERE / "expected-failures.yml").read_text("utf-8").splitlines()
    assert [line for line in lines if not line.startswith("#")] == ["server: []"]


def test_the_versions_of_the_suite_are_exact() -> None:
    package = json.loads((run.HERE / "package.json").read_text("utf-8"))
    assert all(version[-1].isdigit() for version in package["dependencies"].values())
    assert not any(mark in str(package) for mark in "^~*<>")
    assert {leg.package for leg in run.LEGS} < package["dependencies"].keys()


def test_nothing_is_wrong_with_the_plugin() -> None:
    assert open_application(run.HERE / "plugin").graph.diagnostics == ()
