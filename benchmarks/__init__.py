"""Benchmarks: `python -m benchmarks`, explained in docs/explanation/benchmarks.md."""
