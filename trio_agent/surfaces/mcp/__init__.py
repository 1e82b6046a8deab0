"""The MCP surface: a plugin's tools, resources and prompts, served to MCP hosts.

    rpc           JSON-RPC errors and their codes
    exchange      one request as its handler sees it, and the two ends a transport joins
    (bottom up; each module says what it decides)

The service is written once, in plain dicts.  On stdio our own transport feeds it, because
importing the SDK takes longer than a host waits; over HTTP the SDK's transport does.
"""
