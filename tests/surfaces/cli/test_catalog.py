from trio_agent.routes.record import RouteRecord
from trio_agent.surfaces.cli.catalog import FoundCommand, FoundGroup, UnknownWord, find


def record(words: str, **more: object) -> RouteRecord:
    parts = tuple(words.split())
    return RouteRecord(
        id="cli:" + "/".join(parts),
        kind="cli",
        words=parts,
        path="p",
        module="m",
        **more,  # type: ignore[arg-type]  # attributes by name
    )


RECORDS = [
    record("audit", description="Audit.", aliases=("check",)),
    record("db clean-up", title="Clean"),
    record("db user add"),
    record("check-all", title="All", description="Check all."),
]


def found(*words: str) -> object:
    return find(RECORDS, words)


def test_words_lead_to_a_command_and_the_rest_is_its_own() -> None:
    assert found("db", "user", "add", "x", "--y") == FoundCommand(
        record=RECORDS[2], argv=("x", "--y")
    )


def test_an_alias_leads_to_the_command_of_its_name() -> None:
    command = found("check", "--json")

    assert isinstance(command, FoundCommand)
    assert (command.words, command.argv) == (("audit",), ("--json",))


def test_a_group_lists_what_is_right_below_it() -> None:
    group = found("db", "--help")

    assert isinstance(group, FoundGroup)
    assert (group.words, group.argv) == (["db"], ("--help",))
    assert [(row.term, row.text) for row in group.rows] == [
        ("clean-up", "Clean"),
        ("user", "(group)"),
    ]


def test_no_words_are_the_plugin_itself() -> None:
    group = found()

    assert isinstance(group, FoundGroup)
    assert [(row.term, row.text) for row in group.rows] == [
        ("audit", "Audit."),
        ("db", "(group)"),
        ("check-all", "Check all."),
    ]


def test_an_unknown_word_is_looked_for_beside_its_likes_only() -> None:
    assert found("db", "clean-pu") == UnknownWord(
        words=["db"], word="clean-pu", known=("clean-up", "user"), suggestion="clean-up"
    )
    known = ("audit", "check-all", "db")
    assert found("clean-up") == UnknownWord(words=[], word="clean-up", known=known, suggestion=None)


def test_a_lone_dash_is_a_word() -> None:
    assert found("db", "-") == UnknownWord(
        words=["db"], word="-", known=("clean-up", "user"), suggestion=None
    )


def test_options_before_a_command_lead_nowhere() -> None:
    group = found("--json", "audit")

    assert isinstance(group, FoundGroup)
    assert group.argv == ("--json", "audit")
