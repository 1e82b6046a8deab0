"""Values: elements, nodes, documents, events, invocations, identities.

Frozen, detached from what the author passed in, and documented with their wire form.  No Trio
and no I/O: a value decides nothing but whether it is well-formed.

Read `json`, then `leaf`, `media`, `result`, `document`, `event`; `element` and `agent` are what
authors write; `invocation` and `identity` say who asked, and of which build.
"""
