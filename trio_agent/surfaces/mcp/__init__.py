"""The MCP surface: a plugin's tools, resources and prompts, served to MCP hosts.

    rpc, exchange      what passes between a transport and the service: errors, one request
    containment        whatever a handler raises ends nothing else
    results/           documents as results, progress as one number, thrown errors as answers
    envelope           the eras of the protocol, decided for one request
    conversation       ... and remembered for one connection
    names, pages       names for people; apps, which are HTML
    catalog            what a server lists, and for whom
    completion, subscriptions, rounds, hosting
                       one part of the protocol each
    reporting          progress beside an invocation
    tasks/             calls that go on when they have been answered
    rendering          a request as an invocation, and an invocation as an answer
    service            which method does what

    wire/              JSON-RPC messages, and what becomes of each: quotas, duplicates, cancelling
    process/           the life of a server process: standard output, signals, the last second
    stdio/             one connection over pipes
    http/              Streamable HTTP
    client/            the other side: `trio-agent mcp`
    (bottom up in each block; a transport knows the service by two protocols only)

The service is written once, in plain dicts, and knows no transport.  `docs/explanation/mcp.md` says
why the transports are ours.
"""
