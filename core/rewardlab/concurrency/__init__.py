"""Concurrency: threads for plugins' code that may take long or hang, and coroutines run at once.

In go coroutines and plain calls; out come their results, in order. A thread that hangs never keeps the program from
ending.

    threads      an event loop in a thread of its own; a thread for one plain call after another
    gather       coroutines run at once, where the first failure cancels the others
    ordered_map  a concurrent map for plain code, with a bounded number of coroutines under way
    termination  SIGTERM in the place of Ctrl-C
"""
