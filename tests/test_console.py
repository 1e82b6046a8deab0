"""The programs of plugins: how they are named, and how they call themselves.

That they run is seen in `surfaces/cli/test_shipped`, out of a wheel.
"""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint

import pytest
from hypothesis import given, strategies as st

from trio_agent import console


@pytest.mark.parametrize("package", ["curator", "acme.curator", "annotations", "final", "_private"])
def test_an_entry_point_of_any_package_is_its_program(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def run_plugin(package: str) -> int:
        ran.append(package)
        return 7

    monkeypatch.setattr(console, "run_plugin", run_plugin)

    program = EntryPoint("x", f"trio_agent.console:{package}", "console_scripts").load()

    assert (program(), ran) == (7, [package])


def test_the_module_has_no_name_that_a_plugin_could_have_but_its_two() -> None:
    own = {name for name in vars(console) if not name.startswith("_")}

    assert own - sys.stdlib_module_names == {"run_plugin"}


def test_what_python_asks_of_a_module_is_no_plugin() -> None:
    for asked in (console, console.curator):
        assert not hasattr(asked, "__path__")
        assert not hasattr(asked, "__wrapped__")


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (["/usr/local/bin/curate"], "curate"),
        (["curate.exe"], "curate"),
        (["CURATE.EXE"], "CURATE"),
        (["/scripts/curate-script.py"], "curate"),
        (["/scripts/curate-script.pyw"], "curate"),
        (["tools/curate.py"], "curate.py"),
        (["/site-packages/curator/__main__.py"], "curator"),
        (["-c"], "curator"),
        (["-m"], "curator"),
        ([""], "curator"),
        ([], "curator"),
        (["/opt/my tool"], "curator"),
        (["/opt/to\nol"], "curator"),
        (["/opt/t\udcffol"], "curator"),
    ],
)
def test_a_program_has_the_name_that_can_be_typed_again(
    argv: list[str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", argv)

    assert console._called_by("curator") == name


@given(called=st.text(max_size=20))
def test_whatever_it_was_called_by_its_name_is_one_word(called: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [called])
        name = console._called_by("curator")

    assert name.isprintable()
    assert " " not in name
    assert name
