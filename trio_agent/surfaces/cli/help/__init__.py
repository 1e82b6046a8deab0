"""Help: what `--help` prints at each level, and the quick way to it."""
