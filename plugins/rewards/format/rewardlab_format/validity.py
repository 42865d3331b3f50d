"""format/validity: a deduction for what no critic needs to read, after the penalty of AMRO."""

from collections.abc import Sequence

from rewardlab import Completion, Context, Sample, Score

from rewardlab_format.options import TagsOptions, ValidityOptions
from rewardlab_format.structure_file import read_structures
from rewardlab_format.tags import Tags


class Validity:
    """The value 0 for a response with a trace, the right tags and the task's structure; else a deduction.

    The deduction is `penalty` for any violation; with `per_violation` that much for each, up to `penalty`.
    `info["violations"]` names them: `trace: ...`, `format: ...`, `structure: ...`. Source: "Verifying the Subjective",
    section 3.3.4, p_invalid.
    """

    def __init__(self, options: ValidityOptions, _context: Context | None = None) -> None:
        self._options = options
        self._tags = Tags(TagsOptions(tags=options.tags))
        self._structures = None if options.structure is None else read_structures(options.structure)

    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        """Return one score for each item. A row without a task, or with one that the file lacks, is a failure."""
        return [self._score(sample, completion.text) for sample, completion in items]

    def _score(self, sample: Sample, text: str) -> Score:
        try:
            violations = self._violations(sample, text)
        except ValueError as error:
            return Score(error=str(error))
        if not violations:
            return Score(value=0.0, info={"violations": []})
        each, most = self._options.per_violation, self._options.penalty
        deduction = most if each is None else min(most, each * len(violations))
        return Score(value=-deduction, info={"violations": violations})

    def _violations(self, sample: Sample, text: str) -> list[str]:
        structure = None
        if self._structures is not None:
            if self._options.task not in sample.fields:
                raise ValueError(f"field {self._options.task!r}: missing")
            structure = self._structures.of(sample.fields[self._options.task], sample.fields.get(self._options.subtask))
        trace, answer = self._tags.body(text, 0), self._tags.body(text, -1)
        violations = [] if trace is not None else [f"trace: nothing inside <{self._options.tags[0]}>"]
        if (fault := self._tags.fault(text)) is not None:
            violations.append(f"format: {fault}")
        if structure is not None:  # a row's own labels are read even if there is no answer: a bad row is a failure
            wrong = [f"structure: {violation}" for violation in structure.violations(answer or "", sample.fields)]
            violations += wrong if answer is not None else []
        return violations
