"""Data steps of rewardlab-rubric, each with one thing changed."""

import random
from dataclasses import replace

from rewardlab import DatasetSpec, hookimpl


def _altered(step, name, change):
    """Return the spec of a step that `change(options, context)` builds."""
    return replace(step, name=name, summary=str(change.__doc__), build=change)


def _as_it_is(options, context):
    """rubric/negatives as it is."""
    from rewardlab_rubric.data_steps.negatives import NegativeRows

    return NegativeRows(options, context)


def _one_stream(options, context):
    """rubric/negatives, whose draws depend on the rows before."""
    from rewardlab_rubric.data_steps import negatives

    class OneStream(negatives.NegativeRows):
        def __iter__(self):
            self._stream = random.Random(self._seed)
            return super().__iter__()

        async def _answers(self, sample, asker, needed):
            right, wrong, made_by = await super()._answers(sample, asker, needed)
            others = [one for one in sample.fields.get("options") or [wrong] if one != right]
            return right, self._stream.choice(others) if isinstance(others, list) else wrong, made_by

    return OneStream(options, context)


def _one_id(options, context):
    """rubric/negatives, whose two rows have one id."""
    from rewardlab_rubric.data_steps import negatives

    class OneId(negatives.NegativeRows):
        def _row(self, sample, response, score, made_by):
            return replace(super()._row(sample, response, score, made_by), id=sample.id)

    return OneId(options, context)


def _no_answer(options, context):
    """rubric/negatives, which leaves out rows without an answer in silence."""
    from rewardlab_rubric.data_steps import negatives

    class NoAnswer(negatives.NegativeRows):
        async def _rows(self, sample, asker):
            return await super()._rows(sample, asker) if self._options.answer in sample.fields else []

    return NoAnswer(options, context)


def _salted_share(options, context):
    """rubric/agreeing, whose shares follow from Python's own hash."""
    from rewardlab_rubric.data_steps import consensus_filter

    class SaltedShare(consensus_filter.AgreeingRows):
        def _hash(self, sample):
            return hash(sample.id) % 1000 / 1000

    return SaltedShare(options, context)


def _with_rows(options, context):
    """rubric/agreeing as it is, with so many rows."""
    from rewardlab_rubric.data_steps.consensus_filter import AgreeingRows

    return AgreeingRows(options, context)


def _salted_draw(options, context):
    """rubric/agreeing, which draws so many rows by Python's own hash."""
    from rewardlab_rubric.data_steps import consensus_filter

    class SaltedDraw(consensus_filter.AgreeingRows):
        def _place(self, sample):
            return True, hash(sample.id)

    return SaltedDraw(options, context)


def _other_draw_again(options, context):
    """rubric/agreeing, which draws other rows at each iteration."""
    from rewardlab_rubric.data_steps import consensus_filter

    class OtherDraw(consensus_filter.AgreeingRows):
        _times = 0

        def _chosen(self, samples, rows, left_out):
            self._times += 1
            self._seed = self._times
            return super()._chosen(samples, rows, left_out)

    return OtherDraw(options, context)


def _with_positions(options, context):
    """rubric/distilled as it is, in hashed positions."""
    from rewardlab_rubric.data_steps.distilled import DistilledRows

    return DistilledRows(options, context)


def _salted_positions(options, context):
    """rubric/distilled, whose positions follow from Python's own hash."""
    return _positioned(options, context, lambda row: hash(row.id) % 2 == 1)


def _counted_positions(options, context):
    """rubric/distilled, which swaps every other row that comes, as R3's code does."""
    seen = []
    return _positioned(options, context, lambda row: seen.append(row) or len(seen) % 2 == 0)


def _positioned(options, context, moved):
    """Return the rows of a step that swaps those of which `moved(row)` is true."""
    from rewardlab_rubric.data_steps import distilled, positions

    class Positioned(distilled.DistilledRows):
        def _placed(self, sample, gold, levels):
            return positions.placed(sample, moved(sample), options.texts_judged, options.gold, gold, levels)

    return Positioned(options, context)


def _translated(options, context):
    """rubric/distilled as it is, with translated thoughts."""
    from rewardlab_rubric.data_steps.distilled import DistilledRows

    return DistilledRows(options, context)


