"""Decisions, sans-I/O: plain synchronous objects that the actors move values between.

    rows, filling, tree, rope, boundary, assembler   rows in, document snapshots and decisions out
    ledger, gate                                     what is charged, what is numbered
    schema                                           reading JSON into declared types
    markdown, output, projection                     what a reader is given

No Trio, no actors, no clock of their own: time is an argument.  Below: `vocabulary`.  Above:
`context` and `pipeline`.
"""
