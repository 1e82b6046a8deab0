"""Write one async component; serve it to MCP hosts, terminals, pipes, hooks and tests.

What authors use is here; everything else is imported from its own module.
"""

from trio_agent.context.deferred import Deferred as Deferred
from trio_agent.context.handle import (
    CommandContext as CommandContext,
    ProgressReporter as ProgressReporter,
    ToolContext as ToolContext,
    agent as agent,
    defer as defer,
    use_agent as use_agent,
)
from trio_agent.context.suspension import use as use
from trio_agent.errors import (
    AgentError as AgentError,
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
