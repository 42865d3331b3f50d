"""The rows about which nothing can be asked, in their language or at all, which `check` names before a payment."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from rewardlab import Sample
from rewardlab_pairwise.pairwise_reward import NoQuestion

from rewardlab_rubric.rubrics import Rubrics, rubrics_of_rows
from rewardlab_rubric.strategies.language_texts import is_awaited, is_made
from rewardlab_rubric.strategies.questions import QuestionOptions, rubrics_of


class AskingOptions(Protocol):
    """The options of a reward or a data step that asks by rubric. asked: those of its questions, one a strategy."""

    @property
    def asked(self) -> Sequence[QuestionOptions]: ...


def without_texts(options: AskingOptions, sample: Sample) -> str | None:
    """Return why a row has no question in its language; None if it has, or if texts are still to be made."""
    same = _Same(options)
    if any(map(is_awaited, _files(same))):
        return None
    for rubrics in _rubrics(same):
        try:
            rubrics(sample)
        except NoQuestion as error:
            return str(error)
        except ValueError:  # another mistake in the row: `unusable`
            return None
    return None


def unusable(options: AskingOptions, sample: Sample) -> str | None:
    """Return what is wrong with a row's own rubric; None if nothing is, or if texts are still to be made."""
    same = _Same(options)
    if any(map(is_awaited, _files(same))):
        return None
    english = (
        rubrics_of_rows(options.applied, options.kinds) for options in options.asked if options.strategy == "eng-eng"
    )
    for rubrics in (*filter(None, english), *_rubrics(same)):
        try:
            rubrics(sample)
        except NoQuestion:
            return None
        except ValueError as error:
            return str(error)
    return None


def texts_files(options: AskingOptions) -> list[str]:
    """Return the files with texts that an earlier stage may write."""
    return _files(_Same(options))


class _Same:
    """A key for options, which have no hash of their own: the same object."""

    def __init__(self, options: AskingOptions) -> None:
        self.options = options

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.options is self.options

    def __hash__(self) -> int:
        return id(self.options)


# a check asks about each of thousands of rows, and to make such options anew is to read all of their files


@lru_cache(maxsize=16)
def _files(same: _Same) -> list[str]:
    named = dict.fromkeys(options.texts for options in same.options.asked)
    return [texts for texts in named if texts is not None and is_made(texts)]


@lru_cache(maxsize=16)
def _rubrics(same: _Same) -> list[Rubrics]:
    """Return the functions that give a row its rubric, of each strategy in the row's language."""
    return [rubrics_of(options) for options in same.options.asked if options.strategy != "eng-eng"]
