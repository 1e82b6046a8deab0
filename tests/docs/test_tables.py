"""The tables of the reference have a row for everything that the code knows, and no other."""

import inspect
import re
from typing import get_args

from tests.docs.pages import read
from trio_agent import command, tool_command
from trio_agent.routes import manifest, sections
from trio_agent.routes.diagnostic import DiagnosticCode
from trio_agent.routes.flags import KEYS
from trio_agent.routes.record import ServerMode
from trio_agent.routes.settings import ErrorSurface
from trio_agent.surfaces.cli import complaint
from trio_agent.vocabulary.agent import KINDS
from trio_agent.vocabulary.event import event_from_wire


def first_cells(page: str, heading: str) -> list[str]:
    """The first cells of the tables between a heading and the next."""
    section = re.split(rf"^#+ {re.escape(heading)}$", read(page), flags=re.MULTILINE)[1]
    body = re.split(r"^#+ ", section, flags=re.MULTILINE)[0]
    rows = re.findall(r"^\| ([^|]+) \|", body, re.MULTILINE)
    return [cell.strip("`") for cell in rows if not cell.startswith("-")][1:]


def test_the_arguments_of_command() -> None:
    cells = first_cells("docs/reference/routes.md", "`@command`")

    assert set(cells) == {*inspect.signature(command).parameters}


def test_the_arguments_of_tool_command() -> None:
    cells = first_cells("docs/reference/routes.md", "`@tool_command`")

    middle = cells.index("in `flags")
    assert cells[:middle] == [*inspect.signature(tool_command).parameters]
    assert cells[middle + 1 :] == [*KEYS]


def test_the_diagnostics() -> None:
    assert first_cells("docs/reference/routes.md", "Diagnostics") == [*get_args(DiagnosticCode)]


def test_the_keys_of_the_manifest() -> None:
    page = "docs/reference/plugin-toml.md"
    cells = [cell.partition(".")[0] for cell in first_cells(page, "Keys")]

    assert cells == [*manifest.KEYS]
    # Two tables: the modes, and the keys below them.
    assert first_cells(page, "Servers") == [*get_args(ServerMode), "key", *sections.SERVER_KEYS]
    assert first_cells(page, "Commands") == [*sections.COMMAND_KEYS]
    assert first_cells(page, "Clients") == [*sections.CLIENT_KEYS]
    assert first_cells(page, "Errors") == [*get_args(ErrorSurface)]
    assert first_cells(page, "Web") == [*sections.WEB_KEYS]


def test_the_exit_codes() -> None:
    cells = first_cells("docs/reference/cli.md", "Exit codes")

    assert cells == [
        str(complaint.SUCCESS),
        "any",
        str(complaint.FAILURE),
        str(complaint.USAGE),
        str(complaint.signalled(2)),
        str(complaint.LEFT),
        str(complaint.signalled(15)),
    ]


def test_the_kinds_of_nodes() -> None:
    assert first_cells("docs/reference/nodes.md", "Kinds") == [*KINDS]


def test_every_kind_of_event_has_a_row() -> None:
    cells = first_cells("docs/reference/events.md", "Events")
    known = inspect.getmodule(event_from_wire)

    assert [name for name in cells if name.endswith("Event")] == [
        name for name in vars(known) if name.endswith("Event") and name != "RenderEvent"
    ]


def test_every_kind_of_node_has_a_row_for_mcp() -> None:
    cells = ", ".join(first_cells("docs/reference/mcp.md", "`tools/call`"))
    contents = ", ".join(first_cells("docs/reference/mcp.md", "`resources/read`"))

    assert [kind for kind in KINDS if kind.lower() not in cells] == []
    assert [kind for kind in KINDS if kind.lower() not in contents] == ["Result", "Progress"]
