"""The curator's library, on real directories."""

import hashlib
import json
import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn, get_args

import attrs
import pytest
import trio
from hypothesis import example, given, strategies as st

from curator.library import (
    DuplicateGroup,
    Duplicates,
    FileRecord,
    Finding,
    FindingKind,
    LibraryError,
    Problem,
    Survey,
    audit,
    find_duplicates,
    make_receipt,
    survey,
)
from curator.library.hashing import BATCH_BYTES, BATCH_FILES, HASH_THREADS
from curator.library.printable import to_printable
from curator.library.receipt import FINDINGS_PER_KIND, MAX_INTEGER, MAX_ROOT_JSON_BYTES

MEBIBYTE = 1 << 20


class Recorder:
    """A report that keeps everything it hears, and acts once, the first time something is done."""

    def __init__(self, act: Callable[[], object] = lambda: None) -> None:
        self.heard: list[tuple[float, float | None]] = []
        self._act: Callable[[], object] | None = act
        self._lock = threading.Lock()

    def __call__(
        self, completed: float = 0, *, total: float | None = None, message: str | None = None
    ) -> None:
        with self._lock:
            self.heard.append((completed, total))
            act, self._act = (self._act, None) if completed else (None, self._act)
        if act is not None:
            act()


def write(root: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def empty_survey() -> Survey:
    return Survey(
        root="/library",
        files=(),
        other_paths=(),
        directories=1,
        total_bytes=0,
        findings=(),
        problems=(),
    )


def found(surveyed: Survey) -> set[tuple[FindingKind, str]]:
    return {(finding.kind, finding.path) for finding in surveyed.findings}


def shapes(problems: tuple[Problem, ...]) -> set[tuple[str, str]]:
    return {(problem.kind, problem.path) for problem in problems}


@contextmanager
def without_privileges() -> Iterator[Path]:
    """A directory of a user to whom permissions apply, also when the tests run as root."""
    root = Path(tempfile.mkdtemp(prefix="curator-"))
    user = os.geteuid()
    unprivileged = user or 65534
    os.chown(root, unprivileged, -1)
    os.seteuid(unprivileged)
    try:
        yield root
    finally:
        os.seteuid(user)
        root.chmod(0o700)
        for path in root.iterdir():
            path.chmod(0o700)
        shutil.rmtree(root)


# ---------------------------------------------------------------------------- walking


async def test_a_survey_lists_files_depth_first_by_name_and_counts_directories(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"b/z": b"1", "b/a/x": b"22", "c": b"333", "a/y": b"4444"})
    surveyed = await survey(tmp_path, Recorder())
    assert [file.path for file in surveyed.files] == ["c", "a/y", "b/z", "b/a/x"]
    assert [file.size for file in surveyed.files] == [3, 4, 1, 2]
    assert sorted(surveyed.other_paths) == ["a", "b", "b/a"]
    assert (surveyed.directories, surveyed.total_bytes) == (4, 10)
    assert surveyed.root == str(tmp_path)
    assert not surveyed.findings
    assert not surveyed.problems


async def test_a_relative_root_is_made_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write(tmp_path, {"a": b"x", "b": b"x"}))
    surveyed = await survey(Path(), Recorder())
    monkeypatch.chdir("/")
    assert len((await find_duplicates(surveyed, Recorder())).groups) == 1


async def test_a_root_may_be_a_symlink(tmp_path: Path) -> None:
    write(tmp_path, {"real/a": b"x"})
    (tmp_path / "link").symlink_to("real")
    assert [file.path for file in (await survey(tmp_path / "link", Recorder())).files] == ["a"]


async def test_a_root_that_does_not_exist_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(
        LibraryError, match=r"expected an existing directory, got .*missing"
    ) as info:
        await audit(tmp_path / "missing", Recorder())
    assert info.value.code == "root-not-found"


