"""Completion in shells: what may stand at the cursor, and how a shell is told."""
