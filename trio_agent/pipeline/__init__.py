"""The five actors of an invocation.

    renderer, boundary   run components and send rows        (`walk`, `step`, `author`, `rendering`)
    work                 runs what was deferred
    decoder              turns rows into events; the only writer of events
    projector            hands events to a projection, and its outputs to the sink
    progress             collects reports from any thread

They do not know each other: `trio_agent.invocation` joins them with links.
"""
