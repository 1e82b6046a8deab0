"""JSON-RPC as MCP uses it, for every transport that has messages.

jsonrpc       a line as a message, strictly
encoding      a message as a line
questions     what is asked of the client, and its answers
call          one request while it is answered
dispatcher    what becomes of each message: quotas, duplicates, cancellation
"""
