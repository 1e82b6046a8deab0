"""Every benchmark and its limit, in the order of the table.

A limit that had to be raised says so here, beside it: from what, when and why.  So far none was.
"""

from __future__ import annotations

from typing import Final

from benchmarks import (
    boundaries,
    documents,
    http_sessions,
    invocations,
    mcp_start,
    mcp_stdio,
    mcp_tasks,
    memory,
    startup,
    ts_client,
)
from benchmarks.harness import Benchmark

BENCHMARKS: Final = (
    Benchmark("trivial-invocation", 1.3, invocations.measure),
    Benchmark("one-boundary", 2.0, invocations.measure),
    Benchmark("boundaries-linear", 2.2, boundaries.measure_linear),
    Benchmark("boundaries-linear-8", 9.0, boundaries.measure_linear),
    Benchmark("document-10k", 2.5, documents.measure_document),
    Benchmark("async-components", 20.0, documents.measure_async),
    Benchmark("ndjson-boundaries", 0.25, boundaries.measure_ndjson),
    Benchmark("suspended-memory", 40.0, memory.measure_suspended, "KiB"),
    Benchmark("slow-consumer-progress", 64.0, memory.measure_progress, "KiB"),
    Benchmark("slow-consumer-rows", 256.0, memory.measure_rows, "B"),
    Benchmark("slow-consumer-bytes", 0.0, memory.measure_bytes, "failed"),
    Benchmark("cli-cold-start", 1.4, startup.measure),
    Benchmark("cli-help", 1.3, startup.measure_help),
    Benchmark("cli-command-help", 1.2, startup.measure_help),
    Benchmark("cli-fifty", 1.15, startup.measure_fifty),
    Benchmark("mcp-stdio-cpu", 1.0, mcp_stdio.measure),
    Benchmark("mcp-stdio-cpu-fastmcp", 0.5, mcp_stdio.measure),
    Benchmark("mcp-stdio-concurrent", 0.67, mcp_stdio.measure),
    Benchmark("mcp-stdio-concurrent-fastmcp", 0.4, mcp_stdio.measure),
    Benchmark("mcp-start-initialize", 0.5, mcp_start.measure),
    Benchmark("mcp-start-list", 0.8, mcp_start.measure),
    Benchmark("mcp-start-call", 1.0, mcp_start.measure),
    Benchmark("ts-client-mixed", 1.05, ts_client.measure),
    Benchmark("tasks-poll", 0.8, mcp_tasks.measure_poll),
    Benchmark("tasks-many", 0.0, mcp_tasks.measure_many, "wrong"),
    Benchmark("http-sessions-memory", 0.5, http_sessions.measure, "KiB"),
    Benchmark("http-sessions-fds", 0.0, http_sessions.measure, "fds"),
    Benchmark("http-sessions-tasks", 0.0, http_sessions.measure, "tasks"),
)
