"""The harness for people who write plugins: render one tree or route, and say what is expected.

    render, render_events, render_failure, render_route      (`rendering`)
    expect_document, expect_events                           (`expectations`)
    SingleTree, an application of one tree                   (`tree`)
    ScriptedHost, which answers and listens                  (`host`)

Works with any test runner; with pytest-trio's `autojump_clock` nothing takes real time.
"""

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
from trio_agent.testing.tree import (
    TEST_IDENTITY as TEST_IDENTITY,
    SingleTree as SingleTree,
)
