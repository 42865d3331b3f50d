"""data/mix, with one thing changed."""

from dataclasses import replace

from rewardlab import DatasetSpec, hookimpl


def _as_it_is(options, context):
    """data/mix as it is."""
    from rewardlab_data.mix import MixedRows

    return MixedRows(options, context)


def _ids_of_the_parts(options, context):
    """data/mix, whose rows keep the ids that they have in their parts."""
    for row in _as_it_is(options, context):
        yield replace(row, id=row.id.partition("/")[2])


def _parts_at_random(options, context):
    """data/mix, which draws the part of each row by a hash that is another one in each process."""
    from rewardlab_data import mix

    class AtRandom(mix.MixedRows):
        def __iter__(self):
            rows = list(super().__iter__())
            return iter(sorted(rows, key=lambda row: hash(row.fields["dataset"])))

    return AtRandom(options, context)


def _one_pass(options, context):
    """data/mix, which can be read once."""
    return iter(list(_as_it_is(options, context)))


@hookimpl
def rewardlab_datasets() -> list[DatasetSpec]:
    from rewardlab_data import rewardlab_datasets as installed

    (step,) = (one for one in installed() if one.name == "mix")
    faults = {
        "correct_mix": _as_it_is,
        "mix_ids_of_parts": _ids_of_the_parts,
        "mix_parts_at_random": _parts_at_random,
        "mix_one_pass": _one_pass,
    }
    return [replace(step, name=name, summary=str(change.__doc__), build=change) for name, change in faults.items()]
