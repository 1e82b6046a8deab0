"""Help texts."""

import subprocess
import sys
import textwrap

import pytest
from hypothesis import given, strategies as st

from trio_agent.surfaces.cli.help.listing import NARROWEST, wrap
from trio_agent.surfaces.cli.help.usage import (
    ArgumentHelp,
    CommandHelp,
    GroupHelp,
    OptionHelp,
    RootHelp,
    Row,
    command_help,
    group_help,
    hint_line,
    root_help,
    usage_line,
)
from trio_agent.surfaces.cli.nearest import nearest

AUDIT = CommandHelp(
    words="trio-agent run curator audit-library",
    description="Audit a library.\n\nIt reads every file\nand changes none.",
    aliases=("scan", "audit"),
    notes=("Confirms nothing.",),
    arguments=(
        ArgumentHelp(name="directory", description="Where to begin."),
        ArgumentHelp(name="others", is_required=False, is_repeated=True),
    ),
    options=(
        OptionHelp(
            name="max-size", value="integer", description="In bytes.", notes=("default: 3",)
        ),
        OptionHelp(name="format", value="string", is_required=True),
        OptionHelp(name="loud"),
    ),
)


def test_a_command_tells_everything_it_takes() -> None:
    assert (
        command_help(AUDIT, 100)
        == """\
Audit a library.

It reads every file and changes none.

Usage: trio-agent run curator audit-library <directory> [others...] --format <string> [options]

Aliases: audit, scan

Confirms nothing.

Arguments:
  <directory>   Where to begin.
  [others...]

Options:
  --max-size <integer>   In bytes. (default: 3)
  --format <string>      (required)
  --loud
  --json                 Print the value as one line of JSON.
  --ndjson               Print each event as one line of JSON.
  -h, --help             Print this help.
"""
    )


def test_a_command_that_says_little_has_short_help() -> None:
    assert (
        command_help(CommandHelp(words="run it", has_events=False))
        == """\
Usage: run it [options]

Options:
  --json       Print the value as one line of JSON.
  -h, --help   Print this help.
"""
    )


def test_a_group_lists_its_commands_by_name() -> None:
    described = GroupHelp(
        words="run db",
        description="The database.",
        commands=(Row(term="vacuum", text="Give space back."), Row(term="check")),
    )
    assert (
        group_help(described)
        == """\
The database.

Usage: run db <command> [argument...] [options]

Commands:
  check
  vacuum   Give space back.

Options:
  -h, --help   Print this help.
"""
    )


def test_a_root_begins_with_name_and_version() -> None:
    described = RootHelp(
        name="curator",
        version="1.2",
        words="run curator",
        description="Looks after libraries.",
        commands=(Row(term="b"), Row(term="a", text="First.")),
        options=(Row(term="--quiet", text="Say less."),),
    )
    assert (
        root_help(described)
        == """\
curator 1.2

Looks after libraries.

Usage: run curator <command> [argument...] [options]

Commands:
  a   First.
  b

Options:
  --quiet      Say less.
  -h, --help   Print this help.
  --version    Print the version.

`run curator <command> --help` tells more about a command.
"""
    )


def test_a_root_without_version_or_commands_leaves_them_out() -> None:
    text = root_help(RootHelp(name="curator", version="", words="run"))
    assert text.startswith("curator\n\nUsage:")
    assert "Commands:" not in text


def test_text_goes_below_a_term_that_is_too_long() -> None:
    option = OptionHelp(name="a-name-that-takes-half", value="string", description="Its text.")
    text = command_help(CommandHelp(words="run", options=(option,)), 40)
    assert "  --a-name-that-takes-half <string>\n               Its text.\n" in text


def test_help_is_wrapped_down_to_twenty_columns() -> None:
    described = CommandHelp(words="run it", description="Looks at each file of a library.")
    for columns in (20, 7):
        text = command_help(described, columns)
        assert text.startswith("Looks at each file\nof a library.\n\nUsage: run it\n")
        assert "  --json     Print\n             the\n" in text


def test_lines_after_an_error_are_never_wrapped() -> None:
    assert usage_line(AUDIT) == (
        "Usage: trio-agent run curator audit-library"
        " <directory> [others...] --format <string> [options]"
    )
    assert hint_line(AUDIT) == "Run `trio-agent run curator audit-library --help` for help."


@pytest.mark.parametrize(
    ("word", "known"), [("audti", "audit"), ("scna", "scan"), ("xyz", None), ("", None)]
)
def test_a_near_miss_is_recognised(word: str, known: str | None) -> None:
    assert nearest(word, ["audit", "scan"]) == known


words = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=12)
sentences = st.lists(words, max_size=30).map(" ".join)


@given(
    st.builds(
        CommandHelp,
        words=words,
        description=sentences,
        arguments=st.lists(st.builds(ArgumentHelp, name=words, description=sentences)).map(tuple),
        options=st.lists(st.builds(OptionHelp, name=words, description=sentences)).map(tuple),
    ),
    st.integers(0, 160),
)
def test_help_fits_the_columns_and_loses_no_word(described: CommandHelp, columns: int) -> None:
    text = command_help(described, columns)
    for line in text.splitlines():
        # Only a word that does not fit behind its margin goes on.
        assert len(line) <= max(columns, NARROWEST) or line.rpartition(" ")[0].endswith(" ")
    assert all(line == line.rstrip() for line in text.splitlines())
    found = text.split()
    said = [described.description]
    said += [argument.description for argument in described.arguments]
    said += [option.description for option in described.options]
    assert set(" ".join(said).split()) <= set(found)


@given(sentences, st.integers(0, 60), st.sampled_from(["", "  ", "  a term   "]))
def test_wrapping_is_that_of_the_standard_library(text: str, columns: int, first: str) -> None:
    expected = textwrap.fill(
        text,
        max(columns, NARROWEST),
        initial_indent=first,
        subsequent_indent="   ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    if text:
        assert wrap(text, columns, first=first, subsequent="   ") == expected


def test_help_of_a_command_needs_neither_cattrs_nor_rich() -> None:
    code = (
        "import sys, trio_agent.surfaces.cli.grammar, trio_agent.surfaces.cli.help.usage;"
        "print([name for name in ('cattrs', 'rich', 'difflib', 'mcp') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert done.stdout == "[]\n"
