"""Check the fields that rows need to be scored: fields that components require, and components that would abstain."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from rewardlab.errors import JobError, one_line
from rewardlab.types import Sample

Answer = TypeVar("Answer")


@dataclass(frozen=True, kw_only=True)
class RowNeeds:
    """The needs of a recipe's rewards, asked of one row at a time.

    Args:
        fields: field -> who needs it, in words.
        refuses: component -> a function that says why it cannot use a sample's fields, or None.
        abstains: component -> a function that says why the component will give a sample no value, or None.
        cautions: component -> a function that says what is doubtful about a sample, and the text to show, or None.
        uses: component -> what it is, for messages.
        fatal: those whose abstention ends a job.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    refuses: Mapping[str, Callable[[Sample], str | None]] = field(default_factory=dict)
    abstains: Mapping[str, Callable[[Sample], str | None]] = field(default_factory=dict)
    cautions: Mapping[str, Callable[[Sample], tuple[str, str] | None]] = field(default_factory=dict)
    uses: Mapping[str, str] = field(default_factory=dict)
    fatal: frozenset[str] = frozenset()

    def lacking(self, sample: Sample) -> Iterator[tuple[str, str]]:
        """Yield (field, who needs it) for each field that a row does not have, or has as null."""
        for name, readers in self.fields.items():
            if sample.fields.get(name) is None:
                yield name, readers

    def lacks(self, sample: Sample, columns: Mapping[str, str]) -> Iterator[str]:
        """Yield a sentence for each field that a row lacks: who needs it, and how its column is named.

        Of a row that lacks none, yield why components cannot use what it has. columns: what columns are called, our
        field -> theirs.
        """
        complete = True
        for name, readers in self.lacking(sample):
            complete = False
            state, column = "it is null" if name in sample.fields else "the row has none", columns.get(name)
            hint = f"; map its column with `dataset: {{fields: {{{name}: <column>}}}}`"
            if column is not None:
                hint = "" if name in sample.fields else f": there is no column {column!r}"
            yield f"field {name!r} is needed by {readers}, but {state}{hint}"
        if complete:
            yield from (f"{name} ({self.uses[name]}): {reason}" for name, reason in self.refusals(sample))

    def refusals(self, sample: Sample) -> Iterator[tuple[str, str]]:
        """Yield (component, why) for each component that cannot use what a row has. A JobError names one that fails."""
        for component, refuses in self.refuses.items():
            if reason := self._asked(component, "refuses", refuses, sample):
                yield component, reason

    def abstentions(self, sample: Sample, fatal_only: bool = True) -> Iterator[tuple[str, str]]:
        """Yield (component, why) for each component that will give a row no value.

        A JobError names a component whose function fails, and the row.
        """
        for component, abstains in self.abstains.items():
            if fatal_only and component not in self.fatal:
                continue
            if reason := self._asked(component, "abstains", abstains, sample):
                yield component, reason

    def doubts(self, sample: Sample) -> Iterator[tuple[str, str, str]]:
        """Yield (component, what is doubtful, the text to show) for each component that has a doubt about a row.

        A JobError names a component whose function fails, and the row.
        """
        for component, cautions in self.cautions.items():
            if doubt := self._asked(component, "cautions", cautions, sample):
                yield component, *doubt

    def _asked(self, component: str, name: str, function: Callable[[Sample], Answer], sample: Sample) -> Answer:
        """Return what a component's function says of a row."""
        try:
            return function(sample)
        except Exception as error:  # the one place where an exception of these functions gets its name
            subject = f"component {component!r} ({self.uses[component]}) on {sample.source or sample.place()}"
            raise JobError(f"{subject}: {name}: {one_line(error)}") from error
