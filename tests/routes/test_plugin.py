"""Finding plugins: by folder, by name, without running anything."""

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.routes.conftest import Workshop
from trio_agent.errors import TrioAgentError
from trio_agent.routes.plugin import Plugin, PluginError, find_plugin

EXPLODE = {"__init__.py": "raise SystemExit('imported')"}


def test_a_folder_is_a_plugin_named_like_its_last_part(workshop: Workshop) -> None:
    root = workshop.write("curator", EXPLODE).root
    expected = Plugin(name="curator", root=root, origin="folder")
    assert find_plugin(root) == find_plugin(str(root)) == find_plugin(f"{root}/") == expected


def test_a_relative_folder_becomes_absolute(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workshop.write("curator").root
    monkeypatch.chdir(root.parent)
    assert find_plugin("curator").root == root
    assert find_plugin(Path("curator")).root == root
    assert find_plugin(f".{os.sep}curator").root == root
    monkeypatch.chdir(root)
    assert find_plugin(".") == Plugin(name="curator", root=root, origin="folder")


def test_a_link_to_a_folder_keeps_its_own_name(workshop: Workshop) -> None:
    root = workshop.write("curator-1.4").root
    link = workshop.folder / "curator"
    link.symlink_to(root)
    assert find_plugin(link) == Plugin(name="curator", root=link, origin="folder")


@pytest.mark.parametrize("name", ["my-plugin", "1st", "class", "a.b"])
def test_a_folder_that_cannot_be_a_package_is_refused(workshop: Workshop, name: str) -> None:
    root = workshop.write(name).root
    with pytest.raises(PluginError, match="is no Python identifier: rename the folder") as caught:
        find_plugin(root)
    assert str(root) in caught.value.message


@pytest.mark.parametrize("reference", ["./missing", "/missing/folder", Path("missing"), "../x"])
def test_a_missing_folder_is_named(reference: str | Path) -> None:
    with pytest.raises(PluginError, match="the folder does not exist") as caught:
        find_plugin(reference)
    assert repr(str(reference)) in caught.value.message


def test_a_file_is_no_plugin(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    root = workshop.write("curator", {"one.py": ""}).root
    with pytest.raises(PluginError, match="expected a folder, received a file"):
        find_plugin(root / "one.py")
    monkeypatch.chdir(root)
    with pytest.raises(PluginError, match="expected a folder, received a file"):
        find_plugin("one.py")


@pytest.mark.parametrize("name", ["no_such_package", "sys", "json.decoder", "__main__", "os.path"])
def test_a_name_without_a_package_is_refused(name: str) -> None:
    with pytest.raises(PluginError, match="neither a folder nor a package"):
        find_plugin(name)


def test_a_module_that_was_made_by_hand_is_no_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "handmade_t", ModuleType("handmade_t"))
    with pytest.raises(PluginError, match="neither a folder nor a package"):
        find_plugin("handmade_t")


@pytest.mark.parametrize("name", ["", "a b", "curator.", ".curator\n", "a..b", "a\0b", "--json"])
def test_what_is_no_name_at_all_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(PluginError, match="there is no plugin") as caught:
        find_plugin(name)
    assert "\n" not in caught.value.message


def test_a_package_is_found_without_importing_it_or_its_parents(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workshop.write("acme", {**EXPLODE, "curator/__init__.py": "1/0", "bare/x.py": ""}).root
    monkeypatch.syspath_prepend(workshop.folder)
    expected = Plugin(name="acme.curator", root=root / "curator", origin="package")
    assert find_plugin("acme") == Plugin(name="acme", root=root, origin="package")
    assert find_plugin("acme.curator") == expected
    assert find_plugin("acme.bare").root == root / "bare"
    assert "acme" not in sys.modules
    with pytest.raises(PluginError, match="neither"):
        find_plugin("acme.missing")


def test_an_existing_folder_wins_over_a_package(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.write("installed/curator", EXPLODE)
    here = workshop.write("here/curator").root
    monkeypatch.syspath_prepend(workshop.folder / "installed")
    monkeypatch.chdir(here.parent)
    assert find_plugin("curator") == Plugin(name="curator", root=here, origin="folder")


def test_a_package_in_several_places_is_refused(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = workshop.write("one/acme", {"x.py": ""}).root
    second = workshop.write("two/acme", {"y.py": ""}).root
    monkeypatch.syspath_prepend(first.parent)
    monkeypatch.syspath_prepend(second.parent)
    with pytest.raises(PluginError, match="is spread over") as caught:
        find_plugin("acme")
    assert str(first) in caught.value.message
    assert str(second) in caught.value.message


def test_a_plugin_error_is_one_line_and_has_a_code() -> None:
    error = PluginError("first\nsecond")
    assert isinstance(error, TrioAgentError)
    assert (error.code, error.message) == ("invalid-plugin", "first second")


@pytest.mark.skipif(os.name != "posix", reason="a directory that is in use stays")
def test_a_current_directory_that_was_removed_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(PluginError, match="the current directory has been removed"):
        find_plugin(".")
