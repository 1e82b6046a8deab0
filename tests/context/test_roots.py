"""Plugin root and state root, from the environment; numbers are cases of the reference."""

from __future__ import annotations

import os
from pathlib import Path

import attrs
import pytest
from hypothesis import given, strategies as st

from trio_agent.context.observed import Available, PluginRoot
from trio_agent.context.roots import Roots, find_roots

HOME, CWD, FALLBACK = (os.path.abspath(path) for path in ("/home/me", "/work", "/dev/curator"))
DIGEST = "[0-9a-f]{16}"


def find(environ: dict[str, str], **more: object) -> Roots:
    given = {"fallback": FALLBACK, "cwd": CWD, "home": HOME, "resolve": lambda path: path, **more}
    return find_roots(environ, **given)  # type: ignore[arg-type]  # see the tests


def test_case_151_the_root_of_the_environment_is_native_and_state_follows_from_it() -> None:
    root = os.path.abspath("/installs/curator")
    roots = find({"TRIO_AGENT_PLUGIN_ROOT": root}, anchor="root")
    assert roots == Roots(
        root=root,
        state_root=os.path.join(root, "state"),
        source="native",
        state_source="derived",
    )
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        roots.root = "x"  # type: ignore[misc]  # what is tested
    assert roots.axis == Available(
        source="native", value=PluginRoot(root=root, state_root=roots.state_root)
    )


def test_case_152_a_path_is_taken_as_it_is_written_and_made_absolute() -> None:
    spaced = os.path.abspath("/opt/curator") + " "
    assert find({"TRIO_AGENT_PLUGIN_ROOT": spaced}).root == spaced
    here = find({"TRIO_AGENT_PLUGIN_ROOT": "./"})
    assert (here.root, here.source) == (CWD, "native")
    assert find({"TRIO_AGENT_PLUGIN_ROOT": "a "}).root == os.path.join(CWD, "a ")


def test_without_a_variable_the_fallback_is_derived_and_silent() -> None:
    for environ in ({}, {"TRIO_AGENT_PLUGIN_ROOT": ""}, {"TRIO_AGENT_PLUGIN_ROOT": " \t"}):
        roots = find(environ)
        assert (roots.root, roots.source, roots.warnings) == (FALLBACK, "derived", ())


def test_case_154_what_the_host_did_not_fill_in_is_reported_once_and_is_in_no_path() -> None:
    roots = find({"TRIO_AGENT_PLUGIN_ROOT": "${CLAUDE_PLUGIN_ROOT}"})
    assert (roots.root, roots.source) == (FALLBACK, "derived")
    assert roots.warnings == (
        "TRIO_AGENT_PLUGIN_ROOT is ignored, nobody filled it in: '${CLAUDE_PLUGIN_ROOT}'",
    )
    assert "${" not in roots.root + roots.state_root


def test_case_155_the_state_root_follows_the_same_rules_by_itself() -> None:
    state = os.path.abspath("/var/state")
    assert find({"TRIO_AGENT_STATE_ROOT": state}).state_root == state
    assert find({"TRIO_AGENT_STATE_ROOT": state}).state_source == "native"
    assert find({"TRIO_AGENT_STATE_ROOT": state}).source == "derived"
    assert find({"TRIO_AGENT_STATE_ROOT": " "}) == find({})
    token = find({"TRIO_AGENT_STATE_ROOT": "x/${Y}"})
    assert (token.state_root, token.state_source) == (find({}).state_root, "derived")
    assert token.warnings == ("TRIO_AGENT_STATE_ROOT is ignored, nobody filled it in: 'x/${Y}'",)
    both = {"TRIO_AGENT_PLUGIN_ROOT": "${X}", "TRIO_AGENT_STATE_ROOT": "${Y}"}
    assert len(find(both).warnings) == 2


def test_state_goes_to_a_folder_of_the_users_that_the_root_names() -> None:
    parent, name = os.path.split(find({}).state_root)
    assert parent == os.path.join(HOME, ".trio-agent", "state")
    assert name.startswith("curator-")
    xdg = os.path.abspath("/xdg")
    assert find({"XDG_STATE_HOME": xdg}).state_root == os.path.join(xdg, "trio-agent", name)
    for ignored in ("", "relative"):
        assert find({"XDG_STATE_HOME": ignored}).state_root == find({}).state_root


def test_case_157_an_unsafe_name_is_replaced_and_a_link_has_the_segment_of_its_target(
    tmp_path: Path,
) -> None:
    unsafe = find({"TRIO_AGENT_PLUGIN_ROOT": os.path.join(CWD, "unsafe name")})
    assert os.path.basename(unsafe.state_root).startswith("plugin-")
    assert len(os.path.basename(unsafe.state_root)) == len("plugin-") + 16
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    segments = {
        os.path.basename(
            find(
                {"TRIO_AGENT_PLUGIN_ROOT": str(tmp_path / name)}, resolve=os.path.realpath
            ).state_root
        )
        for name in ("real", "link")
    }
    assert len(segments) == 1
    assert segments.pop().startswith("real-")


# An environment has surrogates for undecodable bytes only.
texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(texts, texts)
def test_whatever_the_environment_says_both_roots_are_absolute(root: str, state: str) -> None:
    environ = {"TRIO_AGENT_PLUGIN_ROOT": root, "TRIO_AGENT_STATE_ROOT": state}
    roots = find(environ)
    assert os.path.isabs(roots.root)
    assert os.path.isabs(roots.state_root)
    assert (roots.source == "native") == bool(root.strip() and "${" not in root)
    assert (roots.state_source == "native") == bool(state.strip() and "${" not in state)
