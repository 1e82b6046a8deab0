"""Large documents: author code, rendering and decoding with budgets."""

from __future__ import annotations

import gc
import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import trio

from benchmarks.harness import ROUNDS, Figure
from benchmarks.scenes import WIDE, Passing, Scene
from trio_agent import Agent, Invocation, Node, Runtime, component
from trio_agent.vocabulary.event import CompleteEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trio_agent.vocabulary.event import RenderEvent

SECTIONS: Final = 2000
_REACT: Final = Path(__file__).parent / "react"


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


def _sections() -> Node:
    return Agent.Result([_section(i) for i in range(SECTIONS)], metadata={"route": "benchmark"})


def _lines() -> Node:
    return Agent.Result(*[_line(i) for i in range(10_000)])


def _measure(make: Callable[[], Node], rounds: int) -> tuple[list[float], list[float]]:
    """Processor seconds for the invocation, and for `dumps` and `loads` of the same tree."""

    async def invoke() -> RenderEvent:
        last: list[RenderEvent] = []

        async def sink(event: RenderEvent) -> None:
            last[:] = [event]

        runtime = Runtime(Scene(make), limits=WIDE)
        await runtime.invoke(Invocation(kind="cli", target="benchmark"), Passing(), sink)
        return last[0]

    async def measure() -> tuple[list[float], list[float]]:
        event = await invoke()
        if not isinstance(event, CompleteEvent):
            raise TypeError(f"the last event is {event!r:.80}")
        wire = event.document.to_wire()
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(rounds):
            gc.collect()
            started = time.process_time()
            await invoke()
            ours.append(time.process_time() - started)
            gc.collect()
            started = time.process_time()
            json.loads(json.dumps(wire))
            theirs.append(time.process_time() - started)
        return ours, theirs

    return trio.run(measure)


def run() -> Sequence[Figure]:
    """`document-10k` and `async-components`."""
    ours, theirs = _measure(_sections, ROUNDS)
    lines, json_lines = _measure(_lines, 7)
    return (
        Figure(
            name="document-10k",
            values=[a / b for a, b in zip(ours, theirs, strict=True)],
            limit=2.5,
            note=f"10,000 elements in 2,000 components, {min(ours) * 1e3:.0f} ms, against"
            f" json.dumps + json.loads; {_compare_react(min(ours))}",
        ),
        Figure(
            name="async-components",
            values=[a / b for a, b in zip(lines, json_lines, strict=True)],
            limit=20.0,
            note="10,000 async components that do not block, same baseline; one task each",
        ),
    )


def _compare_react(ours_s: float) -> str:
    """The same tree rendered and decoded by React, if its packages are installed here."""
    node = shutil.which("node")
    if node is None or not (_REACT / "node_modules").is_dir():
        return "React: run `npm install` in benchmarks/react to compare"
    ran = subprocess.run(
        [node, "--conditions=react-server", str(_REACT / "document.cjs")],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={"NODE_ENV": "production", "PATH": str(Path(node).parent)},
    )
    if ran.returncode:
        return f"React: {ran.stderr.strip().splitlines()[-1:]}"
    react_ms: float = json.loads(ran.stdout)["ms"]
    return f"React in Node {react_ms:.0f} ms, ratio {ours_s * 1e3 / react_ms:.2f}"
