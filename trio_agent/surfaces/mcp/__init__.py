"""The MCP surface: a plugin's tools, resources and prompts, served to MCP hosts.

    rpc           JSON-RPC errors and their codes
    exchange      one request as its handler sees it, and the two ends a transport joins
    policy        what one client gets natively, as text, or not at all
    content       a leaf as a content block
    progress      everything that reports, as the one number that only rises
    fallbacks     progress nodes of streamed snapshots, each looked at once
    documents     a finished document as the result of tools/call, resources/read, prompts/get
    projection    the events of an invocation as progress and one result
    reporting     when that number is written, beside the invocation
    failure       a thrown error as a result, or as an error
    result        the result of tools/call as a public type
    (bottom up; each module says what it decides)

    framing       bytes from a pipe, cut into lines
    jsonrpc       a line as a message, strictly
    encoding      a message as a line
    questions     what is asked of the client, and its answers
    call          one request while it is answered
    dispatcher    what becomes of each message: quotas, duplicates, cancellation
    descriptors   pipes, files, terminals
    outlet        the one place where lines are written
    connection    the life of a connection over bytes
    starting, guard, lossy, interruption, watchdog, heartbeat
                  the life of a server process
    stdio         all of it together
    (our transport; `call` and what is above it in this list serve HTTP too)

    http_message  one HTTP request and its answer
    http_stream   the lines that one client gets, whether or not it is there
    http_session  one handshake session: a dispatcher whose answers do not share a pipe
    http_modern   requests that stand for themselves
    http_app      all of it as an ASGI app
    http_serving  ... at an address, until a signal

The service is written once, in plain dicts, and both transports that feed it are our own:
`docs/explanation/mcp.md` says why the SDK's are not used.
"""
