"""data/split, data/overlap and language/filter, each with one thing changed."""

from dataclasses import replace

from rewardlab import Config, DatasetSpec, hookimpl
from rewardlab.laws import Laws


class SplitOptions(Config):
    parts: dict[str, float]
    keep: str
    by: str = "id"
    seed: int = 0


class OverlapOptions(Config):
    against: tuple[str, ...]


def _split(options, context):
    from rewardlab_data.options import SplitOptions
    from rewardlab_data.split import SplitRows

    return SplitRows(SplitOptions(**options.model_dump()), context)


def _overlap(options, context):
    from rewardlab_data.options import OverlapOptions
    from rewardlab_data.overlap import OverlapRows

    return OverlapRows(OverlapOptions(**options.model_dump()), context)


class _EachTime:
    """Rows that are made anew at each iteration."""

    def __init__(self, rows):
        self.rows = rows

    def __iter__(self):
        return iter(self.rows())


def _by_salted_hash(options, context):
    return _EachTime(lambda: (row for row in context.source if hash(row.id) % 10 < 3))


def _first_third(options, context):
    def rows():
        found = list(context.source)
        return found[: len(found) * 3 // 10]

    return _EachTime(rows)


def _rows_without_key(options, context):
    right = _split(options, context)
    return _EachTime(
        lambda: (row for row in context.source if options.by not in row.fields or right.part_of(row) == options.keep)
    )


def _split_by_place(options, context):
    return _EachTime(lambda: (replace(row, id=f"{options.keep}-{n}") for n, row in enumerate(_split(options, context))))


def _once(options, context):
    return iter(_overlap(options, context))


def _marked(options, context):
    def rows():
        kept = {row.id for row in _overlap(options, context)}
        for row in context.source:
            yield replace(row, fields={**row.fields, "overlaps": row.id not in kept})
            if row.id not in kept:
                yield row

    return _EachTime(rows)


def _all_read_first(options, context):
    return _EachTime(lambda: iter(list(_overlap(options, context))))


def _filter(options, context):
    from rewardlab_language.filter import LanguageFilter

    return LanguageFilter(options, context)


def _filter_without_language(options, context):
    named = [row for row in context.source if "language" in row.fields]
    return _filter(options, replace(context, source=named))


def _filter_read_first(options, context):
    return _EachTime(lambda: iter(list(_filter(options, context))))


def _filter_step(name, summary, build):
    from rewardlab_language import rewardlab_datasets as installed

    (step,) = (one for one in installed() if one.name == "filter")
    return replace(step, name=name, summary=summary, build=build)


def _examples(name, title):
    def examples():
        from rewardlab_data import examples

        return [one for one in getattr(examples, f"examples_of_{name}")() if one.title == title]

    return examples


def _step(name, summary, build, kind, title, requires=()):
    return DatasetSpec(
        name=name,
        summary=summary,
        config=SplitOptions if kind == "split" else OverlapOptions,
        step=True,
        requires=requires,
        build=build,
        laws=Laws(examples=_examples(kind, title)),
    )


@hookimpl
def rewardlab_datasets():
    return [
        _step("correct_split", "data/split by a field", _split, "split", "field", ("problem",)),
        _step("split_salted", "splits by Python's hash", _by_salted_hash, "split", "id"),
        _step("split_first", "the first rows of the source", _first_third, "split", "id"),
        _step("split_without_key", "keeps rows that have no key", _rows_without_key, "split", "field", ("problem",)),
        _step("split_by_place", "ids by the place among those that are kept", _split_by_place, "split", "id"),
        _step("correct_overlap", "data/overlap as it is", _overlap, "overlap", "prompts"),
        _step("overlap_once", "can be read once", _once, "overlap", "prompts"),
        _step("overlap_twice", "marks rows, and gives those that overlap twice", _marked, "overlap", "prompts"),
        _step("overlap_reads_all", "reads all rows before it gives the first", _all_read_first, "overlap", "prompts"),
        _filter_step("correct_filter", "language/filter as it is", _filter),
        _filter_step("filter_without_language", "drops rows without a language unseen", _filter_without_language),
        _filter_step("filter_reads_all", "reads all rows before it gives the first", _filter_read_first),
    ]
