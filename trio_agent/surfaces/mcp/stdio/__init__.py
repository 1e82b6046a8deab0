"""One connection over pipes.

framing           bytes, cut into lines
descriptors       pipes, files and terminals, read and written without blocking
outlet            the one place where lines are written
connection        a connection of the service, from its first byte to its last
sdk_connection    ... of a hand-written server of the official SDK
serving           all of it together: a server process
"""
