"""A reward for the right final answer: math/accuracy."""

from typing import Any

from rewardlab import Context, RewardSpec, Sample, hookimpl
from rewardlab.laws import Laws

from rewardlab_math.options import AccuracyOptions


def _build(options: AccuracyOptions, _context: Context) -> Any:
    if options.profile == "sp3f_official":
        from rewardlab_math.official import OfficialAccuracy

        return OfficialAccuracy(options)
    from rewardlab_math.accuracy import Accuracy

    return Accuracy(options)


def _abstains(options: AccuracyOptions, sample: Sample) -> str | None:
    from rewardlab_math.options import is_left_out

    return f"it has a field {options.unless!r}" if is_left_out(options, sample) else None


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="accuracy",
            summary="1 for the right final answer: numbers of many locales, formulas, choices, words",
            config=AccuracyOptions,
            range=(0.0, 1.0),
            requires=lambda options: [options.field],
            abstains=_abstains,
            refuses="rewardlab_math.gold_text:refusal",
            cautions="rewardlab_math.gold_check:doubt",
            counted_info=("gold_by_writing", "refused", "timed_out", "failed", "no_answer", "last_number_reads"),
            runs="worker",
            timeout=10.0,
            on_timeout=0.0,
            build=_build,
            laws=Laws(examples="rewardlab_math.examples:accuracy"),
        )
    ]