async def test_a_root_that_is_a_file_is_one_clear_error(tmp_path: Path) -> None:
    write(tmp_path, {"file": b""})
    with pytest.raises(LibraryError, match=r"expected a directory, got .*file") as info:
        await audit(tmp_path / "file", Recorder())
    assert info.value.code == "root-not-a-directory"


@pytest.mark.parametrize("name", ["nul\0", "lone\ud800"])
async def test_a_root_that_is_no_possible_path_is_one_clear_error(name: str) -> None:
    with pytest.raises(LibraryError, match="expected a directory that can be listed") as info:
        await audit(Path(name), Recorder())
    assert info.value.code == "root-unreadable"
    str(info.value).encode()


async def test_links_pipes_and_sockets_are_found_and_never_opened(tmp_path: Path) -> None:
    write(tmp_path, {"file": b"x", "empty": b"", "sub/file": b"y"})
    for name, target in {
        "good": "file",
        "good-folder": "sub",
        "broken": "nowhere",
        "through-a-file": "file/x",
        "self": "self",
        "ping": "pong",
        "pong": "ping",
        "sub/up": "..",
        "sub/out": "/",
    }.items():
        (tmp_path / name).symlink_to(target)
    # Opening a pipe that nobody writes to would hang.
    os.mkfifo(tmp_path / "pipe")
    os.mknod(tmp_path / "socket", stat.S_IFSOCK | 0o600)
    surveyed = await survey(tmp_path, Recorder())
    assert found(surveyed) == {
        ("empty-file", "empty"),
        ("broken-symlink", "broken"),
        ("broken-symlink", "through-a-file"),
        ("symlink-loop", "self"),
        ("symlink-loop", "ping"),
        ("symlink-loop", "pong"),
        ("symlink-loop", "sub/up"),
        ("symlink-loop", "sub/out"),
        ("special-file", "pipe"),
        ("special-file", "socket"),
    }
    assert [file.path for file in surveyed.files] == ["empty", "file", "sub/file"]
    assert surveyed.problems == ()


async def test_devices_are_special_files() -> None:
    assert ("special-file", "null") in found(await survey(Path("/dev"), Recorder()))


async def test_a_link_that_cannot_be_judged_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("x" * 300)
    surveyed = await survey(tmp_path, Recorder())
    assert shapes(surveyed.problems) == {("unreadable", "link")}
    assert surveyed.findings == ()


async def test_hard_links_are_counted_once(tmp_path: Path) -> None:
    write(tmp_path, {"a": b"12345"})
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    surveyed = await survey(tmp_path, Recorder())
    assert (len(surveyed.files), surveyed.total_bytes) == (2, 5)


async def test_what_may_not_be_read_is_a_problem_and_the_rest_completes() -> None:
    with without_privileges() as root:
        write(root, {"secret": b"same", "a": b"same", "b": b"same", "closed/x": b"same"})
        write(root, {"alone": b"of its size"})
        for name in ("secret", "alone", "closed"):
            (root / name).chmod(0)
        receipt = await audit(root, Recorder())
    assert [(problem.path, problem.kind, problem.detail) for problem in receipt.problems] == [
        (name, "unreadable", "Permission denied") for name in ("alone", "secret", "closed")
    ]
    assert [group.paths for group in receipt.duplicates.largest] == [("a", "b")]


async def test_a_root_that_may_not_be_listed_is_one_clear_error() -> None:
    with without_privileges() as root:
        root.chmod(0o300)
        with pytest.raises(LibraryError, match="Permission denied") as info:
            await audit(root, Recorder())
    assert info.value.code == "root-unreadable"


async def test_what_vanishes_during_the_walk_is_a_problem_and_the_rest_completes(
    tmp_path: Path,
) -> None:
    write(tmp_path, {f"{number:04}": b"x" for number in range(1_500)})
    write(tmp_path, {"y/a": b"x"})

    def remove() -> None:
        (tmp_path / "1400").unlink()
        shutil.rmtree(tmp_path / "y")

    surveyed = await survey(tmp_path, Recorder(remove))
    assert shapes(surveyed.problems) == {("vanished", "1400"), ("vanished", "y")}
    assert len(surveyed.files) == 1_499


