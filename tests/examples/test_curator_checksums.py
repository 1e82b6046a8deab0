"""Checksums of a library: written whole, resumed after any interruption, and as a task of the server."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import trio
from hypothesis import given, strategies as st

from curator.library import Checksums, LibraryError, checksums, survey, write_checksums
from curator.library.checksums import check_output, journal_of
from trio_agent.protocol.schema.structuring import structure
from trio_agent.routes.application import PluginApplication, open_application
from trio_agent.routes.importing import unload
from trio_agent.testing import McpVersion, invoke_cli, open_mcp_server

CURATOR = Path(__file__).parents[2] / "examples" / "curator"


def silent(completed: float = 0, *, total: float | None = None, message: str | None = None) -> None:
    """Nobody listens."""


def stop(scope: trio.CancelScope) -> None:
    """Cancel, from whatever thread reports."""
    try:
        trio.from_thread.run_sync(scope.cancel)
    except RuntimeError:  # it is Trio's own
        scope.cancel()


def fill(root: Path, count: int) -> dict[str, bytes]:
    """Files of a library, by name."""
    root.mkdir(exist_ok=True)
    contents = {f"{number:03}.bin": bytes([number]) * (number * 7 + 1) for number in range(count)}
    for name, content in contents.items():
        (root / name).write_bytes(content)
    return contents


def expected(contents: dict[str, bytes]) -> bytes:
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in contents.items()]
    return "".join(sorted(lines, key=lambda line: line[66:])).encode()


async def write(root: Path, output: Path, report: Any = silent) -> Checksums:
    return await write_checksums(await survey(root, silent), output, report)


@pytest.fixture
def small_strides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checksums, "STRIDE_FILES", 2)


async def test_a_library_is_listed_in_the_order_of_its_paths(tmp_path: Path) -> None:
    contents = fill(tmp_path / "library", 5)
    output = tmp_path / "SHA256SUMS"
    made = await write(tmp_path / "library", output)
    assert output.read_bytes() == expected(contents)
    assert (made.files, made.resumed_files, made.problems) == (5, 0, ())
    assert made.total_bytes == sum(map(len, contents.values()))
    assert sorted(os.listdir(tmp_path)) == ["SHA256SUMS", "library"]


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs sha256sum")
async def test_sha256sum_agrees_whatever_the_names_are(tmp_path: Path) -> None:
    root = tmp_path / "library"
    fill(root, 3)
    for name in (b"line\nfeed", b"back\\slash", b"caf\xe9", b" blank "):
        with open(os.path.join(os.fsencode(root), name), "wb") as file:
            file.write(name)
    await write(root, root / "SHA256SUMS")
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"],
        cwd=root,
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


async def test_what_a_journal_knows_is_not_read_again(tmp_path: Path, small_strides: None) -> None:
    root, output = tmp_path / "library", tmp_path / "SHA256SUMS"
    contents = fill(root, 6)
    heard: list[float] = []
    with trio.CancelScope() as scope:

        def cancel_half_way(
            completed: float = 0, *, total: float | None = None, message: str | None = None
        ) -> None:
            if completed > 12:
                stop(scope)

        await write(root, output, cancel_half_way)
    assert scope.cancelled_caught
    assert not output.exists()
    known = len(journal_of(output).read_text("utf-8").split())
    assert known > 0
    made = await write(root, output, lambda done, **_: heard.append(done))
    assert 0 < made.resumed_files < 6
    assert heard == sorted(heard)
    assert heard[0] > 0
    assert output.read_bytes() == expected(contents)
    assert not journal_of(output).exists()


async def test_a_file_that_was_changed_is_read_again(tmp_path: Path) -> None:
    root, output = tmp_path / "library", tmp_path / "SHA256SUMS"
    fill(root, 2)
    await write(root, tmp_path / "first")
    records = (await survey(root, silent)).files
    wrong = {f"{one.identity} {one.size} {one.modified_us}": "f" * 64 for one in records}
    journal_of(output).write_text(json.dumps(wrong) + "\n", encoding="utf-8")
    (root / "001.bin").write_bytes(b"changed")
    made = await write(root, output)
    first, second = output.read_text("utf-8").splitlines()
    assert made.resumed_files == 1
    assert first.startswith("f" * 64)
    assert second == f"{hashlib.sha256(b'changed').hexdigest()}  001.bin"


@given(
    count=st.integers(0, 5),
    steps=st.lists(st.integers(0, 12), max_size=3),
    torn=st.sampled_from([b"", b'{"1:2 3', b"\xff\n", b"[]\n", b'{"a": 1}\n']),
)
def test_however_often_it_is_interrupted_the_list_is_the_same(
    count: int, steps: list[int], torn: bytes
) -> None:
    async def interrupted(root: Path, output: Path, step: int) -> None:
        left = step
        with trio.CancelScope() as scope:

            def report(
                completed: float = 0, *, total: float | None = None, message: str | None = None
            ) -> None:
                nonlocal left
                left -= 1
                if left < 0:
                    stop(scope)

            await write(root, output, report)

    async def main() -> None:
        with tempfile.TemporaryDirectory() as folder:
            root, output = Path(folder) / "library", Path(folder) / "SHA256SUMS"
            contents = fill(root, count)
            for step in steps:
                if not output.exists():
                    await interrupted(root, output, step)
                    with journal_of(output).open("ab") as file:
                        file.write(torn)
            if not output.exists():
                await write(root, output)
            assert output.read_bytes() == expected(contents)

    strides = checksums.STRIDE_FILES
    checksums.STRIDE_FILES = 1  # type: ignore[misc]  # so that there is something to interrupt
    try:
        trio.run(main)
    finally:
        checksums.STRIDE_FILES = strides  # type: ignore[misc]  # as it was


async def test_an_output_is_never_replaced(tmp_path: Path) -> None:
    root, output = tmp_path / "library", tmp_path / "SHA256SUMS"
    fill(root, 1)
    output.write_text("precious", encoding="utf-8")
    with pytest.raises(LibraryError, match="expected a new file") as refused:
        await check_output(output)
    assert refused.value.code == "output-exists"
    with pytest.raises(LibraryError, match="expected a new file"):
        await write(root, output)
    assert output.read_text("utf-8") == "precious"
    assert sorted(os.listdir(tmp_path)) == ["SHA256SUMS", "SHA256SUMS.journal", "library"]


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda output: None, "cannot be used: No such file or directory"),
        (lambda output: journal_of(output).mkdir(parents=True), "cannot be used: Is a directory"),
    ],
)
async def test_what_cannot_be_written_is_told(
    tmp_path: Path, make: Callable[[Path], None], match: str
) -> None:
    fill(tmp_path / "library", 1)
    output = tmp_path / "nowhere" / "SHA256SUMS"
    with pytest.raises(LibraryError, match="an existing directory"):
        await check_output(output)
    make(output)
    with pytest.raises(LibraryError, match=match):
        await write(tmp_path / "library", output)


async def test_what_cannot_be_read_is_a_problem_and_the_others_are_listed(tmp_path: Path) -> None:
    root = tmp_path / "library"
    contents = fill(root, 2)
    found = await survey(root, silent)
    (root / "000.bin").unlink()
    made = await write_checksums(found, root / "SHA256SUMS", silent)
    del contents["000.bin"]
    assert (root / "SHA256SUMS").read_bytes() == expected(contents)
    assert [(one.kind, one.path) for one in made.problems] == [("vanished", "000.bin")]


@pytest.fixture
def curator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PluginApplication]:
    fill(tmp_path / "library", 40)
    monkeypatch.setenv("CURATOR_ROOT", str(tmp_path / "library"))
    application = open_application(CURATOR)
    yield application
    unload(application.plugin)


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_as_a_task_it_tells_where_it_is_and_answers_in_the_end(
    curator: PluginApplication, tmp_path: Path, version: McpVersion, small_strides: None
) -> None:
    async with open_mcp_server(curator, version=version) as session:
        task = await session.tasks.create("hash_library", {"output": "SHA256SUMS"})
        result = await session.tasks.fetch(task)
        last = await session.tasks.poll(task)
    answer = cast("dict[str, object]", result.get("result", result))
    made = structure(Checksums, answer["structuredContent"], place="value")
    assert (made.files, made.problems) == (40, ())
    assert last["status"] == "completed"
    assert (tmp_path / "library" / "SHA256SUMS").read_bytes().count(b"\n") == 40


async def test_a_task_that_was_cancelled_goes_on_in_the_next(
    curator: PluginApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checksums, "STRIDE_FILES", 1)
    journal = tmp_path / "library" / "SHA256SUMS.journal"
    async with open_mcp_server(curator, version="2025-11-25") as session:
        task = await session.tasks.create("hash_library", {"output": "SHA256SUMS"})
        while not journal.exists():
            await trio.sleep(0)
        stopped = await session.tasks.cancel(task)
        assert stopped["status"] == "cancelled"
        assert not (tmp_path / "library" / "SHA256SUMS").exists()
        again = await session.tasks.create("hash_library", {"output": "SHA256SUMS"})
        result = await session.tasks.fetch(again)
    made = structure(Checksums, result["structuredContent"], place="value")
    assert made.files == 40
    assert made.resumed_files > 0


async def test_a_file_that_is_there_is_refused_before_anything_is_read(
    curator: PluginApplication,
) -> None:
    given_ = json.dumps({"output": "000.bin"})
    words = ["curator", "hash_library", "--input", given_]
    asked = await invoke_cli(curator, words)
    assert (asked.exit_code, "--yes" in asked.stderr) == (2, True)
    refused = await invoke_cli(curator, [*words, "--yes"])
    assert refused.exit_code == 1
    assert "[output-exists] expected a new file" in refused.stderr
