"""Benchmarks: `python -m benchmarks`."""
