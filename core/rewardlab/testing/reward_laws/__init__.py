"""The laws of a reward, one function each: the words are in rewardlab.laws.REWARD."""

from collections.abc import Callable
from functools import wraps

from rewardlab.testing.bench import bench
from rewardlab.testing.outcome import Untried
from rewardlab.testing.reward_laws import again, apart, case, degenerate, judged, values
from rewardlab.testing.trial import Trial

Law = Callable[[Trial], int]


def _of_answers(law: Law) -> Law:
    """Failures are all the same: a reward that only fails would keep nearly every law."""

    @wraps(law)
    def tried(tested: Trial) -> int:
        seen = law(tested)
        if not _answers(tested):
            raise Untried("needs an answer; each was a failure, which `range` tells")
        return seen

    return tried


def _answers(tested: Trial) -> bool:
    asking, sample = bench(tested), tested.example.sample
    for one in case.hard(tested):
        if asking.answered:
            break
        asking.score(case.items(sample, [one]))
    return asking.answered


LAWS: dict[str, Law] = {
    "range": values.in_range,
    "order": values.order,
    "monotone": values.monotone,
    "repeat": _of_answers(again.repeat),
    "permutation": _of_answers(apart.permutation),
    "batch": _of_answers(apart.batch),
    "arrival": _of_answers(apart.arrival),
    "thread": _of_answers(again.thread),
    "worker": _of_answers(again.worker),
    "ray": _of_answers(again.ray),
    "rebuild": _of_answers(again.rebuild),
    "info": values.info,
    "required": values.required,
    "unanswered": judged.unanswered,
    "empty": _of_answers(values.empty),
    "prompt_copy": _of_answers(degenerate.prompt_copy),
    "repetition": _of_answers(degenerate.repetition),
    "padding": _of_answers(degenerate.padding),
    "antisymmetry": _of_answers(degenerate.antisymmetry),
}
