"""Negative controls: faults planted into the pipeline, each of which a layer must find.

What cannot be seen from outside is not here.  A boundary worker that swallows `Cancelled` is cut
off by the very next row that it sends, so only a linter (ASYNC103) finds that.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, Literal, TypeAlias

import attrs
import pytest

from actors.testing.innards import fixed_schedule
from fuzz.fixed import FIXED
from fuzz.planting import Change, planted
from fuzz.test_pipeline import assert_same_end, perform, quick_collections
from fuzz.test_strikes import attempts
from fuzz.trees import draw_tree
from fuzz.trial import Plan
from trio_agent import LimitOverrides

EXAMPLES: Final = 150

Layer: TypeAlias = Literal["trees", "strikes"]


@attrs.frozen
class Fault:
    """A fault, the layer that must find it, and what that layer then says."""

    change: Change
    layer: Layer
    says: str


def look_at_trees() -> None:
    """Some examples of the pipeline's layer, without Hypothesis and so without shrinking."""
    with quick_collections():
        _look_at_trees()


def _look_at_trees() -> None:
    rates: list[LimitOverrides] = [{}, {}, {"max_event_rate": 2}]
    for number in range(EXAMPLES):
        tree = draw_tree(Random(number), 10 + number % 30)
        plan = Plan(slowness=(0.0, 0.25, 3.0)[number % 3], limits=rates[number // 3 % 3])
        with fixed_schedule(number):
            assert_same_end(perform(tree, plan), perform(tree, Plan(delay=0)))
            perform(tree, Plan(leave_after=number % 4))


def look_at_strikes() -> None:
    """One schedule of the strikes' layer."""
    for fixed in FIXED.values():
        for kind in ("cancel", "crash"):
            for _ in attempts(fixed, kind, slowness=0.0, seeds=range(1)):
                pass


LOOK: Final[dict[Layer, Callable[[], None]]] = {
    "trees": look_at_trees,
    "strikes": look_at_strikes,
}


def _pipeline(module: str, old: str, new: str, layer: Layer, says: str) -> Fault:
    return Fault(Change(f"trio_agent.pipeline.{module}", old, new), layer, says)


FAULTS: Final[dict[str, Fault]] = {
    "the rows are left open": _pipeline(
        "renderer", "with rendering.rows:", "if True:", "strikes", "ends: Outbox made at"
    ),
    "the events are left open": _pipeline(
        "decoder",
        "with self._rows, self._events:",
        "with self._rows:",
        "strikes",
        "ends: Outbox made at",
    ),
    "the fallback goes on beside its content": _pipeline(
        "boundary",
        "if self._job.cover is not None:",
        "if False:",
        "strikes",
        "instead of 1 shell, 3 replace",
    ),
    "the failure is told before its siblings are gone": _pipeline(
        "boundary",
        'supervisor.stop("the boundary around it failed")\n                return error',
        "await self._send_failure(error)\n                supervisor.stop()\n"
        "                return None",
        "strikes",
        "instead of 0 shell, 1 error",
    ),
    "a limit fails a boundary only": _pipeline(
        "boundary",
        "            if find_limit(error) is not None:\n                raise\n            failure",
        "            failure",
        "strikes",
        "a boundary failed for",
    ),
    "the coroutine is made before it is awaited": _pipeline(
        "boundary",
        "    awaitable = _call(hole.take_element())\n",
        "    awaitable = _call(hole.take_element())\n    import trio\n"
        "    await trio.lowlevel.checkpoint()\n",
        "strikes",
        "never awaited",
    ),
    "a shielded cleanup has no number of seconds": _pipeline(
        "boundary",
        "            await self._send_content()\n        elif",
        "            import trio\n"
        "            try:\n                await self._send_content()\n"
        "            finally:\n"
        "                with trio.CancelScope(shield=True):\n"
        "                    await trio.sleep(5)\n"
        "        elif",
        "strikes",
        "from the strike to the end",
    ),
    "what is deferred stays open when it is cancelled": _pipeline(
        "work",
        "        finally:\n            # Whatever made us leave: nobody who awaits it may hang.\n",
        "            pass\n        except ZeroDivisionError:\n            pass\n        else:\n",
        "strikes",
        "never settled",
    ),
    "deferred work holds up the end": _pipeline(
        "decoder", "        self._desk.stop()\n", "", "strikes", "seed 0"
    ),
    "a failure that nobody received is lost": _pipeline(
        "decoder", "        self._desk.refuse_unreceived()\n", "", "strikes", "deferred-failed"
    ),
    "the deadline is not kept": _pipeline(
        "rendering",
        "        if not self._working:\n            self.scope.deadline = self._desk.deadline\n",
        "",
        "strikes",
        "elapsed-time-exceeded",
    ),
    "the last reports are dropped": _pipeline(
        "decoder",
        "while self._gate.has_room_for_last_progress(now):",
        "while False:",
        "trees",
        "reports told",
    ),
    "the door stays open after complete": _pipeline(
        "decoder",
        "        self._door.shut(Ending(sequence, now, document.status))\n",
        "",
        "trees",
        "it ended as cancelled",
    ),
    "who leaves is not noticed": _pipeline(
        "projector",
        'raise PeerGoneError("the consumer has left") from error',
        "del error\n                    return",
        "trees",
        "from the strike to the end|has not been given",
    ),
    "the rate is not waited for": _pipeline(
        "decoder", "if room_at > now:", "if False:", "trees", "one too many within a second"
    ),
    "a report in another slot waits": _pipeline(
        "progress",
        "        if more:\n            self.bell.put(None)\n        return report",
        "        return report",
        "strikes",
        "2 replace, 2 progress, 2 complete",
    ),
    "the sleeper is not woken": Fault(
        Change("actors.link", "if self._bell.statistics().tasks_waiting_receive:", "if False:"),
        "strikes",
        "instead of 0 shell, 0 progress",
    ),
    "a number is given twice": Fault(
        Change(
            "trio_agent.protocol.gate",
            "        self._check_limits(now, size)\n        self.next_sequence = sequence + 1\n",
            "        self._check_limits(now, size)\n        self.next_sequence = max(1, sequence)\n",
        ),
        "trees",
        "gaps",
    ),
    "a fallback stays charged": Fault(
        Change("trio_agent.protocol.ledger", "            self._drop(cover)\n", ""),
        "trees",
        "charged",
    ),
    "what a failed boundary held stays charged": Fault(
        Change(
            "trio_agent.protocol.ledger",
            "            self._drop(nested)\n",
            "            pass\n",
        ),
        "trees",
        "charged",
    ),
    "the runtime does not forget": Fault(
        Change(
            "trio_agent.invocation",
            "            self._live.pop(self._invocation.id, None)\n",
            "",
        ),
        "trees",
        "the runtime still knows it",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(name: str) -> None:
    fault = FAULTS[name]
    with planted(fault.change), pytest.raises(Exception, match=fault.says):
        LOOK[fault.layer]()


@pytest.mark.parametrize("layer", LOOK)
def test_without_a_fault_nothing_is_found(layer: Layer) -> None:
    LOOK[layer]()
