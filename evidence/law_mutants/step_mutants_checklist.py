"""checklist/critiques, with one thing changed."""

from dataclasses import replace

from rewardlab import DatasetSpec, hookimpl


def _as_it_is(options, context):
    """checklist/critiques as it is."""
    from rewardlab_checklist.critiques import CritiqueRows

    return CritiqueRows(options, context)


def _changed(options, context, **methods):
    from rewardlab_checklist.critiques import CritiqueRows

    return type("Changed", (CritiqueRows,), methods)(options, context)


def _one_id(options, context):
    """checklist/critiques, whose kinds have one id."""

    async def _critique(self, sample, kind, texts):
        return replace(await super(type(self), self)._critique(sample, kind, texts), id=sample.id)

    return _changed(options, context, _critique=_critique)


def _numbered(options, context):
    """checklist/critiques, whose ids are the rows' numbers."""

    def __iter__(self):
        for number, row in enumerate(super(type(self), self).__iter__()):
            yield replace(row, id=f"critique-{number}")

    return _changed(options, context, __iter__=__iter__)


def _once(options, context):
    """checklist/critiques, which gives a row once in its life."""

    def __iter__(self):
        seen = self.__dict__.setdefault("seen", set())
        for row in super(type(self), self).__iter__():
            if row.id not in seen:
                seen.add(row.id)
                yield row

    return _changed(options, context, __iter__=__iter__)


def _silent(options, context):
    """checklist/critiques, which leaves out rows without a completion in silence."""

    async def _row(self, sample):
        if self._options.completion not in sample.fields:
            return [], 0
        return await super(type(self), self)._row(sample)

    return _changed(options, context, _row=_row)


def _all_at_once(options, context):
    """checklist/critiques, which reads its source to the end first."""

    def __iter__(self):
        self._source = list(self._source)
        return super(type(self), self).__iter__()

    return _changed(options, context, __iter__=__iter__)


@hookimpl
def rewardlab_datasets() -> list[DatasetSpec]:
    from rewardlab_checklist import rewardlab_datasets as installed

    (step,) = installed()
    faults = {
        "correct_critiques": _as_it_is,
        "critiques_one_id": _one_id,
        "critiques_numbered": _numbered,
        "critiques_once": _once,
        "critiques_silent": _silent,
        "critiques_all_at_once": _all_at_once,
    }
    return [replace(step, name=name, summary=str(change.__doc__), build=change) for name, change in faults.items()]
