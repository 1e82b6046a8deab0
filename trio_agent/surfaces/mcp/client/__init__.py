"""The other side of MCP: a client for a person who wants to see what a server says.

    words      what was typed
    launch     which process that means
    process    that process, from its start to its certain end
    caller     one connection as its client: eras, requests, answers, progress
    page       listings and results for people
    run        all of it together

It speaks what the server speaks and nothing of the SDK's, whose import takes longer than most
calls.  Only a process over stdio can be called.
"""
