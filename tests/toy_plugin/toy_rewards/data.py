"""The toy dataset and curriculum."""

from rewardlab import Sample


class CountingRows:
    """A dataset of questions: how much is n + 1, for n below `rows`."""

    def __init__(self, options, context):
        self._rows = options.rows

    def __iter__(self):
        for n in range(self._rows):
            question = {"role": "user", "content": f"How much is {n} + 1?"}
            yield Sample(
                id=f"count-{n}", prompt=[question], fields={"answer": str(n + 1), "response": f"It is {n + 1}."}
            )


class ReverseOrder:
    """A curriculum that puts the last row first."""

    def __init__(self, options=None, context=None):
        pass

    def order(self, samples, seed):
        return list(range(len(samples)))[::-1]