def _translated_twice(options, context):
    """rubric/distilled, which has the thoughts translated once more than is planned and takes the shorter one."""
    from rewardlab_rubric.data_steps import distilled

    class Twice(distilled.ThoughtTranslator):
        async def translate(self, *texts):
            both = [await super(Twice, self).translate(*texts) for _ in range(2)]
            return min(both, key=lambda one: len(one.trace))

    class TwiceTranslated(distilled.DistilledRows):
        def __init__(self, options, context):
            super().__init__(options, context)
            self._translator.__class__ = Twice

    return TwiceTranslated(options, context)


def _translation_of_the_row_before(options, context):
    """rubric/distilled, whose rows have the translated thoughts of the row before."""
    from rewardlab_rubric.data_steps import distilled

    class Before(distilled.ThoughtTranslator):
        _before = None

        async def translate(self, *texts):
            made = await super().translate(*texts)
            shown, self._before = self._before or made, made
            return replace(made, trace=shown.trace)

    class TranslatedBefore(distilled.DistilledRows):
        def __init__(self, options, context):
            super().__init__(options, context)
            self._translator.__class__ = Before

    return TranslatedBefore(options, context)


def _another_summary(options, context):
    """rubric/summarised, which asks for a second summary and takes the shorter one."""
    from rewardlab_rubric.data_steps import asking, summarised

    class Twice(asking.PatientAsker):
        async def ask(self, ask, read, where, first=0):
            both = [await super(Twice, self).ask(ask, read, where, place * self._attempts) for place in (0, 1)]
            return min(both, key=lambda one: len(one[0]))

    class TwoSummaries(summarised.SummarisedRows):
        async def _row(self, sample, asker, length):
            asker = Twice(self._judge, "brief", self._options.attempts)
            return await super()._row(sample, asker, length)

    return TwoSummaries(options, context)


def _rubric_of_the_row_before(options, context):
    """rubric/rubrics, which shows the writer the rubric that it wrote last."""
    from rewardlab_rubric.data_steps import written_rubrics

    class Before(written_rubrics.RowsWithRubrics):
        _before = ""

        def _parts(self, sample):
            parts = super()._parts(sample)
            shown, self._before = self._before, sample.prompt[-1]["content"]
            return {**parts, "task": parts.get("task", "") + shown}

    return Before(options, context)


def _with_shares(agreeing):
    """Return the spec of rubric/agreeing with an example in which half of the rows stay."""
    small = next(one for one in agreeing.laws.examples() if one.title == "small model")
    shares = replace(small, options={**small.options, "keep": dict.fromkeys(range(4), 0.5)})
    return replace(agreeing, laws=replace(agreeing.laws, examples=lambda: [shares]))


def _with_example(step, title):
    """Return the spec of a step with this example alone."""
    found = [one for one in step.laws.examples() if one.title == title]
    return replace(step, laws=replace(step.laws, examples=lambda: found))


@hookimpl
def rewardlab_datasets() -> list[DatasetSpec]:
    from rewardlab_rubric import rewardlab_datasets as installed

    steps = {one.name: one for one in installed()}
    agreeing = steps["agreeing"]
    steps["agreeing"] = _with_shares(agreeing)
    steps["drawing"] = _with_example(agreeing, "so many rows")
    steps["positions"] = _with_example(steps["distilled"], "pairs, hashed positions")
    steps["translated"] = _with_example(steps["distilled"], "translated")
    faults = [
        ("negatives", "correct_negatives", _as_it_is),
        ("negatives", "negatives_one_stream", _one_stream),
        ("negatives", "negatives_one_id", _one_id),
        ("negatives", "negatives_without_answer", _no_answer),
        ("agreeing", "agreeing_salted_share", _salted_share),
        ("drawing", "correct_drawing", _with_rows),
        ("drawing", "drawing_salted", _salted_draw),
        ("drawing", "drawing_another_again", _other_draw_again),
        ("positions", "correct_positions", _with_positions),
        ("positions", "positions_salted", _salted_positions),
        ("positions", "positions_counted", _counted_positions),
        ("translated", "correct_translated_thoughts", _translated),
        ("translated", "translated_thoughts_twice", _translated_twice),
        ("translated", "translated_thoughts_before", _translation_of_the_row_before),
        ("summarised", "summarised_twice", _another_summary),
        ("rubrics", "rubrics_row_before", _rubric_of_the_row_before),
    ]
    return [_altered(steps[step], name, change) for step, name, change in faults]
