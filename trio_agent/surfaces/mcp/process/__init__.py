"""The life of a server process, whatever it serves over.

starting        signals, before anything of ours is imported
guard           standard output is the protocol's; what is printed goes to standard error
lossy           standard error never blocks
interruption    what a signal means while it loads, and while it serves
heartbeat       lines that say "still here"
watchdog        the end, when something will not end
"""
