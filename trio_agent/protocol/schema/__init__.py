"""Declared types and the JSON they stand for.

An author declares a type; the wire has JSON; this package is what lies between:

    constraint    what may stand in `Annotated[...]`: `Ge`, `Pattern`, `Description`, `Positional`
    portable      regular expressions that other languages can read too
    keywords      what a class says about its schema that its types cannot
    declared      the types that have a wire form, taken apart
    words         the same types in words, for errors and help
    validators    what the validators of attrs say, as constraints
    issues        what was wrong with a value, all of it, with places
    parameters    the signature of a handler -> its input class: `read_signature`

    scalar, container, union, attrs_class    how the parts are read
    structuring                              JSON -> value, strictly: `structure`, `value_checker`
    texts                                    values that come as text: `from_texts`

    fragments, class_graph, defaults         what a JSON Schema is made of
    dialect                                  2020-12 that draft-07 can read: `publish`
    json_schema                              `input_schema`, `output_schema`, `schema_of`, `choices`

The forms are those of `vocabulary.plain`, which writes what this package reads.

Deliberately nothing is re-exported here: `structuring` imports cattrs, while help for a command
needs `declared` and `words` only, and a listing `json_schema`.  Nothing here is known to `vocabulary`.
"""
