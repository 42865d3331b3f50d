"""pairwise/win_rate: win rates of a group's answers, from a judge that answers each question with a boxed letter."""

from rewardlab import Ask, Context, Reply, Sample

from rewardlab_pairwise.options import WinRateOptions
from rewardlab_pairwise.pairwise_reward import PairQuestion, PairVerdict, PairwiseReward
from rewardlab_pairwise.prompts import fence_key, load, query_of
from rewardlab_pairwise.verdicts import Verdict, official_verdict, verdict

SHARES = {"A": 1.0, "B": 0.0, "tie": 0.5}
"""verdict -> the share of a win that the answer listed first gets"""


def privileged_text(sample: Sample, field: str) -> str:
    """Return the reference that the judge is shown. Raises ValueError if the field holds no text."""
    reference = sample.fields.get(field)
    if isinstance(reference, (int, float)) and not isinstance(reference, bool):
        reference = str(reference)
    if not isinstance(reference, str) or not reference.strip():
        raise ValueError(f"field {field!r} should hold a text to show to the judge, not {reference!r}")
    return reference


def first_question(options: WinRateOptions) -> Ask:
    """Return a small question in the form of those that the reward asks."""
    parts = {"query": "How much is 2 + 3?", "a": "\\boxed{5}", "b": "\\boxed{6}"}
    if options.privileged is not None:
        parts["reference"] = "5"
    template = load(options.template, privileged=options.privileged is not None)
    return Ask(messages=template.messages(parts, fence_key(parts)), parts=parts)


def refusal(options: WinRateOptions, sample: Sample) -> str | None:
    """Return why a row's reference cannot be shown; None if it can, or if the judge sees none."""
    if options.privileged is not None:
        try:
            privileged_text(sample, options.privileged)
        except ValueError as error:
            return str(error)
    return None


class WinRate(PairwiseReward):
    """The reward P(answer i beats answer j), averaged over the group's other answers j; in [0, 1], 0.5 for G = 1.

    Source: SP3F (Sutawika et al.), equations 3 and 4.
    """

    def __init__(self, options: WinRateOptions, context: Context) -> None:
        super().__init__(context.judges[options.judge], options)
        self._options, self._official = options, options.profile == "sp3f_official"
        self._template = load(options.template, privileged=options.privileged is not None)

    def shared(self, sample: Sample) -> dict[str, str]:
        """Return the parts that all comparisons of the group share: the query and, if privileged, the reference."""
        shared = {"query": query_of(sample)}
        field = self._options.privileged
        if field is None:
            return shared
        return {**shared, "reference": privileged_text(sample, field)}

    def question(self, shared: dict[str, str], first: str, second: str) -> PairQuestion:
        """Return the question which of two texts is better."""
        parts = {**shared, "a": first, "b": second}
        key = fence_key(parts)
        return PairQuestion(ask=Ask(messages=self._template.messages(parts, key), parts=parts), key=key)

    def read(self, reply: Reply, question: PairQuestion) -> tuple[PairVerdict, bool]:
        """Return the verdict in the reply's last words.

        A tie gives a half to each; in the published code it is a loss of the answer listed first, as all but A is.
        """
        winner = self._winner(reply, question)
        if winner is None:
            return PairVerdict(verdict="unparsable"), False
        share = 0.0 if winner == "tie" and self._official else SHARES[winner]
        return PairVerdict(verdict=winner, first_wins=share), True

    def _winner(self, reply: Reply, question: PairQuestion) -> Verdict | None:
        # the last box of a reply that was cut may be a mention in the middle of its analysis
        own = None if reply.cut_off else verdict(reply.text, question.ask.parts.values(), question.key)
        if self._official:
            return official_verdict(reply.text) or ("tie" if own == "tie" else None)
        return own
