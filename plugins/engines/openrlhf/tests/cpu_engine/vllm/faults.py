"""Faults that tests order by environment variables; each hits one request, the first whose prompt has the marker.

And what they want to know: where one of the last two variables names a file, it gets a line for each request.
"""

import json
import os

HANG, RAISE = "REWARDLAB_CPU_ENGINE_HANG", "REWARDLAB_CPU_ENGINE_RAISE"
REQUESTS, SAMPLING = "REWARDLAB_CPU_ENGINE_REQUESTS", "REWARDLAB_REQUESTS"


class Faults:
    """`of(prompt)` is HANG, RAISE or None: what becomes of a request with this text."""

    def __init__(self):
        self._ordered = {name: os.environ[name] for name in (HANG, RAISE) if os.environ.get(name)}

    def note(self, exchanges, params):
        """Write [how often all weights were exchanged before, the temperature] of a request, and how it is sampled."""
        sampling = [params.temperature, params.top_p, max(params.top_k, 0), params.min_p, params.repetition_penalty]
        for name, line in ((REQUESTS, [exchanges, params.temperature]), (SAMPLING, [*sampling, params.stop])):
            if path := os.environ.get(name):
                with open(path, "a") as file:
                    file.write(json.dumps(line) + "\n")

    def of(self, prompt):
        for name, marker in self._ordered.items():
            if marker in prompt:
                del self._ordered[name]
                return name
        return None
