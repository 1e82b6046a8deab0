"""Streamable HTTP, on hypercorn's Trio worker.

headers, message, security, auth    a request, judged before anybody answers it
stream, delivery, exchange, calls   one answer, as a body or as a stream of events
session, sessions, handshake        revisions that begin with `initialize`
modern                              revisions whose requests stand for themselves
app                                 one path for each server
worker, serving                     sockets, signals, the end
"""
