"""The harness for people who write plugins: render one tree or route, and say what is expected.

    render, render_events, render_failure, render_route      (`rendering`)
    plugin_route, a route of a plugin by its id              (`plugin_route`)
    expect_document, expect_events                           (`expectations`)
    SingleTree, an application of one tree                   (`tree`)
    ScriptedHost, which answers and listens                  (`host`)
    open_mcp_server, invoke_mcp_tool, read_mcp_resource, get_mcp_prompt, list_mcp_surface
                                                             (`mcp`)
    invoke_cli, cli_json, cli_ndjson, a command line         (`cli`)
    run_script, script_json, script_ndjson, a script         (`scripts`)
    create_capability_fixture, project_events                (`capabilities`)
    Provenance, what a result proves                         (`proof`)

Works with any test runner; with pytest-trio's `autojump_clock` nothing takes real time.
The SDK is imported only when an MCP server is opened.
"""

from trio_agent.testing.capabilities import (
    CapabilityFixture as CapabilityFixture,
    ProjectedResult as ProjectedResult,
    create_capability_fixture as create_capability_fixture,
    project_events as project_events,
)
from trio_agent.testing.cli import (
    cli_json as cli_json,
    cli_ndjson as cli_ndjson,
    invoke_cli as invoke_cli,
)
from trio_agent.testing.cli_outcome import (
    CliOptions as CliOptions,
    CliOutcome as CliOutcome,
)
from trio_agent.testing.expectations import (
    DocumentExpectation as DocumentExpectation,
    EventsExpectation as EventsExpectation,
    expect_document as expect_document,
    expect_events as expect_events,
)
from trio_agent.testing.host import (
    ScriptedHost as ScriptedHost,
    accepted as accepted,
    declined as declined,
)
from trio_agent.testing.mcp import (
    get_mcp_prompt as get_mcp_prompt,
    invoke_mcp_tool as invoke_mcp_tool,
    list_mcp_surface as list_mcp_surface,
    open_mcp_server as open_mcp_server,
    read_mcp_resource as read_mcp_resource,
)
from trio_agent.testing.mcp_log import ServerNotification as ServerNotification
from trio_agent.testing.mcp_options import (
    AnswerQuestion as AnswerQuestion,
    McpOptions as McpOptions,
    McpVersion as McpVersion,
)
from trio_agent.testing.mcp_session import (
    McpOutcome as McpOutcome,
    McpSession as McpSession,
    McpSurface as McpSurface,
)
from trio_agent.testing.mcp_tasks import McpTasks as McpTasks
from trio_agent.testing.plugin_route import (
    PluginRoute as PluginRoute,
    TestedPlugin as TestedPlugin,
    plugin_route as plugin_route,
)
from trio_agent.testing.proof import (
    PROOF_LEVELS as PROOF_LEVELS,
    HarnessError as HarnessError,
    ProofLevel as ProofLevel,
    Provenance as Provenance,
)
from trio_agent.testing.rendering import (
    FailedRender as FailedRender,
    Rendered as Rendered,
    Route as Route,
    Subject as Subject,
    make_invocation as make_invocation,
    render as render,
    render_events as render_events,
    render_failure as render_failure,
    render_route as render_route,
)
from trio_agent.testing.scripts import (
    run_script as run_script,
    script_json as script_json,
    script_ndjson as script_ndjson,
)
from trio_agent.testing.tree import (
    TEST_IDENTITY as TEST_IDENTITY,
    SingleTree as SingleTree,
)
