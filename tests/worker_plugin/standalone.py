"""What a worker loads where rewardlab is not installed: dicts in, dicts out."""

import sys


class Lengths:
    def __init__(self, factor):
        self.factor = factor

    def score(self, items):
        assert "rewardlab" not in sys.modules
        return [
            {"value": len(completion["text"]) * self.factor, "info": {"id": sample["id"]}}
            for sample, completion in items
        ]


def build(options, context):
    return Lengths(options["factor"])