async def test_a_directory_that_vanishes_before_its_turn_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path, {f"b/{number:04}": b"x" for number in range(1_500)})
    write(tmp_path, {"a/x": b"x", "c/x": b"x", "d/x": b"x"})

    def remove() -> None:
        shutil.rmtree(tmp_path / "c")
        shutil.rmtree(tmp_path / "d")
        (tmp_path / "d").touch()

    surveyed = await survey(tmp_path, Recorder(remove))
    assert shapes(surveyed.problems) == {("vanished", "c"), ("vanished", "d")}
    assert len(surveyed.files) == 1_501


async def test_a_tree_of_400_levels_is_walked_to_its_bottom(tmp_path: Path) -> None:
    bottom = tmp_path.joinpath(*["d"] * 400)
    bottom.mkdir(parents=True)
    write(bottom, {"a": b"x", "b": b"x"})
    (bottom / "top").symlink_to(tmp_path)
    receipt = await audit(tmp_path, Recorder())
    assert receipt.directories == 401
    assert receipt.duplicates.groups == 1
    assert [count.kind for count in receipt.counts] == ["symlink-loop"]


async def test_a_path_that_is_too_long_for_the_system_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path, {"a": b"x"})
    folder = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("d" * 250, dir_fd=folder)
        below = os.open("d" * 250, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.close(folder)
    surveyed = await survey(tmp_path, Recorder())
    assert [problem.kind for problem in surveyed.problems] == ["unreadable"]
    assert [file.path for file in surveyed.files] == ["a"]


async def test_a_walk_tells_rising_numbers_and_ends_with_all_of_them(tmp_path: Path) -> None:
    write(tmp_path, {f"{number % 20}/{number}": b"x" for number in range(2_000)})
    report = Recorder()
    surveyed = await survey(tmp_path, report)
    assert report.heard == [(1_000, None), (2_000, None), (2_020, None)]
    assert len(surveyed.files) == 2_000


async def test_a_cancelled_walk_stops_at_the_next_entry(tmp_path: Path) -> None:
    write(tmp_path, {f"{number}": b"x" for number in range(2_000)})
    with trio.CancelScope() as scope:
        report = Recorder(lambda: cancel_from_thread(scope))
        await survey(tmp_path, report)
    assert scope.cancelled_caught
    assert [completed for completed, _ in report.heard] == [1_000]


def cancel_from_thread(scope: trio.CancelScope) -> None:
    """Cancel, and come back only when this thread can notice it."""
    trio.from_thread.run_sync(scope.cancel)
    with pytest.raises(trio.Cancelled):
        spin()


def spin() -> NoReturn:
    while True:
        trio.from_thread.check_cancelled()


# ---------------------------------------------------------------------------- hashing


def open_files(root: Path) -> list[str]:
    """The files below `root` that this process has open."""
    targets: list[str] = []
    for entry in os.scandir("/proc/self/fd"):
        # Descriptors come and go, that of the listing itself included.
        with suppress(FileNotFoundError):
            targets.append(os.readlink(entry.path))
    return [target for target in targets if target.startswith(str(root))]


async def hash_tree(root: Path, between: Callable[[], object] = lambda: None) -> Duplicates:
    surveyed = await survey(root, Recorder())
    between()
    return await find_duplicates(surveyed, Recorder())


async def test_equal_contents_are_one_group_with_the_most_reclaimable_first(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"z": b"xx", "sub/a": b"xx", "c": b"yy", "d": b"zzz", "e": b"zzz", "f": b"zzz"})
    duplicates = await hash_tree(tmp_path)
    assert duplicates.groups == (
        DuplicateGroup(
            size=3, digest=hashlib.sha256(b"zzz").hexdigest(), copies=3, paths=("d", "e", "f")
        ),
        DuplicateGroup(
            size=2, digest=hashlib.sha256(b"xx").hexdigest(), copies=2, paths=("sub/a", "z")
        ),
    )
    assert [group.reclaimable_bytes for group in duplicates.groups] == [6, 2]
    assert (duplicates.hashed_files, duplicates.hashed_bytes) == (6, 15)
    assert duplicates.problems == ()


