"""curriculum/difficulty, with one thing changed."""

from dataclasses import replace

from rewardlab import CurriculumSpec, hookimpl


def _as_it_is(options, context):
    """curriculum/difficulty as it is."""
    from rewardlab_curriculum.difficulty import Difficulty

    return Difficulty(options)


def _salted_ties(options, context):
    """curriculum/difficulty, whose equals come by Python's own hash, as mR3's code has it."""
    from rewardlab_curriculum import difficulty

    class Salted(difficulty.Difficulty):
        def order(self, samples, seed):
            drawn = super().order(samples, seed)
            keys = [self._difficulty(sample) for sample in samples]
            return sorted(drawn, key=lambda index: (keys[index], hash(samples[index].id)))

    return Salted(options)


def _first_rows_alone(options, context):
    """curriculum/difficulty, which loses the rows behind those of the first language."""
    from rewardlab_curriculum import difficulty

    class Alone(difficulty.Difficulty):
        def order(self, samples, seed):
            drawn = super().order(samples, seed)
            early = [index for index in drawn if self._is_first(samples[index])]
            return early if self._options.first else drawn

    return Alone(options)


def _writes_lengths(options, context):
    """curriculum/difficulty, which writes each row's length into the row."""
    from rewardlab_curriculum import difficulty

    class Writes(difficulty.Difficulty):
        def _length(self, sample):
            sample.fields["length"] = super()._length(sample)
            return sample.fields["length"]

    return Writes(options)


@hookimpl
def rewardlab_curricula() -> list[CurriculumSpec]:
    from rewardlab_curriculum import rewardlab_curricula as installed

    (curriculum,) = (one for one in installed() if one.name == "difficulty")
    faults = {
        "correct_difficulty": _as_it_is,
        "difficulty_salted_ties": _salted_ties,
        "difficulty_first_alone": _first_rows_alone,
        "difficulty_writes_lengths": _writes_lengths,
    }
    return [
        replace(curriculum, name=name, summary=str(change.__doc__), build=change) for name, change in faults.items()
    ]
