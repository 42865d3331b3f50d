"""rubric/pairwise: win rates of a group's answers, from a judge that applies a rubric to two of them."""

from typing import Any

from rewardlab import Context, Reply, Sample
from rewardlab_pairwise.pairwise_reward import PairQuestion, PairVerdict, PairwiseReward, query_of

from rewardlab_rubric.levels import Levels, as_json
from rewardlab_rubric.options import PairOptions
from rewardlab_rubric.replies.expected import level_probabilities
from rewardlab_rubric.replies.reading import level_read, read_answer
from rewardlab_rubric.rubrics import Rubric
from rewardlab_rubric.strategies.questions import Questions


class RubricWinRate(PairwiseReward):
    """The reward P(answer i beats answer j) by a rubric, averaged over the group's other answers j; in [0, 1].

    A rubric that names the two gives the better one 1; Tie gives both a half. On a scale from a to b, where a is for
    the answer that is listed first, the score s gives it (b - s) / (b - a), and the other one the rest: (7 - s) / 6 on
    mR3's scale of seven. With `expected` the shares are their means by the probabilities of the judge's tokens.
    Everything else is as in PairwiseReward. `info` has besides, beside `verdicts` and in their form: `raw`,
    `explanation`, and `probabilities` under `expected`; or `reason`, for a row that has no question in its language.
    """

    def __init__(self, options: PairOptions, context: Context) -> None:
        super().__init__(context.judges[options.judge], options)
        self._options = options
        self._questions = Questions(options)

    def shared(self, sample: Sample) -> tuple[str, Rubric]:
        """Return the query and the row's variant of the rubric."""
        return query_of(sample), self._questions.rubric(sample)[1]

    def question(self, shared: tuple[str, Rubric], first: str, second: str) -> PairQuestion:
        """Return the question about two texts in this order."""
        query, rubric = shared
        made = self._questions.by(rubric, query, first, second)
        return PairQuestion(ask=made.ask, key=made.key, form=made.levels)

    def read(self, reply: Reply, question: PairQuestion) -> tuple[PairVerdict, bool]:
        """Return the verdict by the profile's reader; a score that the rubric does not have is unparsable."""
        levels: Levels = question.form
        reading = read_answer(self._options.profile, reply, question.ask)
        info = {"raw": as_json(reading.raw), "explanation": reading.explanation}
        label = level_read(self._options.profile, reading, levels)
        if label is None:
            return PairVerdict(verdict="unparsable", info=info), False
        if not self._options.expected:
            return self._verdict(levels, label, {label: 1.0}, info), True
        try:
            shares = level_probabilities(reply.logprobs, reply.text, reading.start, list(levels.texts))
        except ValueError as error:
            return PairVerdict(verdict="failed", error=str(error), info=info), True
        return self._verdict(levels, label, shares, {**info, "probabilities": shares}), True

    def _verdict(self, levels: Levels, label: str, shares: dict[str, float], info: dict[str, Any]) -> PairVerdict:
        """Return the verdict that a label names, with the values of the levels by their shares."""
        if self._options.both_bad == "drop":
            shares = {level: share for level, share in shares.items() if level != "Both Bad"}
        name = _name(levels, label)
        total = sum(shares.values())
        if not total:
            return PairVerdict(verdict=name, info=info)
        parts = [(share / total, levels.shares(level, self._options.both_bad)) for level, share in shares.items()]
        first = sum(share * gets for share, (gets, _) in parts)
        lost = sum(share * nobody for share, (_, nobody) in parts)
        return PairVerdict(verdict=name, first_wins=first, lost=lost, info=info)


def _name(levels: Levels, label: str) -> Any:
    if levels.kind == "scale":
        worth = levels.worth(label)
        return "tie" if worth == 0.5 else "A" if worth < 0.5 else "B"
    names = {levels.sides[0]: "A", levels.sides[1]: "B", "Tie": "tie", "Both Bad": "both_bad"}
    return names[label]
