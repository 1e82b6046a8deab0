"""What a task can become, how many there are, and which one makes room."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.surfaces.mcp.tasks.keeping import (
    BAD,
    GOOD,
    OWNERS,
    QUOTA,
    Keeping,
    KeepingMachine,
    cancel,
    end,
    task,
)
from trio_agent.surfaces.mcp.tasks.quota import TaskQuota, TasksFullError
from trio_agent.surfaces.mcp.tasks.registry import TaskRegistry


class RegistryMachine(KeepingMachine):
    def open(self) -> list[Keeping]:
        return [TaskRegistry(QUOTA)]


TestRegistry = RegistryMachine.TestCase
TestRegistry.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)


def test_what_is_over_stays_as_it_is() -> None:
    over = task("a").ended("cancelled", BAD, "stopped", 3)

    later = [
        over.reported({"progress": 1}, "on", 4),
        over.asked("q", {"method": "m"}, 4),
        over.withdrawn("q", 4),
        over.answered({"q": {}}, 4),
        over.ended("completed", GOOD, None, 4),
        over.synced(task("a").reported({"progress": 9}, None, 4)),
    ]

    assert later == [over] * 6


def test_a_task_is_updated_no_earlier_than_before_when_the_clock_is_set_back() -> None:
    record = task("a", now=100).reported({"progress": 1}, "on", 50)

    assert record.updated_at == 100
    assert record.ended("completed", GOOD, None, 70).ended_at == 100


def test_a_task_waits_for_its_client_as_long_as_one_question_has_no_answer() -> None:
    record = task("a").asked("q1", {"method": "m"}, 1).asked("q2", {"method": "m"}, 2)

    half = record.answered({"q1": {"action": "accept"}, "unknown": {}}, 3)
    assert (half.status, list(half.questions)) == ("input_required", ["q2"])
    assert half.answers == {"q1": {"action": "accept"}}
    assert half.withdrawn("q2", 4).status == "working"


def test_answers_that_came_in_elsewhere_survive_the_next_sync() -> None:
    live = task("a").asked("q1", {"method": "m"}, 1).asked("q2", {"method": "m"}, 1)
    stored = task("a").synced(live).answered({"q1": {"a": 1}}, 2)

    synced = stored.synced(live.reported({"progress": 3}, "on", 3))

    assert (list(synced.questions), synced.answers) == (["q2"], {"q1": {"a": 1}})
    assert (synced.message, synced.status) == ("on", "input_required")


def test_an_owner_makes_room_with_its_oldest_finished_task_and_with_no_other() -> None:
    registry = TaskRegistry(TaskQuota(max_tasks=10, max_tasks_per_owner=2))
    registry.create(task("foreign", OWNERS[1]), 0)
    registry.change("foreign", end(now=0), 0)
    for id_, over_at in (("a", 5), ("b", 4)):
        registry.create(task(id_), 0)
        registry.change(id_, end(now=over_at), 5)

    registry.create(task("c"), 6)

    assert [one.id for one in registry.page(OWNERS[0], 0, 9, 6).records] == ["a", "c"]
    assert registry.find("foreign", 6) is not None


def test_a_call_is_refused_when_all_tasks_of_its_owner_work() -> None:
    registry = TaskRegistry(TaskQuota(max_tasks=10, max_tasks_per_owner=2))
    registry.create(task("a"), 0)
    registry.create(task("b"), 0)

    with pytest.raises(TasksFullError, match="2 of them still work, of at most 2"):
        registry.create(task("c"), 0)
    assert len(registry) == 2


def test_a_full_server_forgets_what_belongs_to_nobody_before_it_refuses_a_call() -> None:
    registry = TaskRegistry(TaskQuota(max_tasks=2, max_tasks_per_owner=2))
    for owner in OWNERS[:2]:
        registry.create(task(owner, owner), 0)
        registry.change(owner, end(now=0), 0)

    with pytest.raises(TasksFullError, match="keeps 2 tasks, of at most 2"):
        registry.create(task("c", OWNERS[2]), 1)
    registry.orphan(OWNERS[1])
    registry.create(task("c", OWNERS[2]), 1)

    assert registry.find(OWNERS[0], 1) is not None
    assert registry.find(OWNERS[1], 1) is None


def test_the_time_to_live_counts_from_the_end() -> None:
    registry = TaskRegistry()
    registry.create(task("a", ttl_ms=1000), 0)

    assert registry.find("a", 10_000) is not None
    registry.change("a", cancel(now=10_000), 10_000)
    assert registry.next_expiry == 10_001
    assert registry.find("a", 10_000.9) is not None
    assert registry.find("a", 10_001) is None
    assert registry.change("a", end(now=1), 10_001) is None


def test_tasks_that_were_driven_out_leave_nothing_behind() -> None:
    registry = TaskRegistry(TaskQuota(max_tasks=1, max_tasks_per_owner=1))
    for number in range(200):
        registry.create(task(str(number)), 0)
        registry.change(str(number), end(now=0), 0)

    assert len(registry) == 1
    assert len(registry._expiries) < 80


@pytest.mark.parametrize("number", ["max_tasks", "max_tasks_per_owner"])
def test_a_quota_of_nothing_is_refused(number: str) -> None:
    with pytest.raises(ValueError, match=number):
        TaskQuota(**{number: 0})
