"""A model in a process of its own: the standard library only, as it might run where there is no rewardlab."""

import os


class Model:
    """Knows how many words a text has, and which process it is."""

    def answer(self, questions):
        return [{"words": len(text.split()), "pid": os.getpid()} for text in questions]


def build(settings, context):
    return Model()
