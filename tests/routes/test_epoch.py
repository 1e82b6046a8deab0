"""The identity of a plugin: the same for the same files, another for any others."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tests.routes.conftest import Workshop
from trio_agent.routes.epoch import read_identity
from trio_agent.routes.plugin import Plugin, PluginError
from trio_agent.vocabulary.identity import Identity

FILES = {"__init__.py": "", "cli/a.py": "x = 1", "data/rows.csv": "1,2", ".env": "A=1"}


def test_two_checkouts_have_one_identity(workshop: Workshop) -> None:
    one = workshop.write("here/curator", FILES)
    shutil.copytree(one.root, workshop.folder / "there" / "curator", copy_function=shutil.copyfile)
    two = Plugin(name="curator", root=workshop.folder / "there" / "curator", origin="package")
    for path in [*two.root.rglob("*")]:
        os.utime(path, (1, 1))
    identity = read_identity(one)
    assert identity == read_identity(one) == read_identity(two)
    assert len(identity.artifact_epoch) == 32
    int(identity.artifact_epoch, 16)


def changed(workshop: Workshop, plugin: Plugin, path: str, text: str) -> tuple[Identity, Identity]:
    before = read_identity(plugin)
    workshop.write(plugin.name, {path: text})
    return before, read_identity(plugin)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("cli/a.py", "x = 2"),
        ("cli/b.py", ""),
        ("data/rows.csv", "1,3"),
        (".env", "A=2"),
        ("new/empty", ""),
        ("cache/__pycache__.py", ""),
    ],
)
def test_any_file_changes_it(workshop: Workshop, path: str, text: str) -> None:
    before, after = changed(workshop, workshop.write("curator", FILES), path, text)
    assert before != after


@pytest.mark.parametrize(
    "path", ["__pycache__/a.pyc", "cli/__pycache__/x/a.pyc", ".git/HEAD", "data/.cache/x"]
)
def test_caches_and_hidden_folders_do_not_change_it(workshop: Workshop, path: str) -> None:
    before, after = changed(workshop, workshop.write("curator", FILES), path, "x")
    assert before == after


def test_renaming_a_file_changes_it(workshop: Workshop) -> None:
    plugin = workshop.write("curator", FILES)
    before = read_identity(plugin)
    (plugin.root / "cli" / "a.py").rename(plugin.root / "cli" / "b.py")
    assert before != read_identity(plugin)


def test_a_link_counts_with_where_it_points_and_is_not_followed(workshop: Workshop) -> None:
    plugin = workshop.write("curator", FILES)
    link = plugin.root / "linked"
    seen = {read_identity(plugin).artifact_epoch}
    for target in ("cli", "data", "missing", "linked", "cli/a.py"):
        link.symlink_to(target)
        seen.add(read_identity(plugin).artifact_epoch)
        link.unlink()
    assert len(seen) == 6
    outside = workshop.write("other", {"a": "1"}).root / "a"
    link.symlink_to(outside)
    before = read_identity(plugin)
    outside.write_text("2", encoding="utf-8")
    assert before == read_identity(plugin)


def test_what_is_neither_file_nor_link_is_left_out(workshop: Workshop) -> None:
    plugin = workshop.write("curator", FILES)
    before = read_identity(plugin)
    os.mkfifo(plugin.root / "pipe")
    assert before == read_identity(plugin)


def test_a_name_that_is_not_utf_8_counts(workshop: Workshop) -> None:
    plugin = workshop.write("curator", FILES)
    before = read_identity(plugin)
    Path(os.fsdecode(os.fsencode(plugin.root) + b"/\xff")).touch()
    assert before != read_identity(plugin)


def test_a_large_file_is_hashed_to_its_end(workshop: Workshop) -> None:
    plugin = workshop.write("curator")
    identities = set()
    for last in ("a", "b"):
        (plugin.root / "large").write_text("x" * 700_000 + last, encoding="utf-8")
        identities.add(read_identity(plugin).artifact_epoch)
    assert len(identities) == 2


def test_a_plugin_that_is_gone_is_a_clear_error(workshop: Workshop) -> None:
    plugin = Plugin(name="curator", root=workshop.folder / "curator", origin="folder")
    with pytest.raises(PluginError, match="cannot be read") as caught:
        read_identity(plugin)
    assert str(plugin.root) in caught.value.message


@given(
    trees=st.lists(
        st.dictionaries(st.sampled_from(["a", "b", "c/a", "c/b"]), st.binary(max_size=3)),
        min_size=2,
        max_size=2,
    )
)
def test_identities_are_equal_exactly_when_the_files_are(
    tmp_path_factory: pytest.TempPathFactory, trees: list[dict[str, bytes]]
) -> None:
    identities = []
    for tree in trees:
        root = tmp_path_factory.mktemp("tree")
        for path, content in tree.items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_bytes(content)
        identities.append(read_identity(Plugin(name="t", root=root, origin="folder")))
    assert (identities[0] == identities[1]) == (trees[0] == trees[1])