async def test_only_files_that_share_their_size_are_read(tmp_path: Path) -> None:
    write(tmp_path, {"a": b"1", "b": b"22", "c": b"33", "empty": b"", "empty-too": b""})
    duplicates = await hash_tree(tmp_path)
    assert (duplicates.hashed_files, duplicates.hashed_bytes, duplicates.groups) == (2, 4, ())


async def test_hard_links_are_no_duplicates_of_each_other(tmp_path: Path) -> None:
    write(tmp_path, {"a": b"same", "c": b"same", "alone": b"longer"})
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    (tmp_path / "alone-too").hardlink_to(tmp_path / "alone")
    (group,) = (await hash_tree(tmp_path)).groups
    assert (group.paths, group.copies, group.reclaimable_bytes) == (("a", "c"), 2, 4)


async def test_a_file_that_vanishes_is_a_problem_and_its_hard_link_takes_its_place(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"a": b"same", "c": b"same", "gone": b"same"})
    (tmp_path / "b").hardlink_to(tmp_path / "a")

    def remove() -> None:
        (tmp_path / "a").unlink()
        (tmp_path / "gone").unlink()

    duplicates = await hash_tree(tmp_path, remove)
    assert shapes(duplicates.problems) == {("vanished", "a"), ("vanished", "gone")}
    assert [group.paths for group in duplicates.groups] == [("b", "c")]


