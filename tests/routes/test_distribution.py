"""Which distribution a plugin came with, as installers have written it down."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from trio_agent.routes.manifest import read_manifest, version_of
from trio_agent.routes.plugin import Plugin, find_package, find_plugin

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages and their distributions."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    return folder


def add_package(folder: Path, name: str, toml: str = "") -> None:
    root = folder.joinpath(*name.split("."))
    (root / "cli").mkdir(parents=True)
    (root / "plugin.toml").write_text(toml, encoding="utf-8")


def add_distribution(site: Path, name: str, version: str, **files: str) -> None:
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {name}\n"
    metadata += f"Version: {version}\n" if version != "0" else ""
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    for file, text in files.items():
        name = {"record": "RECORD", "direct_url": "direct_url.json"}[file]
        (info / name).write_text(text, encoding="utf-8")


def told_by(plugin: Plugin) -> str | None:
    return version_of(plugin, read_manifest(plugin))


def test_it_is_the_one_that_has_its_files(site: Path) -> None:
    add_package(site, "xcurator")
    add_package(site, "xacme.tool")
    # Called like the package, and something else.
    add_distribution(site, "xcurator", "9", record="xcurators/__init__.py,,\n")
    add_distribution(site, "music-xcurator", "1.2", record="README,,\nxcurator/plugin.toml,,\n")
    add_distribution(site, "xacme-tool", "3", record="xacme/tool/plugin.toml,,\n")

    assert told_by(find_package("xcurator")) == "1.2"
    assert told_by(find_package("xacme.tool")) == "3"


def test_what_the_plugin_says_itself_wins(site: Path) -> None:
    add_package(site, "xcurator", 'version = "2.0-beta"')
    add_distribution(site, "xcurator", "1.2", record="xcurator/plugin.toml,,\n")

    assert told_by(find_package("xcurator")) == "2.0-beta"


def test_a_project_that_is_installed_for_editing_has_no_file_of_it(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "my project"
    add_package(project / "src", "xcurator")
    monkeypatch.syspath_prepend(project / "src")
    origin = {"url": project.as_uri(), "dir_info": {"editable": True}}
    add_distribution(site, "xcurator", "1.2", record="x.pth,,\n", direct_url=json.dumps(origin))

    assert told_by(find_package("xcurator")) == "1.2"


@pytest.mark.parametrize(
    "direct_url", ["", "no json", "[]", "{}", '{"url": "file:///", "dir_info": {}}']
)
def test_a_package_of_no_distribution_has_no_version(site: Path, direct_url: str) -> None:
    add_package(site, "xcurator")
    add_distribution(site, "xcurator", "1.2", direct_url=direct_url)

    assert told_by(find_package("xcurator")) is None


def test_a_distribution_that_tells_no_version_is_none(site: Path) -> None:
    add_package(site, "xcurator")
    add_distribution(site, "xcurator", "0", record="xcurator/plugin.toml,,\n")

    assert told_by(find_package("xcurator")) is None


def test_a_folder_is_of_no_distribution(site: Path) -> None:
    add_package(site, "xcurator")
    add_distribution(site, "xcurator", "1.2", record="xcurator/plugin.toml,,\n")

    assert told_by(find_plugin(site / "xcurator")) is None
