"""A reward that knows from the prompt alone whether its group is flat, which no sampling can change."""

from rewardlab import RewardSpec, Score, hookimpl

THIRDS = (1 / 3, 0.3333333432674408, 1 - 2 / 3, 0.33333334)
"""what rounding makes of one number, in single and in double precision"""


class ByPrompt:
    """All wrong where the row's answer divides by 3, equal but for rounding at a rest of 1, and else right in turn."""

    def __init__(self, options=None, context=None):
        pass

    async def score(self, stream):
        group = await stream.group()
        rest, places = int(group.sample.fields["answer"]) % 3, range(len(group.completions))
        values = [(0.0, THIRDS[place % 4], float(place % 2))[rest] for place in places]
        return [Score(value=value) for value in values]


@hookimpl
def rewardlab_rewards():
    return [
        RewardSpec(
            name="by_prompt", summary="flat or not by the prompt", scope="group", requires=("answer",), build=ByPrompt
        )
    ]
