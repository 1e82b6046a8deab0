"""The servers that ours is compared with: one trivial tool each, and nothing of this project."""
