"""Concurrency: threads for plugins' code that may take long or hang, and coroutines run at once.

In go coroutines and plain calls; out come their results, in order. A thread that hangs never keeps the program from
ending.

    threads      an event loop in a thread of its own; a thread for one plain call after another
    gather       coroutines run at once, where the first failure cancels the others
    ordered_map  a concurrent map for plain code, with a bounded number of coroutines under way
    termination  SIGTERM in the place of Ctrl-C
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.concurrency.gather import together
    from rewardlab.concurrency.ordered_map import in_order
    from rewardlab.concurrency.termination import grace_s, sigterm_as_interrupt, sigterm_heard, stop_code
    from rewardlab.concurrency.threads import CLOSE_LIMIT, CallThread, LoopThread, must_reraise, running_task
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "gather": ["together"],
            "ordered_map": ["in_order"],
            "termination": ["grace_s", "sigterm_as_interrupt", "sigterm_heard", "stop_code"],
            "threads": ["CLOSE_LIMIT", "CallThread", "LoopThread", "must_reraise", "running_task"],
        },
    )

__all__ = [
    "CLOSE_LIMIT",
    "CallThread",
    "LoopThread",
    "grace_s",
    "in_order",
    "must_reraise",
    "running_task",
    "sigterm_as_interrupt",
    "sigterm_heard",
    "stop_code",
    "together",
]
