"""rubric/appeal: a rule's value, where a judge looks again at what the rule rejects."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from typing import Any

from rewardlab import Completion, Context, Sample, Score
from rewardlab.errors import RewardlabError, one_line
from rewardlab_answers import is_blank, sections

from rewardlab_rubric.appeals.options import AppealOptions
from rewardlab_rubric.appeals.question import AppealQuestions
from rewardlab_rubric.appeals.rule import Item, Rule
from rewardlab_rubric.criteria.verdicts import read_verdicts


class Appeal:
    """The value of a rule after the appeals against it.

    A judge is asked about a share of what the rule rejects, and of what it accepts (`audit`). Where it differs, under
    `then: replace`, the value is the most or the least that the rule gives; else it is kept to estimate the rule's
    errors by, and the value is the rule's (`report`), or that without the rule's errors (`correct`). A response without
    a text is wrong, unasked. What the rule cannot score stays as it is; where the judge gives no verdict, the value is
    missing under `replace`.
    `info` is the rule's, with `rule`, its value; `accepted`; `appeal`: right, wrong, blank, or why there is no verdict;
    `overturned`; `scores`, the verdict as a number.
    Source: Cai et al. 2025 (arXiv 2510.00915).
    """

    def __init__(self, options: AppealOptions, context: Context) -> None:
        self._options = options
        self._rule = Rule(options.of, context)
        self._judge = context.judges[options.judge]
        self._questions = AppealQuestions(options)

    async def score(self, items: Sequence[Item]) -> list[Score]:
        """Return one score for each item."""
        decided = await self._rule.score(items)
        return list(
            await asyncio.gather(*(self._score(*item, score) for item, score in zip(items, decided, strict=True)))
        )

    async def _score(self, sample: Sample, completion: Completion, rule: Score) -> Score:
        if self._options.shown is not None and self._options.shown not in sample.fields:
            return Score(error=f"the row has no field {self._options.shown!r}")
        if rule.value is None:
            return rule
        accepted = rule.value >= self._options.bound
        response = sections.final(completion.text)
        info = {**rule.info, "rule": rule.value, "accepted": accepted}
        if is_blank(response):
            return self._value(rule.value, accepted, {**info, "appeal": "blank"})
        if not _is_drawn(sample, completion, self._options.audit if accepted else self._options.share):
            return self._value(rule.value, accepted, info)
        verdict = await self._asked(sample, response)
        if isinstance(verdict, bool):
            info |= {"appeal": "right" if verdict else "wrong", "overturned": verdict != accepted}
            info["scores"] = {"right": float(verdict)}  # of which `repeats` keeps each draw's
            replaced = self._options.then == "replace" and verdict != accepted
            value = self._options.of.span[verdict] if replaced else rule.value
            return self._value(value, accepted, info)
        info["appeal"] = verdict
        if self._options.then == "replace":
            return Score(info=info, error=f"no verdict on the appeal: {verdict}")
        return self._value(rule.value, accepted, info)

    async def _asked(self, sample: Sample, response: str) -> bool | str:
        """Return whether the judge finds a response right, or why it says neither."""
        try:
            question = self._questions.about(sample, response)
            reply = await self._judge.ask(question.ask)
        except RewardlabError:  # the job is to stop, with this message
            raise
        except Exception as error:  # whatever a judge raises
            return one_line(error)
        if reply.error is not None:
            return reply.error or "the judge gave an error without a text"
        verdicts = read_verdicts(reply, question.tag, 1)
        self._judge.report_parsed(reply, verdicts.fault is None)
        return verdicts.met[0] if verdicts.fault is None else verdicts.fault

    def _value(self, value: float, accepted: bool, info: dict[str, Any]) -> Score:
        """Return the rule's value, or that without its errors."""
        value = value if self._options.rates is None else self._options.corrected(accepted)
        return Score(value=value, info=info)


def _is_drawn(sample: Sample, completion: Completion, share: float) -> bool:
    """Return whether a response is among the share that is asked about: the same in every run and process."""
    digest = hashlib.sha256(json.dumps(["appeal", sample.id, completion.text]).encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64
