"""What a transport knows about its caller, and what it never guesses."""

from __future__ import annotations

from trio_agent.context.observed import (
    Actor,
    Available,
    Axes,
    Host,
    PluginRoot,
    Session,
    Unavailable,
    Workspace,
)
from trio_agent.context.roots import Roots
from trio_agent.context.terminal import Terminal
from trio_agent.context.transport import TransportFacts

TERMINAL = Available(source="derived", value=Terminal.absent("mcp"))


def test_a_bare_transport_knows_nobody() -> None:
    assert TransportFacts().to_axes() == Axes(
        host=Unavailable("host-omitted"),
        session=Unavailable("unsupported-surface"),
        actor=Unavailable("unsupported-surface"),
        lineage=Unavailable("no-subagent-events"),
        terminal=TERMINAL,
    )


def test_what_the_transport_knows_is_native() -> None:
    facts = TransportFacts(
        host_name=" Claude Code",
        session_id="s",
        actor_id="client",
        may_authenticate=True,
        cwd="/w",
        roots=Roots(root="/p", state_root="/s", source="native", state_source="derived"),
    )
    assert facts.to_axes() == Axes(
        host=Available(source="native", value=Host(name=" Claude Code")),
        session=Available(source="native", value=Session(session_id="s")),
        actor=Available(source="native", value=Actor(id="client")),
        workspace=Available(source="derived", value=Workspace(root="/w")),
        plugin=Available(source="native", value=PluginRoot(root="/p", state_root="/s")),
        lineage=Unavailable("no-subagent-events"),
        terminal=TERMINAL,
    )


def test_a_blank_name_is_none_and_who_could_authenticate_and_did_not_is_told_apart() -> None:
    axes = TransportFacts(host_name=" ", actor_id="", may_authenticate=True).to_axes()
    assert axes.host == Unavailable("host-omitted")
    assert axes.actor == Unavailable("unauthenticated")


def test_surfaces_case_104_there_is_no_terminal_whatever_the_server_was_started_from() -> None:
    terminal = TransportFacts().to_axes().terminal
    assert isinstance(terminal, Available)
    assert (terminal.value.stdout.kind, terminal.value.stderr.kind) == ("none", "none")
    assert terminal.value.shares_target is False
