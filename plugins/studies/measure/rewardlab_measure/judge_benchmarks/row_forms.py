"""The form of a benchmark's row: which of the published ones it has, and whether it is measured at all."""

import re
from collections.abc import Iterator

from rewardlab.errors import nearest

from rewardlab_measure.judge_benchmarks.benchmark_format import SHAPES, JudgeBenchmark, RowForm
from rewardlab_measure.judge_benchmarks.row_columns import Row, columns_in, has_column, text_of


def is_left_out(benchmark: JudgeBenchmark, row: Row) -> bool:
    """Return whether the benchmark does not measure this row. A ValueError if a column that says so is empty."""
    if any(not _matches(row, column, pattern) for column, pattern in benchmark.only.items()):
        return True
    return any(
        has_column(row, column) and _matches(row, column, pattern) for column, pattern in benchmark.leave_out.items()
    )


def _matches(row: Row, column: str, pattern: str) -> bool:
    return re.fullmatch(pattern, text_of(row, column)) is not None


def form_of(benchmark: JudgeBenchmark, row: Row) -> RowForm:
    """Return the first form whose columns a row has. A ValueError names what it lacks of the one that comes nearest."""
    lacking = [[name for name in _columns(benchmark, form) if not has_column(row, name)] for form in benchmark.forms]
    for form, missing in zip(benchmark.forms, lacking, strict=True):
        if not missing:
            return form
    fewest = min(lacking, key=len)
    raise ValueError(f"no column {fewest[0]!r}{nearest(fewest[0], row)}")


def _columns(benchmark: JudgeBenchmark, form: RowForm) -> Iterator[str]:
    """Yield the columns that a form needs."""
    for template in (form.prompt, form.response, form.language, *(form.slices or {}).values()):
        yield from (name for name in columns_in(template) if name != "options")
    for shape in SHAPES[benchmark.measure]:
        for key in ("conversation", *shape):
            value = getattr(form, key)
            if key in ("response", "wrong_is") or value is None:
                continue
            # a choice that a question has not is left out, so that the first two are enough
            yield from [value] if isinstance(value, str) else value[:2]
