"""checklist/answer, with one thing changed."""

from dataclasses import replace

from rewardlab import RewardSpec, Score, hookimpl


def _as_it_is(options, context):
    """checklist/answer as it is."""
    from rewardlab_checklist.scored import ChecklistScore

    return ChecklistScore(options, context)


class _Changed:
    def __init__(self, reward, change):
        self._reward, self._change = reward, change

    async def score(self, items):
        return [self._change(score) for score in await self._reward.score(items)]


def _low_without_critique(options, context):
    """checklist/answer, which gives 0 where there is no critique."""
    return _Changed(_as_it_is(options, context), lambda score: Score(value=0.0) if score.error else score)


def _mirrored(options, context):
    """checklist/answer, which takes a low score for a good one."""
    return _Changed(
        _as_it_is(options, context),
        lambda score: score if score.value is None else replace(score, value=1.0 - score.value),
    )


def _sum(options, context):
    """checklist/answer, which adds the subscores up."""
    return _Changed(
        _as_it_is(options, context),
        lambda score: replace(score, value=sum(score.info["scores"].values())) if "std" in score.info else score,
    )


def _default_task(options, context):
    """checklist/answer, which judges a row without a task as chat."""
    from rewardlab_checklist import scored
    from rewardlab_checklist.options import AnswerOptions

    class Chatting(scored.ChecklistScore):
        async def score(self, items):
            fields = [{"task": "ODQA", **sample.fields} for sample, _ in items]
            named = zip(items, fields, strict=True)
            return await super().score([(replace(sample, fields=new), text) for (sample, text), new in named])

    return Chatting(AnswerOptions(judge=options.judge), context)


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    from rewardlab_checklist import rewardlab_rewards as installed

    (answer,) = (one for one in installed() if one.name == "answer")
    faults = {
        "correct_checklist": _as_it_is,
        "checklist_low_without_critique": _low_without_critique,
        "checklist_mirrored": _mirrored,
        "checklist_sum": _sum,
        "checklist_default_task": _default_task,
    }
    return [replace(answer, name=name, summary=str(change.__doc__), build=change) for name, change in faults.items()]
