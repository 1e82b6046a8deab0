"""Every error has its code, its message and its place in the drawing."""

from __future__ import annotations

import enum
import re
from typing import Any, get_args

import attrs
import pytest

from trio_agent import errors
from trio_agent.errors import (
    ERROR_CODES,
    AgentError,
    ArtifactEpochError,
    AuthorExitError,
    AuthorRaiseError,
    ConsumerLeftError,
    ContractError,
    ErrorCode,
    HandoffRequired,
    HandoffRequiredError,
    InvocationCancelledError,
    InvocationError,
    LimitCode,
    LimitError,
    RequestError,
    StreamError,
    TrioAgentError,
    abridge,
)
from trio_agent.vocabulary.event import ErrorEvent, Failure

HANDOFF = HandoffRequired(
    invocation_id="i-1",
    route_id="cli:audit-library",
    kind="progress",
    last_sequence=7,
    completed_at=12.5,
    outcome="cancelled",
    refused={"completed": 3},
)


def test_the_codes_are_the_closed_list() -> None:
    assert frozenset(get_args(ErrorCode)) == ERROR_CODES
    assert len(get_args(ErrorCode)) == len(ERROR_CODES) == 27


def test_the_codes_are_sorted_so_that_a_missing_one_is_seen() -> None:
    assert list(get_args(ErrorCode)) == sorted(ERROR_CODES)


def test_every_limit_code_is_an_error_code() -> None:
    assert set(get_args(LimitCode)) == {code for code in ERROR_CODES if code.endswith("-exceeded")}


def test_the_drawing_shows_every_error_once_and_under_its_parent() -> None:
    drawn = re.findall(r"^ {4}([│├└─ ]*)(\w+Error) ", errors.__doc__ or "", re.MULTILINE)
    classes = [
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, Exception)
    ]

    assert sorted(name for _, name in drawn) == sorted(one.__name__ for one in classes)
    parents: list[str] = ["Exception"]
    for branch, name in drawn:
        level = len(branch) // 4 + 1
        del parents[level:]
        assert getattr(errors, name).__base__.__name__ == parents[-1]
        parents.append(name)


def test_a_contract_error_has_a_code_for_machines_and_a_message_for_people() -> None:
    error = ContractError("invalid-document", "root is a node, received 3")

    assert isinstance(error, TrioAgentError)
    assert error.code == "invalid-document"
    assert error.message == str(error) == "root is a node, received 3"


def test_a_contract_error_tells_where_the_renderer_found_it() -> None:
    error = ContractError("invalid-element", "a child is a node")
    error.at("child 2")
    error.at("Agent.Result")
    assert str(error) == "a child is a node"

    error.within("shelf.inner")
    error.at("child 7")
    error.within("shelf.outer")

    assert error.message == "a child is a node"
    assert str(error) == ("a child is a node (in component shelf.inner, at Agent.Result > child 2)")


def test_a_contract_error_of_the_component_itself_has_no_steps() -> None:
    error = ContractError("invalid-element", "a child is a node")
    error.within("shelf")

    assert str(error) == "a child is a node (in component shelf)"


def test_a_limit_error_is_a_contract_error() -> None:
    error = LimitError("event-count-exceeded", "10,001 events")

    assert isinstance(error, ContractError)
    assert (error.code, error.message) == ("event-count-exceeded", "10,001 events")


def test_a_stream_error_keeps_its_code() -> None:
    error = StreamError("flight-truncated", "row 3 is missing")

    assert (error.code, error.message) == ("flight-truncated", "row 3 is missing")


def test_a_request_error_keeps_its_code() -> None:
    error = RequestError("outside-invocation", "no invocation runs here")

    assert (error.code, error.message) == ("outside-invocation", "no invocation runs here")


def test_an_epoch_error_tells_both_identities() -> None:
    error = ArtifactEpochError(expected="epoch a", received="epoch b")

    assert error.code == "artifact-epoch-mismatch"
    assert (error.expected, error.received) == ("epoch a", "epoch b")
    assert error.message == "the rows are of epoch b, but this runtime reads epoch a"


