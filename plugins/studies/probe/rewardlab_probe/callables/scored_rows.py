"""The scores that a callable gives a row's honest and degenerate completions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from rewardlab import Sample

from rewardlab_probe.callables.grader_process import CallResult, GraderProcess
from rewardlab_probe.callables.signatures import CallPlan
from rewardlab_probe.measure import CompletionResult, MeasuredRow, ProbeGroup

NAME = "grader"
"""The callable as a component."""


@dataclass
class ScoredTexts:
    """The calls of a probe: each text of a row is asked once, and what became of it is kept.

    Args:
        troubled: (row, text, result) of each text that got no score.
    """

    grader: GraderProcess
    plan: CallPlan
    results: dict[tuple[str, str], CallResult] = field(default_factory=dict)
    troubled: list[tuple[Sample, str, CallResult]] = field(default_factory=list)

    def ask(self, sample: Sample, texts: Sequence[str]) -> list[CallResult]:
        """Return the result of each text, from one call where the signature takes several."""
        missing = [text for text in dict.fromkeys(texts) if (sample.id, text) not in self.results]
        for text, result in zip(missing, self.asked_anew(sample, missing), strict=True):
            self.results[sample.id, text] = result
            if result.trouble not in ("", "not_asked"):
                self.troubled.append((sample, text, result))
        return [self.results[sample.id, text] for text in texts]

    def asked_anew(self, sample: Sample, texts: Sequence[str]) -> list[CallResult]:
        """Ask for these texts whether they were asked for before or not; a batch that fails is asked one by one."""
        if self.plan.lists and len(texts) > 1:
            together = self.call(sample, texts)
            if not together.trouble:
                return [CallResult(values=[value], cpu=together.cpu / len(texts)) for value in together.values]
        return [self.call(sample, [text]) for text in texts]

    def call(self, sample: Sample, texts: Sequence[str]) -> CallResult:
        """Make one call."""
        return self.grader.call(self.plan.arguments(sample, texts), self.plan.signature, len(texts))


def measured_groups(scored: ScoredTexts, groups: Iterable[ProbeGroup]) -> Iterator[MeasuredRow]:
    """Yield each group with its scores, in order."""
    for group in groups:
        row = group.probe.row
        results = {
            text: _result(result) for text, result in zip(group.texts, scored.ask(row.sample, group.texts), strict=True)
        }
        honest = results[row.honest]
        yield MeasuredRow(
            sample=row.sample,
            honest=honest,
            lost={NAME: honest.why} if honest.total is None else {},
            first=group.first,
            degenerate={(attempt.family, attempt.variant): results[attempt.text] for attempt in group.attempts},
            absent=group.probe.absent,
        )


def _result(result: CallResult) -> CompletionResult:
    value = result.values[0] if result.values else None
    why = result.why or ("" if value is not None else "it returns None")
    fatal = result.trouble not in ("", "not_asked")
    return CompletionResult(total=value, values={NAME: value}, why=why, fatal=fatal)
