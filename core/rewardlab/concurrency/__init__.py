"""Concurrency: threads for plugins' code that may take long or hang, and coroutines run at once.

In go coroutines and plain calls; out come their results, in order. A thread that hangs never keeps the program from
ending.

    threads      an event loop in a thread of its own; a thread for one plain call after another
    gather       coroutines run at once: gathered, or mapped in order with a bounded number under way
    termination  SIGTERM in the place of Ctrl-C
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.concurrency.gather import gather_or_cancel as gather_or_cancel
    from rewardlab.concurrency.termination import grace_s as grace_s
    from rewardlab.concurrency.termination import sigterm_as_interrupt as sigterm_as_interrupt
    from rewardlab.concurrency.termination import sigterm_heard as sigterm_heard
    from rewardlab.concurrency.termination import stop_code as stop_code
    from rewardlab.concurrency.threads import CallThread as CallThread
    from rewardlab.concurrency.threads import LoopThread as LoopThread

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
