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

The service is written once, in plain dicts.  On stdio our own transport feeds it, because
importing the SDK takes longer than a host waits; over HTTP the SDK's transport does.
"""
