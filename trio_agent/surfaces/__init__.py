"""Where invocations meet the world.

Each surface is a package of its own; siblings never import each other, and only a surface does
I/O with whoever asked.  There is one so far: `cli`.
"""
