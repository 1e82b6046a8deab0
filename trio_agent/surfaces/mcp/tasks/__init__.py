"""Tasks: calls that go on when their request has been answered.

record, quota, registry    what a task is, how many there may be, and all of them: sans-I/O
store, sqlite, rows, workers
                           where they are kept, and which process still works on its own
settings, ownership        how many, for how long, and for whose eyes
wire                       both eras: what a client asks for, and what it is told
run, detached              one task while it works
upkeep                     what has to be done from time to time
office                     the requests about tasks
"""
