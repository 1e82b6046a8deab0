"""What the tools of this plugin share: who waits for what, and what became of it."""

import trio

LOG: list[str] = []
RELEASED = trio.Event()