def test_a_handoff_error_carries_the_handoff_and_names_it() -> None:
    error = HandoffRequiredError(HANDOFF)

    assert error.code == "handoff-required"
    assert error.handoff is HANDOFF
    assert error.message == (
        "invocation i-1 of cli:audit-library has ended (cancelled); progress needs a new invocation"
    )


def test_a_handoff_says_everything_a_notice_needs() -> None:
    assert attrs.asdict(HANDOFF) == {
        "invocation_id": "i-1",
        "route_id": "cli:audit-library",
        "kind": "progress",
        "last_sequence": 7,
        "completed_at": 12.5,
        "outcome": "cancelled",
        "refused": {"completed": 3},
    }


@pytest.mark.parametrize("field", [field.name for field in attrs.fields(HandoffRequired)])
def test_a_handoff_is_frozen(field: str) -> None:
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        setattr(HANDOFF, field, None)


def test_an_invocation_error_carries_its_terminal_event() -> None:
    event = ErrorEvent(4, Failure("render-failed", "boom"))
    error = InvocationError("render-failed", "boom", event=event)

    assert (error.code, error.message) == ("render-failed", "boom")
    assert error.event is event
    assert error.event.sequence == 4
    assert error.event.to_wire()["type"] == "error"


def test_a_cancelled_invocation_has_the_code_cancelled() -> None:
    error = InvocationCancelledError("cancelled by its runtime")

    assert (error.code, error.message) == ("cancelled", "cancelled by its runtime")


def test_what_authors_and_sinks_raise_is_not_caught_as_trio_agents_own() -> None:
    for error in (AgentError, AuthorExitError, AuthorRaiseError, ConsumerLeftError):
        assert not issubclass(error, TrioAgentError)


def test_an_author_chooses_code_and_message() -> None:
    error = AgentError("E_NOT_FOUND", "")

    assert error.code == "E_NOT_FOUND"
    assert str(error) == ""


@pytest.mark.parametrize(
    ("code", "shown"), [("", "''"), (" \n", "' \\n'"), (404, "404"), (None, "None")]
)
def test_an_authors_code_is_a_string_that_is_not_blank(code: Any, shown: str) -> None:
    with pytest.raises(ValueError, match="not blank") as caught:
        AgentError(code, "no such shelf")

    assert str(caught.value) == f"AgentError needs a code that is not blank, received {shown}"


def test_an_authors_code_may_be_a_member_of_an_enum() -> None:
    class Code(str, enum.Enum):  # noqa: UP042  # a StrEnum is its value already
        LOCKED = "library-locked"

    error = AgentError(Code.LOCKED, "closed on Mondays")

    assert type(error.code) is str
    assert error.code == "library-locked"


def test_an_author_who_exits_is_told_what_to_do_instead() -> None:
    assert str(AuthorExitError("shelf", 3)) == "shelf called sys.exit(3); return or raise instead"


def test_what_cannot_go_on_as_it_is_is_told_by_its_class_and_its_words() -> None:
    assert str(AuthorRaiseError("shelf", GeneratorExit())) == "shelf raised builtins.GeneratorExit"
    assert str(AuthorRaiseError("shelf", KeyError(1))) == "shelf raised builtins.KeyError: 1"


def test_a_value_is_quoted_by_its_repr() -> None:
    assert abridge("a\n") == r"'a\n'"


def test_a_long_value_is_cut_at_80_characters() -> None:
    assert abridge("x" * 78) == f"'{'x' * 78}'"
    assert abridge("x" * 79) == f"'{'x' * 76}..."


def test_a_value_without_a_repr_is_named_by_its_class() -> None:
    class Grumpy:
        def __repr__(self) -> str:
            raise ZeroDivisionError

    Grumpy.__qualname__ = "Grumpy"

    assert abridge(Grumpy()) == "<Grumpy that cannot be shown>"
    assert abridge(10**5000) == "<int that cannot be shown>"
