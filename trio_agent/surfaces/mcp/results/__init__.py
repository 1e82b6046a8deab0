"""What a client is given of an invocation.  Sans-I/O: no task, no clock, no transport.

policy        what one client gets natively, as text, or not at all
content       a leaf as a content block
documents     a finished document as the result of tools/call, resources/read, prompts/get
progress      everything that reports, as the one number that only rises
fallbacks     progress nodes of streamed snapshots, each looked at once
projection    the events of an invocation as progress and one result
failure       a thrown error as a result, or as an error
masking       what was thrown inside of boundaries, hidden where messages are hidden
result        the result of tools/call as a public type
"""
