"""The curator's command, as people run it: piped, as JSON, as events, and on a terminal."""

import encodings
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest

from curator.library import AuditReceipt
from tests.surfaces.cli.terminal import Watched, run
from trio_agent.invocation import Runtime
from trio_agent.protocol.schema.structuring import structure
from trio_agent.routes.application import open_application
from trio_agent.routes.importing import unload
from trio_agent.testing import expect_document
from trio_agent.vocabulary.event import CompleteEvent, RenderEvent
from trio_agent.vocabulary.invocation import Invocation
from trio_agent.vocabulary.json import Json

CURATOR = Path(__file__).parents[2] / "examples" / "curator"
PYTHON = Path(encodings.__file__).parent
"""A folder of Python's own, a real one of a hundred files and more."""

FALLBACKS = (
    "Walking the directory",
    "Looking at the names",
    "Comparing the contents",
    "Summing up",
)


def audit(directory: Path, *flags: str) -> tuple[int, str, str]:
    ran = run(["run", str(CURATOR), "audit-library", str(directory), *flags], cwd=directory.parent)
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


@pytest.fixture
def library(tmp_path: Path) -> Path:
    root = tmp_path / "library"
    (root / "sub").mkdir(parents=True)
    (root / "one.txt").write_bytes(b"same content")
    (root / "sub" / "two.txt").write_bytes(b"same content")
    (root / "empty.txt").write_bytes(b"")
    (root / "NUL").write_bytes(b"reserved")
    (root / "nowhere").symlink_to("missing")
    (root / "tick`s.txt").write_bytes(b"")
    return root


def test_into_a_pipe_it_is_one_document_without_a_trace_of_a_fallback(library: Path) -> None:
    code, out, errors = audit(library)
    assert (code, errors) == (0, "")
    assert out.startswith("# Library audit\n")
    assert out.endswith(".\n")
    assert "2 × 12 B" not in out
    for found in ("12 B × 2: `one.txt` = `sub/two.txt`", "`NUL`", "`nowhere`", "``tick`s.txt``"):
        assert found in out
    assert not [text for text in FALLBACKS if text in out]


def test_as_json_it_is_the_typed_value(library: Path) -> None:
    code, out, errors = audit(library, "--json")
    assert (code, errors, out.count("\n")) == (0, "", 1)
    receipt = structure(AuditReceipt, json.loads(out))
    assert (receipt.files, receipt.directories) == (5, 2)
    assert receipt.duplicates.reclaimable_bytes == 12
    assert {count.kind for count in receipt.counts} == {
        "empty-file",
        "broken-symlink",
        "reserved-name",
    }


def test_as_events_every_section_replaces_its_placeholder_once(library: Path) -> None:
    code, out, errors = audit(library, "--ndjson")
    assert (code, errors) == (0, "")
    events = [json.loads(line) for line in out.splitlines()]
    assert [event["sequence"] for event in events] == list(range(len(events)))
    assert (events[0]["type"], events[-1]["type"]) == ("shell", "complete")
    shell = json.dumps(events[0], ensure_ascii=False)
    assert all(text in shell for text in FALLBACKS)
    replaced = [event["boundaryId"] for event in events if event["type"] == "replace"]
    assert sorted(replaced) == ["b:1", "b:2", "b:3", "b:4", "b:5"]
    assert events[-1]["document"]["value"]["files"] == 5
    sources = {event["source"] for event in events if event["type"] == "progress"}
    assert sources <= {"walking", "hashing"}


def test_on_a_terminal_the_document_is_what_stays(library: Path) -> None:
    words = ["run", str(CURATOR), "audit-library", str(library)]
    with Watched(words, cwd=library.parent, rows=60) as watched:
        assert watched.finish() == 0
        assert "Library audit" in watched.text
        assert "Audited 5 files" in watched.text
        assert not [text for text in FALLBACKS if text in watched.text]


def test_a_folder_of_python_is_audited_like_any_other() -> None:
    code, out, errors = audit(PYTHON, "--json")
    assert (code, errors) == (0, "")
    assert json.loads(out)["files"] >= len(list(PYTHON.glob("*.py")))


def test_a_directory_that_is_none_is_one_clear_line(library: Path) -> None:
    code, out, errors = audit(library / "gone")
    assert (code, out) == (1, "")
    assert errors.startswith("[root-not-found] expected an existing directory, got ")
    assert errors.count("\n") == 1
    code, out, errors = audit(library / "one.txt")
    assert (code, out) == (1, "")
    assert errors.startswith("[root-not-a-directory] ")


@contextmanager
def without_privileges() -> Iterator[Path]:
    """A directory of a user to whom permissions apply, also when the tests run as root."""
    root = Path(tempfile.mkdtemp(prefix="curator-"))
    user = os.geteuid()
    os.chown(root, user or 65534, -1)
    os.seteuid(user or 65534)
    try:
        yield root
    finally:
        os.seteuid(user)
        shutil.rmtree(root)


async def test_what_cannot_be_read_is_a_represented_error_while_the_rest_completes() -> None:
    application = open_application(str(CURATOR))
    events: list[RenderEvent] = []

    class Passing:
        def feed(self, event: RenderEvent) -> tuple[RenderEvent, ...]:
            return (event,)

        def finish(self) -> None:
            return None

    async def keep(event: RenderEvent) -> None:
        events.append(event)

    try:
        application.load(application.graph.commands[0])
        with without_privileges() as root:
            (root / "open.txt").write_bytes(b"readable")
            (root / "secret.txt").write_bytes(b"not readable")
            (root / "secret.txt").chmod(0)
            invocation = Invocation(
                kind="cli", target="audit-library", props=Json.of({"directory": str(root)})
            )
            await Runtime(application).invoke(invocation, Passing(), keep)
    finally:
        unload(application.plugin)
    complete = events[-1]
    assert isinstance(complete, CompleteEvent)
    expect_document(complete.document).has_status("represented-error").has_error(
        "unreadable", "secret.txt: Permission denied"
    )
    assert complete.document.value is not None
    value = cast("dict[str, object]", complete.document.value.value)
    assert value["files"] == 2
