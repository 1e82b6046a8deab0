"""Declared types and the JSON they stand for.

An author declares a type; the wire has JSON; this package is what lies between:

    constraint    what may stand in `Annotated[...]`: `Ge`, `Pattern`, `Description`, `Positional`
    declared      the types that have a wire form, taken apart
    words         the same types in words, for errors and help
    issues        what was wrong with a value, all of it, with places
    scalar, union how the parts are read
    structuring   JSON -> value, strictly: `structure`, `value_checker`
    parameters    the signature of a handler -> its input class: `read_signature`

The forms are those of `vocabulary.plain`, which writes what this package reads.

Deliberately nothing is re-exported here: `structuring` imports cattrs, and help for a command
needs `declared` and `words` only.  Nothing here is known to `vocabulary`.
"""
