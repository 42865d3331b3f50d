"""Faults that tests order by environment variables; each hits one request, the first whose prompt has the marker."""

import os

HANG, RAISE = "REWARDLAB_CPU_ENGINE_HANG", "REWARDLAB_CPU_ENGINE_RAISE"


class Faults:
    """`of(prompt)` is HANG, RAISE or None: what becomes of a request with this text."""

    def __init__(self):
        self._ordered = {name: os.environ[name] for name in (HANG, RAISE) if os.environ.get(name)}

    def of(self, prompt):
        for name, marker in self._ordered.items():
            if marker in prompt:
                del self._ordered[name]
                return name
        return None
