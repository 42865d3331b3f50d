"""Stopping a training without losing its work."""

import signal
import threading
from typing import Any

from transformers import TrainerCallback


class GracefulStop(TrainerCallback):
    """A context manager in which the first Ctrl-C stops after the running step, with a checkpoint.

    The second one raises KeyboardInterrupt at once. `requested`, once it is set, stops like the first one. updates: of
    the optimizer in a step of the recipe; between two of a step nothing could be resumed.
    """

    def __init__(self, updates: int = 1, requested: threading.Event | None = None) -> None:
        self._updates = updates
        self._requested = requested
        self._before: Any = None
        self.stopped = False

    def __enter__(self) -> "GracefulStop":
        if threading.current_thread() is threading.main_thread():  # the only one that can handle signals
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def _note(self, *_: Any) -> None:
        if self.stopped:
            raise KeyboardInterrupt
        self.stopped = True
        print("\nstopping after this step; Ctrl-C again stops at once", flush=True)

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.stopped |= self._requested is not None and self._requested.is_set()
        if self.stopped and state.global_step % self._updates == 0:
            control.should_save = True
            control.should_training_stop = True
