"""The wall: what must hold of every invocation, whatever was drawn.

`check` is given a trial that is over.  What holds of any is here; what depends on two trials, or
on how one was struck, is in the tests.  Each function is one rule and names it when it is broken.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final

import trio

from fuzz.oracle import Wire
from fuzz.trees import BROKE, CLEANUP_S
from fuzz.trial import Trial
from trio_agent import (
    AgentDocument,
    HandoffRequiredError,
    InvocationCancelledError,
    InvocationError,
)
from trio_agent.errors import AgentError, AuthorExitError, ContractError, LimitError
from trio_agent.pipeline.work import DeferredFailedError
from trio_agent.protocol.assembler import RootFailedError
from trio_agent.vocabulary.event import (
    CompleteEvent,
    ErrorEvent,
    ProgressEvent,
    RenderEvent,
    ReplaceEvent,
    ShellEvent,
    event_size,
    snapshot_size,
)

_DOCUMENT_STATUS: Final = ("success", "represented-error")
STRUCK: Final = "struck before step"
"""In the message of a crash that the test made."""


def check(trial: Trial) -> None:
    """Hold a trial that is over against everything that holds of any.

    Raises:
        AssertionError: what was kept aside while it ran, or the rule that is broken.
    """
    if trial.kept:
        raise trial.kept[0]
    events = [event for _, event in trial.events]
    check_prefix(events)
    check_decisions(trial, events)
    check_sizes(trial, events)
    check_rate(trial)
    check_error(trial, events)
    if trial.finished:
        check_completion(trial, events)
    elif trial.returned:
        assert trial.error is not None, "neither a result nor an error"
    check_nothing_is_accepted(trial)


# ---------------------------------------------------------------------------------- events


def check_prefix(events: Sequence[RenderEvent]) -> None:
    """Any number of first events of a legal stream."""
    assert [event.sequence for event in events] == list(range(len(events))), "gaps"
    if not events:
        return
    assert isinstance(events[0], ShellEvent), f"{events[0].type} comes before the shell"
    assert not any(isinstance(event, ShellEvent) for event in events[1:]), "a second shell"
    assert not any(isinstance(event, CompleteEvent) for event in events[:-1]), "early complete"
    told = [one.boundary_id for one in events if isinstance(one, (ReplaceEvent, ErrorEvent))]
    assert None not in told, "a terminal error among the events"
    assert len(set(told)) == len(told), f"a boundary was told of twice: {told}"


def check_decisions(trial: Trial, events: Sequence[RenderEvent]) -> None:
    """Events but progress are what was decided, in that order, with the document of that row."""
    decisions = trial.witnesses[0].decisions if trial.witnesses else []
    told = [one for one in events if not isinstance(one, (ProgressEvent, CompleteEvent))]
    for event, (kind, boundary_id, wire) in zip(told, decisions, strict=False):
        assert event.type == kind, f"{event.type} where {kind} was decided"
        assert getattr(event, "boundary_id", "") == boundary_id, "another boundary"
        assert event.document is not None
        assert event.document.to_wire() == wire, f"the document of event {event.sequence}"
    assert len(told) <= len(decisions), "more events than decisions"
    for event in told:
        if isinstance(event, ErrorEvent):
            expected = BROKE in event.error.message or STRUCK in event.error.message
            assert expected, f"a boundary failed for {event.error}"


def check_sizes(trial: Trial, events: Sequence[RenderEvent]) -> None:
    """What sizes are added up to is what texts have, and no event is too large."""
    for event in events:
        size = len(event.wire_text().encode())
        if isinstance(event, (ProgressEvent, ErrorEvent)):
            assert event_size(event) == size
            most = size
        else:
            size -= event.document.root.media
            most = snapshot_size(event.document, getattr(event, "boundary_id", ""))
        assert size <= most <= trial.limits.max_event_bytes, f"event {event.sequence}"
        document = getattr(event, "document", None)
        if isinstance(document, AgentDocument):
            document.check(trial.limits)
    assert len(events) <= trial.limits.max_events, "too many events"


def check_rate(trial: Trial) -> None:
    """No second has more events than allowed; a slow consumer's clock says nothing of that."""
    if trial.plan.slowness:
        return
    times = [at for at, _ in trial.events]
    rate = trial.limits.max_event_rate
    for first, after in zip(times, times[rate:], strict=False):
        assert after >= first + 1, f"more than {rate} events in a second"


def check_completion(trial: Trial, events: Sequence[RenderEvent]) -> None:
    """All was told, and the end says what was seen last."""
    assert trial.error is None
    assert events, "no event"
    last = events[-1]
    assert isinstance(last, CompleteEvent), f"the last event is {last.type}"
    witness, ledger = trial.witnesses[0], trial.ledgers[0]
    told = [one for one in events if not isinstance(one, (ProgressEvent, CompleteEvent))]
    assert len(told) == len(witness.decisions), "decisions that nobody was told of"
    assert last.document.to_wire() == witness.decisions[-1][2]
    assert last.document.status == (
        "represented-error" if "error" in _kinds(last.document.to_wire()["root"]) else "success"
    )
    ids = {getattr(event, "boundary_id", None) for event in told}
    # What stands in a fallback goes without a word when the content comes.
    missed = {owed for owed in witness.owed - ids if ".f" not in owed}
    assert not missed, f"pending boundaries that came to nothing: {missed}"
    assert last.document.size <= ledger.size, "the ledger has less than the document"
    if "max_events" not in trial.plan.limits:
        check_last_reports(trial, events)


