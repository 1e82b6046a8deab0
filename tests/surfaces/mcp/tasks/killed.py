"""A process that is killed: it finishes tasks as fast as it can, and says of each that it is done.

Run with a folder.  What it wrote to standard output before it died was committed before.
"""

from __future__ import annotations

import sys

from tests.surfaces.mcp.tasks.keeping import end, task
from trio_agent.surfaces.mcp.tasks.quota import TaskQuota
from trio_agent.surfaces.mcp.tasks.record import TaskOutcome
from trio_agent.surfaces.mcp.tasks.sqlite import TaskFile


def main(folder: str) -> None:
    kept = TaskFile(folder, "mill", TaskQuota(max_tasks=100_000, max_tasks_per_owner=100_000))
    number = 0
    while True:
        number += 1
        id_ = f"{kept.worker}-{number}"
        kept.create(task(id_, f"process:{kept.worker}", now=1, ttl_ms=10_000), 1)
        kept.change(id_, lambda one: one.reported({"progress": 1}, "half", 1), 1)
        text = f"{id_} " + "x" * (number % 7 * 1000)
        kept.change(id_, end(TaskOutcome({"content": [text]}), now=2), 2)
        sys.stdout.write(f"{id_}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
