"""Doing what `inspect` was asked for: read, perhaps import, and show.

Only `--check` imports anything of the plugin's, or Trio; what its modules print goes to standard
error like anything that is printed while a command runs.  Above: `shell`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trio_agent.protocol.output import Output
from trio_agent.protocol.schema.issues import DeclarationError
from trio_agent.routes.examination import examine
from trio_agent.routes.plugin import PluginError
from trio_agent.surfaces.cli.complaint import FAILURE, SUCCESS, Complaint
from trio_agent.surfaces.cli.inspect.page import inspection_json, inspection_page

if TYPE_CHECKING:
    from trio_agent.routes.examination import Examination
    from trio_agent.routes.handler import Handled
    from trio_agent.surfaces.cli.inspect.words import Inspection
    from trio_agent.surfaces.cli.streams import StandardStreams


def run_inspect(inspection: Inspection, streams: StandardStreams) -> int | Complaint:
    """Show the plugin; the exit code.

    Raises:
        OSError: standard output cannot be written.
    """
    try:
        found = _examine(inspection)
    except PluginError as error:
        return Complaint.of_error(error, FAILURE)
    if inspection.is_json:
        streams.write(Output("stdout", inspection_json(found), is_json=True))
    else:
        streams.write(Output("stdout", inspection_page(found, inspection.columns)))
    return FAILURE if inspection.is_check and found.errors else SUCCESS


def _examine(inspection: Inspection) -> Examination:
    found = examine(inspection.plugin)
    if not inspection.is_check or not found.is_manifest_right:
        # Nothing can be loaded while `plugin.toml` is wrong.
        return found
    # lazy: it imports Trio and the plugin, which looking does not.
    from trio_agent.routes.application import PluginApplication  # noqa: PLC0415
    from trio_agent.routes.checking import check  # noqa: PLC0415
    from trio_agent.surfaces.cli.tool_grammar import tool_grammar  # noqa: PLC0415

    return found.with_more(check(PluginApplication(inspection.plugin), tool_grammar, _refusal))


def _refusal(route: Handled) -> str | None:
    # lazy: as above.
    from trio_agent.surfaces.cli.grammar import read_grammar  # noqa: PLC0415

    try:
        read_grammar(route.signature.input_type)
    except DeclarationError as error:
        return str(error)
    return None