def check_last_reports(trial: Trial, events: Sequence[RenderEvent]) -> None:
    """The last report of each source that was accepted came before `complete`."""
    last = {one.source: one.completed for one in events if isinstance(one, ProgressEvent)}
    assert last == trial.site.reports, f"reports told {last}, accepted {trial.site.reports}"


def _kinds(node: object) -> Iterator[str]:
    """The kinds of all nodes."""
    if isinstance(node, dict):
        yield str(node.get("kind"))
        for child in node.get("children", ()):
            yield from _kinds(child)


# ---------------------------------------------------------------------------------- endings


def check_error(trial: Trial, events: Sequence[RenderEvent]) -> None:
    """A failure is the author's, a limit's or the contract's; never a bug of ours."""
    error = trial.error
    if error is None or isinstance(error, InvocationCancelledError):
        return
    assert isinstance(error, InvocationError), f"the caller got {error!r}"
    wire = error.event.to_wire()
    assert "boundaryId" not in wire, "the terminal error names a boundary"
    assert wire["type"] == "error"
    causes = list(_leaves(error.__cause__))
    if events and isinstance(events[-1], CompleteEvent):
        # Whoever had taken it crashed.
        assert any(STRUCK in str(one) for one in causes), f"failed after complete: {causes}"
        assert error.event.sequence == events[-1].sequence
    else:
        check_number(trial, error.event.sequence - 1)
    for one in causes:
        is_known = isinstance(
            one, (AgentError, AuthorExitError, ContractError, DeferredFailedError, RootFailedError)
        )
        assert is_known or BROKE in str(one) or STRUCK in str(one), f"failed for {one!r}"
    if isinstance(error.__cause__, LimitError):
        assert trial.plan.limits, f"{error} without a tiny limit"


def _leaves(error: BaseException | None) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
    elif error is not None:
        yield error


def check_nothing_is_accepted(trial: Trial) -> None:
    """The runtime has forgotten the invocation, work is settled, and producers are refused."""
    assert not trial.runtime.cancel(trial.invocation.id), "the runtime still knows it"
    pending = [deferred for deferred in trial.site.deferred if not deferred.is_settled]
    assert not pending, f"never settled: {pending}"
    request = trial.request
    if request is None:
        return
    for kind in ("progress", "defer"):
        try:
            if kind == "progress":
                request.progress.report(7, total=9, message="late")
            else:
                _ = request.defer(_late_work)
        except HandoffRequiredError as error:
            handoff = error.handoff
        else:
            raise AssertionError(f"{kind} was accepted after the end")
        assert handoff.kind == kind
        assert handoff.invocation_id == trial.invocation.id
        assert handoff.route_id == "cli:fuzz"
        assert handoff.refused == (
            {"completed": 7, "total": 9, "message": "late"} if kind == "progress" else "_late_work"
        )
        check_ending(trial, handoff.outcome, handoff.last_sequence, handoff.completed_at)


async def _late_work() -> None:
    await trio.lowlevel.checkpoint()


def check_ending(trial: Trial, outcome: str, last_sequence: int, completed_at: float) -> None:
    """What a refusal tells of how it ended."""
    assert completed_at <= trial.ended_at
    taken = trial.offered
    if trial.finished:
        last = trial.events[-1][1]
        assert isinstance(last, CompleteEvent)
        assert outcome == last.document.status, f"it ended as {outcome}, but with a document"
        assert last_sequence == last.sequence
    elif outcome in _DOCUMENT_STATUS:
        # `complete` had its number, but something struck before it was taken.
        assert last_sequence >= taken - 1
    else:
        if isinstance(trial.error, InvocationError):
            assert outcome == "failed", f"it ended as {outcome}, but failed"
            assert last_sequence == trial.error.event.sequence
            return
        assert outcome == "cancelled", f"it ended as {outcome}, but was cancelled"
        check_number(trial, last_sequence)


def check_number(trial: Trial, last_sequence: int) -> None:
    """No more numbers were given than events were taken or on their way."""
    untaken = last_sequence - (trial.offered - 1)
    # One is on its way at a time, and one may get lost when the projector crashes; but the last
    # reports of all sources are numbered together.
    assert 0 <= untaken <= 2 + len(trial.site.reports), f"{untaken} numbered and not taken"


def check_quick_end(trial: Trial) -> None:
    """Once struck, it takes no longer than its components take to clean up.

    Twice that, since one that was cleaning up already may end in peace, and only what comes after
    it meets the cancellation, in its first step.
    """
    assert trial.struck_at is not None
    took = trial.ended_at - trial.struck_at
    assert took <= 2 * CLEANUP_S, f"{took} s from the strike to the end"


def tell_story(trial: Trial) -> str:
    """What came when, in the words of `fixed.Fixed.story`."""
    told: list[str] = []
    for at, event in trial.events:
        what = f"{at:g} {event.type}"
        if event.type != "progress" or what not in told:
            told.append(what)
    return f"{', '.join(told)}; {trial.ended_at:g}"


# ---------------------------------------------------------------------------------- two trials


def final_document(trial: Trial, *, named: bool) -> Wire | None:
    """What came out; without the names of failures, unless they are *named*."""
    if not trial.finished:
        return None
    last = trial.events[-1][1]
    assert isinstance(last, CompleteEvent)
    text = last.document.wire_text()
    document: Wire = json.loads(text)
    return document if named else _without_names(document)


def _without_names(wire: object) -> Wire:
    assert isinstance(wire, dict)
    plain: Wire = dict(wire)
    if plain.get("kind") == "error":
        return {"kind": "error"}
    if "root" in plain:
        plain["root"] = _without_names(plain["root"])
    children = plain.get("children")
    if isinstance(children, list):
        plain["children"] = [_without_names(child) for child in children]
    return plain
