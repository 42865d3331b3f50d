"""The data step data/overlap: rows that share no text with the rows of evaluation sets."""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from rewardlab import Context, Sample
from rewardlab.data import raw_sample, read_lines
from rewardlab.errors import Problem, UserError

from rewardlab_data.grams import grams, normal
from rewardlab_data.options import OverlapOptions

log = logging.getLogger("rewardlab.data")

MAX_PROBLEMS = 10
EXAMPLES, SHOWN = 3, 80
"""dropped rows that the warning shows, and characters of what each shares"""


class OverlapRows:
    """An iterable of the source's samples, unchanged, without those that overlap with an evaluation row.

    Two texts overlap if they are the same up to case, punctuation and spaces, or have a run of `n` words in common
    (grams.py). Every field of `fields` is compared with every one of an evaluation row. A warning at the end counts the
    rows that were dropped and shows the first.
    """

    def __init__(self, options: OverlapOptions, context: Context) -> None:
        self._options, self._source = options, context.source
        self._known = _evaluated(options)

    def __iter__(self) -> Iterator[Sample]:
        """Yield the samples that are kept. Raises UserError for a row with none of the fields."""
        read, dropped = 0, 0
        shown: list[str] = []
        for read, sample in enumerate(self._source, 1):
            shared = self._overlap(sample, read)
            if shared is None:
                yield sample
                continue
            dropped += 1
            if len(shown) < EXAMPLES:
                shown.append(shared)
        if dropped:
            log.warning("data/overlap: %d of %d rows dropped: %s", dropped, read, "; ".join(shown))

    def _overlap(self, sample: Sample, number: int) -> str | None:
        where = sample.source or sample.id or f"row {number}"
        texts = texts_of(sample, self._options.fields)
        if not texts:
            raise UserError(f"data/overlap: {where}: no text in {' or '.join(self._options.fields)}")
        for text in texts:
            for gram in _keys(text, self._options.n):
                if (evaluated := self._known.get(gram)) is not None:
                    shown = gram if len(gram) <= SHOWN else gram[: SHOWN - 3] + "..."
                    return f"{where} and {evaluated}: {shown!r}"
        return None


def texts_of(sample: Sample, fields: Sequence[str]) -> list[str]:
    """Return the texts of these fields that are not blank; `prompt` is all that the user says in the prompt."""
    prompt_text = "\n".join(message["content"] for message in sample.prompt if message["role"] == "user")
    values = [prompt_text if field == "prompt" else sample.fields.get(field) for field in fields]
    return [value for value in values if isinstance(value, str) and value.strip()]


def _keys(text: str, n: int) -> Iterator[str]:
    if whole := normal(text):
        yield whole
        yield from grams(whole, n)


def _evaluated(options: OverlapOptions) -> dict[str, str]:
    """Return each text and gram of the evaluation rows, with the place of the first that has it."""
    known: dict[str, str] = {}
    missing = [file for file in options.against if not Path(file).expanduser().is_file()]
    if missing:
        raise UserError([Problem(where=file, what="no such file (of `against`)") for file in missing])
    problems: list[Problem] = []
    for file in options.against:
        for number, row in read_lines(Path(file).expanduser()):
            where = f"{file}:{number}"
            if isinstance(row, Problem):
                problems.append(row)
            elif texts := texts_of(raw_sample(row), options.fields):
                for text in texts:
                    for gram in _keys(text, options.n):
                        known.setdefault(gram, where)
            else:
                problems.append(Problem(where=where, what=f"no text in {' or '.join(options.fields)}"))
    if problems:
        raise UserError(problems[:MAX_PROBLEMS])
    return known