def put_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def put_link(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")


def put_other_file(path: Path) -> None:
    written = path.stat().st_mtime_ns
    path.with_name("other").write_bytes(path.read_bytes())
    path.with_name("other").replace(path)
    os.utime(path, ns=(written, written))


def touch_later(path: Path) -> None:
    os.utime(path, ns=(0, 0))


def grow(path: Path) -> None:
    path.write_bytes(path.read_bytes() * 2)


@pytest.mark.parametrize("change", [put_pipe, put_link, put_other_file, touch_later, grow])
async def test_what_changes_between_survey_and_hashing_is_a_problem(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    write(tmp_path, {"a": b"same", "b": b"same", "c": b"same"})
    duplicates = await hash_tree(tmp_path, lambda: change(tmp_path / "b"))
    assert shapes(duplicates.problems) == {("changed", "b")}
    assert [group.paths for group in duplicates.groups] == [("a", "c")]


@pytest.mark.parametrize("new_size", [3 * MEBIBYTE, 5 * MEBIBYTE])
async def test_a_file_that_changes_while_it_is_read_is_a_problem(
    tmp_path: Path, new_size: int
) -> None:
    write(tmp_path, {"a": bytes(4 * MEBIBYTE), "b": bytes(4 * MEBIBYTE)})
    surveyed = await survey(tmp_path, Recorder())
    # Both files are in one batch: the first report comes from the middle of the first of them.
    report = Recorder(lambda: os.truncate(tmp_path / "a", new_size))
    duplicates = await find_duplicates(surveyed, report)
    assert shapes(duplicates.problems) == {("changed", "a")}
    assert (duplicates.groups, duplicates.hashed_files) == ((), 1)


async def test_virtual_files_that_fail_or_lie_about_their_size_are_problems() -> None:
    # Each of them claims to be a page long; some have less, some fail with EINVAL when read.
    duplicates = await hash_tree(Path("/sys/devices/virtual/net/lo"))
    assert ("changed", "mtu") in shapes(duplicates.problems)
    assert "unreadable" in {problem.kind for problem in duplicates.problems}
    assert duplicates.groups == ()


async def test_hashing_tells_rising_bytes_from_nothing_to_all_of_a_known_total(
    tmp_path: Path,
) -> None:
    write(tmp_path, {f"{number}": bytes(64) for number in range(3 * BATCH_FILES)})
    write(tmp_path, {"large": bytes(9 * MEBIBYTE), "larger": bytes(9 * MEBIBYTE)})
    surveyed = await survey(tmp_path, Recorder())
    report = Recorder()
    duplicates = await find_duplicates(surveyed, report)
    completed = [bytes_read for bytes_read, _ in report.heard]
    assert completed == sorted(completed)
    assert 10 < len(completed) < 110
    assert (completed[0], completed[-1]) == (0, surveyed.total_bytes)
    assert {total for _, total in report.heard} == {surveyed.total_bytes}
    assert [group.copies for group in duplicates.groups] == [2, 3 * BATCH_FILES]


async def test_large_files_are_read_by_all_threads_at_once(tmp_path: Path) -> None:
    for number in range(2 * HASH_THREADS):
        write(tmp_path, {f"{number}": b""})
        os.truncate(tmp_path / f"{number}", BATCH_BYTES)
    surveyed = await survey(tmp_path, Recorder())
    counts: list[int] = []

    def count() -> None:
        # The thread that reports keeps the others from going on after their first chunk.
        while len(counts) < 10_000 and HASH_THREADS not in counts:
            counts.append(len(open_files(tmp_path)))

    await find_duplicates(surveyed, Recorder(count))
    assert max(counts) == HASH_THREADS


async def test_nothing_to_compare_is_a_finished_report(tmp_path: Path) -> None:
    report = Recorder()
    assert (await find_duplicates(await survey(tmp_path, Recorder()), report)).groups == ()
    assert report.heard == [(0, 0), (0, 0)]


async def test_cancelling_in_the_middle_of_large_files_leaves_no_thread_reading(
    tmp_path: Path,
) -> None:
    for name in ("a", "b"):
        write(tmp_path, {name: b""})
        os.truncate(tmp_path / name, 1 << 40)
    surveyed = await survey(tmp_path, Recorder())
    with trio.CancelScope() as scope:
        report = Recorder(lambda: cancel_from_thread(scope))
        await find_duplicates(surveyed, report)
    assert scope.cancelled_caught
    # A second report may come from the other thread, which is somewhere in its own chunk.
    assert max(completed for completed, _ in report.heard) < 1 << 30
    assert open_files(tmp_path) == []


NAMES = st.sampled_from(["a", "b", "c", "d/a", "d/b", "d/e/a", "f/a"])
CONTENTS = st.sampled_from([b"", b"x", b"y", b"xx", b"xy", b"x" * 5_000, b"x" * 4_999 + b"y"])


@example(schedule=0, files={"a": b"x", "d/a": b"x"}, links=[("a", "b"), ("a", "d/a")])
@given(
    schedule=st.random_module(),
    files=st.dictionaries(NAMES, CONTENTS),
    links=st.lists(st.tuples(NAMES, NAMES), max_size=3),
)
async def test_duplicates_are_what_comparing_every_content_finds(
    schedule: object, files: dict[str, bytes], links: list[tuple[str, str]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), files)
        for source, name in links:
            if source in files and not (root / name).exists():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).hardlink_to(root / source)
        contents: dict[bytes, set[int]] = {}
        for path in root.rglob("*"):
            if path.is_file():
                contents.setdefault(path.read_bytes(), set()).add(path.stat().st_ino)
        expected = {
            (hashlib.sha256(content).hexdigest(), len(content), frozenset(inodes))
            for content, inodes in contents.items()
            if content and len(inodes) > 1
        }
        groups = (await hash_tree(root)).groups
        assert {
            (
                group.digest,
                group.size,
                frozenset((root / path).stat().st_ino for path in group.paths),
            )
            for group in groups
        } == expected
        assert all(len(group.paths) == group.copies for group in groups)


# ---------------------------------------------------------------------------- receipt


async def test_an_audit_is_the_receipt_of_its_steps(tmp_path: Path) -> None:
    write(tmp_path, {"a": b"xx", "A": b"xx", "empty": b""})
    receipt = await audit(tmp_path, Recorder())
    assert (receipt.files, receipt.directories, receipt.total_bytes) == (3, 1, 4)
    assert (receipt.duplicates.groups, receipt.duplicates.reclaimable_bytes) == (1, 2)
    assert (receipt.duplicates.copies, receipt.duplicates.hashed_files) == (2, 2)
    assert [(c.kind, c.count, c.omitted) for c in receipt.counts] == [
        ("empty-file", 1, 0),
        ("case-collision", 1, 0),
    ]
    assert [finding.path for finding in receipt.findings] == ["empty", "a"]
    assert (receipt.omitted_findings, receipt.omitted_problems) == (0, 0)


async def test_a_receipt_shows_the_first_of_each_kind_and_counts_the_rest(tmp_path: Path) -> None:
    write(tmp_path, {f"{number:04}": b"" for number in range(100)})
    write(tmp_path, {f"b{n:03}/{c}": b"%03d" % n for n in range(30) for c in "abcdef"})
    receipt = await audit(tmp_path, Recorder())
    assert [finding.path for finding in receipt.findings] == [
        f"{number:04}" for number in range(20)
    ]
    assert [(c.count, c.omitted) for c in receipt.counts] == [(100, 80)]
    assert receipt.omitted_findings == 80
    assert (receipt.duplicates.groups, receipt.duplicates.omitted_groups) == (30, 10)
    assert receipt.duplicates.copies == 180
    assert receipt.duplicates.largest[0].paths == ("b000/a", "b000/b", "b000/c", "b000/d")
    assert receipt.duplicates.largest[0].copies == 6


def test_numbers_that_json_readers_disagree_on_are_cut_off() -> None:
    group = DuplicateGroup(size=2**62, digest="0", copies=2, paths=("a", "b"))
    duplicates = Duplicates(groups=(group,), hashed_files=2, hashed_bytes=2**63, problems=())
    surveyed = attrs.evolve(empty_survey(), total_bytes=2**63)
    receipt = make_receipt(surveyed, duplicates, ())
    assert receipt.total_bytes == receipt.duplicates.reclaimable_bytes == MAX_INTEGER
    assert receipt.duplicates.largest[0].size == receipt.duplicates.hashed_bytes == MAX_INTEGER


@pytest.mark.parametrize("unit", ["\U0001f600", "\\", "\n", "a", "\u00e9"])
def test_the_receipt_of_the_worst_tree_stays_below_200_kilobytes(unit: str) -> None:
    text = to_printable(unit * 4_000)
    findings = tuple(
        Finding(kind=kind, path=text, detail=text)
        for kind in get_args(FindingKind)
        for _ in range(FINDINGS_PER_KIND + 1)
    )
    problems = (Problem(kind="unreadable", path=text, detail=text),) * 1_000
    file = FileRecord(path=text, size=2**60, modified_us=0, identity="0:0", readable=True)
    surveyed = attrs.evolve(
        empty_survey(), root=text, files=(file,) * 100_000, findings=findings, problems=problems
    )
    group = DuplicateGroup(size=2**60, digest="f" * 64, copies=10**9, paths=(text,) * 1_000)
    duplicates = Duplicates(
        groups=(group,) * 100, hashed_files=1, hashed_bytes=1, problems=problems
    )
    receipt = make_receipt(surveyed, duplicates, findings)
    assert len(json.dumps(attrs.asdict(receipt))) < 200_000
    assert len(receipt.root) <= MAX_ROOT_JSON_BYTES
    assert receipt.omitted_problems == 1_960
    assert receipt.omitted_findings == len(get_args(FindingKind)) * (FINDINGS_PER_KIND + 2)
