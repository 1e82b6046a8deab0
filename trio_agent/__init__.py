"""Write one async component; serve it to MCP hosts, terminals, pipes, hooks and tests.

What authors use is here; everything else is imported from its own module.  A name is loaded
when it is first asked for: `trio-agent --help` needs none of them, and making all the classes
takes longer than a shell user should wait.
"""

from __future__ import annotations

from importlib import import_module

from trio_agent.version import __version__ as __version__

# `typing` takes longer than help may; a type checker knows this name by heart.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from trio_agent.context.ambient import (
        agent as agent,
        defer as defer,
        use_agent as use_agent,
    )
    from trio_agent.context.backstage import ProgressReporter as ProgressReporter
    from trio_agent.context.deferred import Deferred as Deferred
    from trio_agent.context.handle import (
        CommandContext as CommandContext,
        LayoutContext as LayoutContext,
        PromptContext as PromptContext,
        ResourceContext as ResourceContext,
        ScriptContext as ScriptContext,
        ToolContext as ToolContext,
    )
    from trio_agent.context.process import (
        CompletedProcess as CompletedProcess,
        ProcessError as ProcessError,
        run_process as run_process,
    )
    from trio_agent.context.providers import (
        ProcessLifetime as ProcessLifetime,
        ProviderContext as ProviderContext,
    )
    from trio_agent.context.suspension import use as use
    from trio_agent.errors import (
        AgentError as AgentError,
        ConsumerLeftError as ConsumerLeftError,
        HandoffRequired as HandoffRequired,
        HandoffRequiredError as HandoffRequiredError,
        InvocationCancelledError as InvocationCancelledError,
        InvocationError as InvocationError,
        TrioAgentError as TrioAgentError,
    )
    from trio_agent.invocation import Runtime as Runtime
    from trio_agent.limits import LimitOverrides as LimitOverrides, Limits as Limits
    from trio_agent.pipeline.program import Application as Application, Program as Program
    from trio_agent.pipeline.stream import EventStream as EventStream
    from trio_agent.protocol.projection import Projection as Projection, Sink as Sink
    from trio_agent.protocol.schema.constraint import (
        Description as Description,
        Ge as Ge,
        Gt as Gt,
        Header as Header,
        Le as Le,
        Lt as Lt,
        MaxLength as MaxLength,
        MinLength as MinLength,
        Pattern as Pattern,
        Positional as Positional,
        Url as Url,
    )
    from trio_agent.protocol.schema.keywords import schema_keywords as schema_keywords
    from trio_agent.routes.commands import command as command
    from trio_agent.routes.layouts import RouteInfo as RouteInfo, layout as layout
    from trio_agent.routes.prompts import prompt as prompt
    from trio_agent.routes.providers import provider as provider
    from trio_agent.routes.resources import resource as resource
    from trio_agent.routes.scripts import script as script
    from trio_agent.routes.tool_commands import tool_command as tool_command
    from trio_agent.routes.tools import tool as tool
    from trio_agent.surfaces.mcp.results.result import (
        CallToolResult as CallToolResult,
        ContentBlock as ContentBlock,
        attach_structured_content as attach_structured_content,
    )
    from trio_agent.vocabulary.agent import Agent as Agent
    from trio_agent.vocabulary.document import AgentDocument as AgentDocument
    from trio_agent.vocabulary.element import (
        Fragment as Fragment,
        Node as Node,
        Suspense as Suspense,
        component as component,
    )
    from trio_agent.vocabulary.field import Annotations as Annotations
    from trio_agent.vocabulary.invocation import Invocation as Invocation
    from trio_agent.vocabulary.message import Message as Message

_HOMES = {
    "trio_agent.context.ambient": ("agent", "defer", "use_agent"),
    "trio_agent.context.backstage": ("ProgressReporter",),
    "trio_agent.context.deferred": ("Deferred",),
    "trio_agent.context.handle": (
        "CommandContext",
        "LayoutContext",
        "PromptContext",
        "ResourceContext",
        "ScriptContext",
        "ToolContext",
    ),
    "trio_agent.context.process": ("CompletedProcess", "ProcessError", "run_process"),
    "trio_agent.context.providers": ("ProcessLifetime", "ProviderContext"),
    "trio_agent.context.suspension": ("use",),
    "trio_agent.errors": (
        "AgentError",
        "ConsumerLeftError",
        "HandoffRequired",
        "HandoffRequiredError",
        "InvocationCancelledError",
        "InvocationError",
        "TrioAgentError",
    ),
    "trio_agent.invocation": ("Runtime",),
    "trio_agent.limits": ("LimitOverrides", "Limits"),
    "trio_agent.pipeline.program": ("Application", "Program"),
    "trio_agent.pipeline.stream": ("EventStream",),
    "trio_agent.protocol.projection": ("Projection", "Sink"),
    "trio_agent.protocol.schema.constraint": (
        "Description",
        "Ge",
        "Gt",
        "Header",
        "Le",
        "Lt",
        "MaxLength",
        "MinLength",
        "Pattern",
        "Positional",
        "Url",
    ),
    "trio_agent.protocol.schema.keywords": ("schema_keywords",),
    "trio_agent.routes.commands": ("command",),
    "trio_agent.routes.layouts": ("RouteInfo", "layout"),
    "trio_agent.routes.prompts": ("prompt",),
    "trio_agent.routes.providers": ("provider",),
    "trio_agent.routes.resources": ("resource",),
    "trio_agent.routes.scripts": ("script",),
    "trio_agent.routes.tool_commands": ("tool_command",),
    "trio_agent.routes.tools": ("tool",),
    "trio_agent.surfaces.mcp.results.result": (
        "CallToolResult",
        "ContentBlock",
        "attach_structured_content",
    ),
    "trio_agent.vocabulary.agent": ("Agent",),
    "trio_agent.vocabulary.document": ("AgentDocument",),
    "trio_agent.vocabulary.element": ("Fragment", "Node", "Suspense", "component"),
    "trio_agent.vocabulary.field": ("Annotations",),
    "trio_agent.vocabulary.invocation": ("Invocation",),
    "trio_agent.vocabulary.message": ("Message",),
}
"""Where each public name lives; a test holds it against the imports above."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'trio_agent' has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})
