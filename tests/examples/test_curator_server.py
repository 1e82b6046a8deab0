"""The curator's server, asked as hosts ask it: about real folders, and once as a real process."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

import pytest
import trio

from curator.library import (
    RULES,
    CleanupPlan,
    Comparison,
    DuplicateSummary,
    FindingKind,
    LargestFiles,
    LibraryError,
    compare_trees,
    digest,
    find_duplicates,
    plan_cleanup,
    survey,
)
from curator.library.selection import to_datetime
from tests.surfaces.cli.terminal import run
from tests.surfaces.mcp.asking import Asker
from trio_agent.protocol.schema.structuring import structure
from trio_agent.routes.application import open_application
from trio_agent.routes.importing import unload
from trio_agent.surfaces.mcp.exchange import Client
from trio_agent.surfaces.mcp.rpc import JsonObject, RpcError
from trio_agent.surfaces.mcp.service import McpService
from trio_agent.testing import McpVersion, accepted, open_mcp_server

if TYPE_CHECKING:
    from collections.abc import Iterator

CURATOR = Path(__file__).parents[2] / "examples" / "curator"

TOOLS = {
    "audit_library",
    "compare_folders",
    "count_files",
    "describe_file",
    "find_duplicates",
    "hash_library",
    "list_largest",
    "plan_cleanup",
    "read_excerpt",
}


@pytest.fixture
def curator(monkeypatch: pytest.MonkeyPatch) -> Iterator[McpService]:
    monkeypatch.delenv("CURATOR_ROOT", raising=False)
    application = open_application(CURATOR)
    yield McpService(application, application.graph.find_server(None))
    unload(application.plugin)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    root = tmp_path / "library"
    (root / "sub").mkdir(parents=True)
    (root / "one.txt").write_text("the same\nin two files\n", encoding="utf-8")
    (root / "sub" / "two.txt").write_text("the same\nin two files\n", encoding="utf-8")
    (root / "large.bin").write_bytes(bytes(5_000))
    (root / "NUL").touch()
    return root


@pytest.fixture
def confined(library: Path, monkeypatch: pytest.MonkeyPatch, curator: McpService) -> McpService:
    """The server, which may look into the library only."""
    monkeypatch.setenv("CURATOR_ROOT", str(library))
    return curator


async def call(
    service: McpService, name: str, asker: Asker | None = None, **arguments: object
) -> JsonObject:
    params: JsonObject = {"name": name, "arguments": arguments}
    return await service.handle("tools/call", params, asker or Asker())


def text_of(result: JsonObject) -> str:
    blocks = cast("list[dict[str, str]]", result["content"])
    return "\n\n".join(block["text"] for block in blocks)


def meta_of(name: str) -> JsonObject:
    return {"curator/route": name, "curator/rules": "curator://rules"}


async def listed(service: McpService, asker: Asker | None = None) -> dict[str, JsonObject]:
    result = await service.handle("tools/list", {}, asker or Asker())
    return {str(one["name"]): one for one in cast("list[JsonObject]", result["tools"])}


def test_inspect_finds_nothing_to_say_about_the_example(tmp_path: Path) -> None:
    ran = run(["inspect", str(CURATOR), "--check"], cwd=tmp_path)

    assert ran.returncode == 0
    assert "Nothing is wrong." in ran.stdout.decode()


async def test_every_tool_says_whether_it_only_reads_and_what_it_gives(curator: McpService) -> None:
    tools = await listed(curator)

    assert tools.keys() == TOOLS
    for name, one in tools.items():
        hints = cast("JsonObject", one["annotations"])
        assert (hints["readOnlyHint"], hints["openWorldHint"]) == (name != "hash_library", False)
        assert ("outputSchema" in one) is (name != "read_excerpt")


@pytest.mark.parametrize("name", ["claude-code", "Codex CLI", "cursor-vscode"])
async def test_hosts_that_read_files_themselves_are_not_offered_another_way(
    curator: McpService, library: Path, name: str
) -> None:
    asker = Asker(client=Client(version_spoken="2025-11-25", name=name))

    assert TOOLS - (await listed(curator, asker)).keys() == {"read_excerpt"}
    with pytest.raises(RpcError, match="read_excerpt"):
        await call(curator, "read_excerpt", asker, path=str(library / "one.txt"))


async def test_an_audit_is_the_document_of_the_command_with_the_metadata_of_the_server(
    curator: McpService, library: Path
) -> None:
    ran = run(["run", str(CURATOR), "audit-library", str(library)], cwd=library)
    value = run(["run", str(CURATOR), "audit-library", str(library), "--json"], cwd=library)

    result = await call(curator, "audit_library", directory=str(library))

    assert text_of(result) + "\n" == ran.stdout.decode()
    assert result["structuredContent"] == json.loads(value.stdout)
    assert result["_meta"] == meta_of("tool:curator/audit_library")


async def test_what_cannot_be_read_is_a_represented_error_and_keeps_value_and_metadata(
    curator: McpService, library: Path
) -> None:
    (library / "odd").symlink_to("x" * 300)  # no file system has such a name

    result = await call(curator, "audit_library", directory=str(library))

    assert result["isError"] is True
    assert "[unreadable] odd: " in text_of(result)
    assert cast("JsonObject", result["structuredContent"])["files"] == 4
    assert result["_meta"] == meta_of("tool:curator/audit_library")


async def test_a_directory_that_is_none_fails_the_call_and_no_layout_hides_it(
    curator: McpService, library: Path
) -> None:
    result = await call(curator, "audit_library", directory=str(library / "one.txt"))

    assert text_of(result).startswith("[root-not-a-directory] expected a directory, got ")
    assert result.keys() == {"content", "isError"}


async def test_an_audit_reports_while_it_works(curator: McpService, library: Path) -> None:
    asker = Asker(meta={"progressToken": "audit"})

    await call(curator, "audit_library", asker, directory=str(library))

    assert asker.sent
    assert {method for method, _ in asker.sent} == {"notifications/progress"}
    assert {params["progressToken"] for _, params in asker.sent} == {"audit"}


async def test_duplicates_are_found_with_what_they_waste(
    curator: McpService, library: Path
) -> None:
    result = await call(curator, "find_duplicates", directory=str(library))

    assert "22 B × 2: `one.txt` = `sub/two.txt`" in text_of(result)
    found = structure(DuplicateSummary, result["structuredContent"])
    assert (found.groups, found.reclaimable_bytes, found.hashed_files) == (1, 22, 2)


async def test_the_largest_files_come_first_and_as_many_as_were_asked_for(
    curator: McpService, library: Path
) -> None:
    os.utime(library / "large.bin", (0, 86_400))
    (library / "large.bin").rename(library / "la|rge.bin")
    (library / "again").hardlink_to(library / "la|rge.bin")

    result = await call(curator, "list_largest", directory=str(library), count=2)

    found = structure(LargestFiles, result["structuredContent"])
    assert [one.path for one in found.largest] == ["again", "one.txt"]
    assert (found.files, found.total_bytes, found.largest_bytes) == (4, 5_044, 5_022)
    assert "| 5.0 kB | 1970-01-02 | `again` |" in text_of(result)

    (library / "again").unlink()
    result = await call(curator, "list_largest", directory=str(library), count=1)
    assert "| `la¦rge.bin` |" in text_of(result)


async def test_a_time_that_no_calendar_has_is_left_out(curator: McpService, library: Path) -> None:
    assert to_datetime(2**60) is None
    result = await call(curator, "list_largest", directory=str(library), count=101)
    assert result["isError"] is True
    assert "count" in text_of(result)


async def test_a_file_is_described_by_a_thread_that_reports(
    curator: McpService, library: Path
) -> None:
    asker = Asker(meta={"progressToken": 1})

    result = await call(curator, "describe_file", asker, path=str(library / "one.txt"))

    found = cast("JsonObject", result["structuredContent"])
    assert (found["kind"], found["size"], found["links"]) == ("file", 22, 1)
    assert found["mime_type"] == "text/plain"
    assert found["sha256"] == hashlib.sha256((library / "one.txt").read_bytes()).hexdigest()
    assert (found["target"], found["findings"]) == (None, [])
    assert {method for method, _ in asker.sent} == {"notifications/progress"}


async def test_links_folders_and_pipes_are_described_and_never_opened(
    curator: McpService, library: Path
) -> None:
    (library / "link").symlink_to("NUL")
    os.mkfifo(library / "pipe.")
    wanted = {"link": "link", "sub": "directory", "pipe.": "special"}
    for name, kind in wanted.items():
        found = await call(curator, "describe_file", path=str(library / name))
        described = cast("JsonObject", found["structuredContent"])
        assert (described["kind"], described["sha256"]) == (kind, None)
        assert described["target"] == ("NUL" if kind == "link" else None)
        odd = [one["kind"] for one in cast("list[dict[str, str]]", described["findings"])]
        assert odd == (["trailing-dot-or-space"] if kind == "special" else [])


async def test_names_are_taken_as_other_tools_show_them(curator: McpService, library: Path) -> None:
    (library / os.fsdecode(b"caf\xe9")).write_bytes(b"\xff")

    shown = await call(curator, "list_largest", directory=str(library), count=10)
    assert r"caf\xe9" in json.dumps(shown["structuredContent"]).replace("\\\\", "\\")
    described = await call(curator, "describe_file", path=rf"{library}/caf\xe9")
    assert cast("JsonObject", described["structuredContent"])["size"] == 1
    excerpt = await call(curator, "read_excerpt", path=rf"{library}/caf\xe9")
    assert text_of(excerpt) == r"\xff"


@pytest.mark.parametrize("tool", ["describe_file", "read_excerpt"])
async def test_a_file_that_is_not_there_is_one_clear_line(
    curator: McpService, library: Path, tool: str
) -> None:
    result = await call(curator, tool, path=str(library / "no"))

    assert text_of(result) == (
        f"[file-not-found] expected an existing file, got '{library}/no', which does not exist"
    )


async def test_an_excerpt_is_the_lines_that_were_asked_for(
    curator: McpService, library: Path
) -> None:
    path = str(library / "one.txt")
    whole = await call(curator, "read_excerpt", path=path)
    second = await call(curator, "read_excerpt", path=path, first_line=2, lines=1)
    folder = await call(curator, "read_excerpt", path=str(library / "sub"))
    (library / "long").write_bytes(b"a\n" + b"x" * 100_000)
    long = await call(curator, "read_excerpt", path=str(library / "long"))

    assert text_of(whole) == "the same\nin two files\n"
    assert text_of(second) == "in two files\n"
    assert text_of(folder).startswith("[file-unreadable] expected a regular file, got ")
    assert text_of(long) == "a\n" + "x" * 65_534 + "\n..."


async def test_folders_are_compared_by_path_and_content(
    curator: McpService, library: Path, tmp_path: Path
) -> None:
    backup = tmp_path / "backup"
    (backup / "sub").mkdir(parents=True)
    (backup / "one.txt").write_text("the same\nin two files\n", encoding="utf-8")
    (backup / "sub" / "two.txt").write_text("the same\nin 2 files..\n", encoding="utf-8")
    (backup / "large.bin").write_bytes(b"small")
    (backup / "NUL").touch()
    (backup / "extra").write_bytes(b"1")
    (library / "new").write_bytes(b"1")

    result = await call(curator, "compare_folders", left=str(library), right=str(backup))

    found = structure(Comparison, result["structuredContent"])
    assert found.same == 2
    assert found.different.first == ("large.bin", "sub/two.txt")
    assert (found.only_left.first, found.only_right.first) == (("new",), ("extra",))
    assert "## Different (2)\n\n- `large.bin`\n- `sub/two.txt`" in text_of(result)
    assert "Could not be compared" not in text_of(result)


async def test_what_changes_between_walk_and_reading_cannot_be_compared(tmp_path: Path) -> None:
    for side in ("left", "right"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a").write_bytes(b"1")
    left = await survey(tmp_path / "left", ignore)
    right = await survey(tmp_path / "right", ignore)
    (tmp_path / "right" / "a").write_bytes(b"22")

    found = await compare_trees(left, right, ignore, ignore)

    assert (found.same, found.unknown.first) == (0, ("a",))
    assert [problem.path for problem in found.problems] == [f"{tmp_path}/right/a"]


def ignore(completed: float = 0, *, total: float | None = None, message: str | None = None) -> None:
    pass


async def test_a_plan_keeps_what_the_user_says_and_removes_nothing(
    curator: McpService, library: Path
) -> None:
    os.utime(library / "one.txt", (0, 0))
    can_ask = Client(version_spoken="2025-11-25", name="host", capabilities={"elicitation": {}})
    answers: list[JsonObject | RpcError] = [
        {"action": "accept", "content": {"keep": "newest"}},
        {"action": "decline"},
    ]
    asker = Asker(client=can_ask, queues={"elicitation/create": answers})

    planned = await call(curator, "plan_cleanup", asker, directory=str(library))
    refused = await call(curator, "plan_cleanup", asker, directory=str(library))
    assumed = await call(curator, "plan_cleanup", directory=str(library))

    plan = structure(CleanupPlan, planned["structuredContent"])
    assert [(step.keep, step.remove) for step in plan.steps] == [("sub/two.txt", ("one.txt",))]
    assert (plan.rule, plan.reclaimable_bytes) == ("newest", 22)
    assert "keep `sub/two.txt`, remove `one.txt`" in text_of(planned)
    assert text_of(refused) == "No plan was made."
    assert structure(CleanupPlan, refused["structuredContent"]).rule is None
    assert structure(CleanupPlan, assumed["structuredContent"]).rule == "shortest-path"
    assert (library / "one.txt").exists()


async def test_of_a_file_with_several_names_all_names_have_to_go(
    curator: McpService, library: Path
) -> None:
    (library / "sub" / "zwei.txt").hardlink_to(library / "sub" / "two.txt")

    result = await call(curator, "plan_cleanup", directory=str(library))

    (step,) = structure(CleanupPlan, result["structuredContent"]).steps
    assert (step.keep, step.remove) == ("one.txt", ("sub/two.txt", "sub/zwei.txt"))


async def test_without_duplicates_there_is_nothing_to_clean_up(
    curator: McpService, library: Path
) -> None:
    result = await call(curator, "plan_cleanup", directory=str(library / "sub"))

    assert "nothing to clean up" in text_of(result)


async def test_a_number_is_an_object_for_programs_and_text_for_people(
    curator: McpService, library: Path
) -> None:
    result = await call(curator, "count_files", directory=str(library), pattern="*.txt")

    assert (text_of(result), result["structuredContent"]) == ("2", {"result": 2})


async def test_without_a_library_directories_have_to_be_named_in_full(
    curator: McpService,
) -> None:
    for directory in (None, "sub"):
        result = await call(curator, "count_files", directory=directory)
        assert text_of(result).startswith("[no-library] expected a")
        assert "CURATOR_ROOT" in text_of(result)


async def test_a_confined_server_takes_relative_paths_and_looks_nowhere_else(
    confined: McpService, library: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").touch()
    (library / "way-out").symlink_to(tmp_path / "secret")

    assert text_of(await call(confined, "count_files")) == "4"
    assert text_of(await call(confined, "count_files", directory="sub")) == "1"
    described = await call(confined, "describe_file", path="sub/two.txt")
    assert cast("JsonObject", described["structuredContent"])["path"] == f"{library}/sub/two.txt"
    for directory in ("..", "way-out", str(tmp_path / "secret"), "sub/../.."):
        result = await call(confined, "count_files", directory=directory)
        assert text_of(result).startswith("[outside-library] "), directory
    for path in ("way-out/key", "../secret/key", "sub/..", "a\0b"):
        result = await call(confined, "read_excerpt", path=path)
        assert result["isError"] is True, path
        assert text_of(result).startswith(("[outside-library] ", "[file-not-found] ")), path


async def test_the_reports_are_sections_of_an_audit(confined: McpService, library: Path) -> None:
    async def read(kind: str) -> JsonObject:
        return await confined.handle("resources/read", {"uri": f"curator://report/{kind}"}, Asker())

    beginnings = {
        "inventory": "## Inventory\n\n**4 files** in **2 directories**",
        "duplicates": "## Duplicates\n\n1 group of equal files",
        "findings": "## Findings",
    }
    for kind, beginning in beginnings.items():
        result = await read(kind)
        first = cast("list[JsonObject]", result["contents"])[0]
        assert first["mimeType"] == "text/markdown"
        assert str(first["text"]).startswith(beginning)
        assert result["_meta"] == meta_of("resource:curator/report")
    with pytest.raises(RpcError):
        await read("weather")


async def test_the_rules_say_something_about_every_kind_of_finding(curator: McpService) -> None:
    result = await curator.handle("resources/read", {"uri": "curator://rules"}, Asker())

    (content,) = cast("list[dict[str, str]]", result["contents"])
    assert RULES.keys() == set(get_args(FindingKind))
    assert all(f"- `{kind}`: " in content["text"] for kind in RULES)


async def test_the_prompt_begins_a_conversation_about_one_of_three_things(
    curator: McpService,
) -> None:
    async def get(focus: str, **more: str) -> list[JsonObject]:
        params: JsonObject = {"name": "triage", "arguments": {"focus": focus, **more}}
        result = await curator.handle("prompts/get", params, Asker())
        return cast("list[JsonObject]", result["messages"])

    (space,) = await get("space", directory="/music")
    assert "the directory /music" in json.dumps(space)
    asked, attached = await get("names")
    assert "the library of the server" in json.dumps(asked)
    assert cast("JsonObject", attached["content"])["type"] == "resource"
    assert len(await get("backup")) == 1
    completed = await curator.handle(
        "completion/complete",
        {
            "ref": {"type": "ref/prompt", "name": "triage"},
            "argument": {"name": "focus", "value": ""},
        },
        Asker(),
    )
    assert cast("JsonObject", completed["completion"])["values"] == ["space", "names", "backup"]


def test_a_host_gets_all_of_it_over_standard_input_and_output(
    library: Path, tmp_path: Path
) -> None:
    (tmp_path / "curator.env").write_text(f"CURATOR_ROOT={library}\n", encoding="utf-8")
    opening = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    audit = {"name": "audit_library", "arguments": {}, "_meta": {"progressToken": 7}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": opening},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": audit},
    ]

    ran = subprocess.run(
        [sys.executable, "-P", "-m", "trio_agent.serve", str(CURATOR)],
        input="".join(json.dumps(message) + "\n" for message in messages).encode(),
        capture_output=True,
        env=os.environ | {"TRIO_AGENT_ENV_FILE": str(tmp_path / "curator.env")},
        timeout=60,
        check=True,
    )

    answers = [cast("JsonObject", json.loads(line)) for line in ran.stdout.splitlines()]
    results = {one["id"]: cast("JsonObject", one["result"]) for one in answers if "id" in one}
    assert results.keys() == {1, 2, 3}
    assert cast("JsonObject", results[1]["serverInfo"])["title"] == "Curator"
    assert len(cast("list[object]", results[2]["tools"])) == len(TOOLS)
    assert cast("JsonObject", results[3]["structuredContent"])["files"] == 4
    progress = [one["params"] for one in answers if one.get("method") == "notifications/progress"]
    assert progress
    assert b"Traceback" not in ran.stderr


async def test_the_oldest_copy_can_be_kept(library: Path) -> None:
    os.utime(library / "sub" / "two.txt", (0, 0))
    surveyed = await survey(library, ignore)

    plan = plan_cleanup(surveyed, await find_duplicates(surveyed, ignore), "oldest")

    assert [step.keep for step in plan.steps] == ["sub/two.txt"]


async def test_reading_a_file_stops_between_two_chunks(library: Path) -> None:
    os.truncate(library / "large.bin", 1 << 40)
    reported: list[float] = []

    def report(
        completed: float = 0, *, total: float | None = None, message: str | None = None
    ) -> None:
        reported.append(completed)
        trio.from_thread.run_sync(scope.cancel)

    with trio.CancelScope() as scope:
        await trio.to_thread.run_sync(
            digest, library / "large.bin", report, trio.from_thread.check_cancelled
        )

    assert scope.cancelled_caught
    assert reported == [1 << 20]


def test_what_is_no_file_any_more_is_not_read(library: Path) -> None:
    (library / "folder").mkdir()

    with pytest.raises(LibraryError, match="expected a regular file") as refused:
        digest(library / "folder", ignore, ignore)
    with pytest.raises(LibraryError, match="does not exist") as missing:
        digest(library / "no", ignore, ignore)

    assert (refused.value.code, missing.value.code) == ("file-unreadable", "file-not-found")


async def test_a_name_that_the_system_refuses_is_one_clear_line(
    curator: McpService, library: Path
) -> None:
    result = await call(curator, "describe_file", path=str(library / ("x" * 300)))

    assert text_of(result).startswith("[file-unreadable] expected a file that can be read, got ")


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_the_official_client_finds_every_value_as_its_schema_promises(
    library: Path, version: McpVersion
) -> None:
    folder = {"directory": str(library)}
    file = {"path": str(library / "one.txt")}
    calls: dict[str, dict[str, object]] = {
        "audit_library": {**folder},
        "compare_folders": {"left": str(library), "right": str(library / "sub")},
        "count_files": {**folder},
        "describe_file": {**file},
        "find_duplicates": {**folder},
        "list_largest": {**folder},
        "plan_cleanup": {**folder},
        "read_excerpt": {**file},
    }
    async with open_mcp_server(
        CURATOR, version=version, elicit=lambda question: accepted(keep="oldest")
    ) as session:
        for name, arguments in calls.items():
            outcome = await session.call_tool(name, arguments)
            assert not outcome.result.is_error, name
            value = outcome.result.structured_content
            assert (value is None) is (name == "read_excerpt")
            if name == "plan_cleanup":
                assert value is not None
                assert value["rule"] == "oldest"
