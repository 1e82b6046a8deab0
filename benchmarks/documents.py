"""Large documents: author code, rendering and decoding with budgets, in one process.

The baseline is `json.dumps` and `json.loads` of the same tree, the least that anybody pays who
sends it anywhere.  React's own renderer and client are measured too if they are installed, and
reported in the note; they are not a limit.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Final

import trio

from benchmarks.harness import ROUNDS, MeasurementError, Samples, Stopwatch, ratios, turns
from benchmarks.scenes import WIDE, Passing, Scene
from trio_agent import Agent, Invocation, Node, Runtime, component
from trio_agent.vocabulary.event import CompleteEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trio_agent.vocabulary.event import RenderEvent

SECTIONS: Final = 2000
LINES: Final = 10_000
_REACT: Final = Path(__file__).parent / "react"


# Keep in step with `Section` and `tree` in react/document.cjs.
@component
def _section(index: int) -> Node:
    return Agent.Result(
        Agent.Markdown(f"## Section {index}"),
        Agent.Text("Inspected ", index * 3, f" files in /library/books/{index}"),
        Agent.Json(
            {
                "id": index,
                "ok": index % 7 != 0,
                "tags": ["a", "b"],
                "path": f"/library/books/{index}.mp3",
            }
        ),
        Agent.Text("done"),
    )


@component
async def _line(index: int) -> Node:
    return Agent.Markdown(f"Inspected {index * 3} files in /library/books/{index}")


async def _invoke(make: Callable[[], Node]) -> RenderEvent:
    """Render, decode and project the tree; the last event, which holds all of it."""
    last: list[RenderEvent] = []

    async def sink(event: RenderEvent) -> None:
        last[:] = [event]

    runtime = Runtime(Scene(make), limits=WIDE)
    await runtime.invoke(Invocation(kind="cli", target="benchmark"), Passing(), sink)
    return last[0]


def _measure(make: Callable[[], Node], rounds: int) -> tuple[list[float], list[float]]:
    """Processor seconds of the invocation, and of `dumps` and `loads` of the same tree."""

    async def invoke() -> None:
        await _invoke(make)

    async def take_turns() -> tuple[list[float], list[float]]:
        event = await _invoke(make)
        if not isinstance(event, CompleteEvent):
            raise MeasurementError(f"the last event is {event!r:.80}")
        wire = event.document.to_wire()
        del event

        async def round_trip() -> None:
            json.loads(json.dumps(wire))

        taken: tuple[list[float], list[float]] = ([], [])
        for turn in turns(2, rounds):
            with Stopwatch() as watch:
                await (invoke, round_trip)[turn]()
            taken[turn].append(watch.seconds)
        return taken

    return trio.run(take_turns)


def measure_document(
    sections: int = SECTIONS, rounds: int = 2 * ROUNDS, react: Path = _REACT
) -> Mapping[str, Samples]:
    """`document-10k`: five elements per section, each section a component.

    Args:
        sections: as many as React renders too.
        rounds: turns per side.
        react: the folder of the scripts for Node, and of React's packages if they are there.
    """

    def make() -> Node:
        return Agent.Result(
            [_section(index) for index in range(sections)], metadata={"route": "benchmark"}
        )

    ours, theirs = _measure(make, rounds)
    ours_ms = statistics.median(ours) * 1e3
    note = (
        f"{5 * sections:,} elements in {sections:,} components, {ours_ms:.0f} ms,"
        f" against json.dumps + json.loads; {_compare_react(react, ours_ms, sections)}"
    )
    return {"document-10k": Samples(values=ratios(ours, theirs), note=note)}


def measure_async(lines: int = LINES, rounds: int = ROUNDS) -> Mapping[str, Samples]:
    """`async-components`: components that do not block; each has a task of its own all the same.

    Args:
        lines: the number of components.
        rounds: turns per side.
    """

    def make() -> Node:
        return Agent.Result(*[_line(index) for index in range(lines)])

    ours, theirs = _measure(make, rounds)
    note = f"{lines:,} async components of one leaf, against json.dumps + json.loads"
    return {"async-components": Samples(values=ratios(ours, theirs), note=note)}


def _compare_react(folder: Path, ours_ms: float, sections: int) -> str:
    """The same tree rendered and decoded by React, if its packages are installed here."""
    node = shutil.which("node")
    if node is None or not (folder / "node_modules").is_dir():
        return "to compare with React, `npm install` in benchmarks/react"
    ran = subprocess.run(
        [node, "--conditions=react-server", str(folder / "document.cjs"), str(sections)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
        env={"NODE_ENV": "production"},
    )
    if ran.returncode:
        return f"React failed: {ran.stderr.strip().partition(chr(10))[0]}"
    react: dict[str, float] = json.loads(ran.stdout)
    return (
        f"React in Node {react['ms']:.0f} ms (render {react['render_ms']:.0f},"
        f" decode {react['decode_ms']:.0f}), ratio {ours_ms / react['ms']:.2f}"
    )
