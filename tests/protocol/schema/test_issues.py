"""Issues in words, and the error that carries them."""

from hypothesis import given, strategies as st

from trio_agent.protocol.schema.issues import SchemaError, SchemaIssue, join_steps, show


def test_a_path_names_the_place_first() -> None:
    assert join_steps("input", ("rows", 2, "name")) == "input.rows[2].name"
    assert SchemaIssue(expected="x").path == "value"


def test_an_issue_has_three_parts() -> None:
    issue = SchemaIssue(expected="string", received={"b": 1, "a": None}, steps=("x",))
    assert str(issue.below(3)) == 'value[3].x: expected string, received {"a": null, "b": 1}'
    assert SchemaIssue(expected="string", kind="missing").shown == "nothing"


def test_a_message_spells_out_twenty_issues() -> None:
    twenty = [SchemaIssue(expected="x", steps=(n,)) for n in range(20)]
    assert SchemaError(twenty).message.count("\n") == 19
    assert SchemaError([*twenty, twenty[0]]).message.endswith("\n... and 1 more")


def test_what_is_no_json_is_shown_by_its_class() -> None:
    assert show({1, 2}) == "an instance of builtins.set"


def test_long_values_are_clipped() -> None:
    assert show("x" * 500, 10) == '"xxxxxxxx…'


def test_a_value_cannot_drive_the_terminal() -> None:
    assert show("\x1b[2J\x9b2J\u202e\udc80") == '"\\u001b[2J\\u009b2J\\u202e\\udc80"'


@given(st.one_of(st.text(), st.lists(st.text())), st.integers(2, 50))
def test_what_is_shown_is_one_short_line_that_utf_8_carries(value: object, longest: int) -> None:
    text = show(value, longest)
    assert len(text) <= longest
    assert "\n" not in text
    text.encode()
