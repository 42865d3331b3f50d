"""Laws against earning by copying the prompt, repeating, or padding; and of pairs that share an amount."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from rewardlab.testing import strategies
from rewardlab.testing.bench import bench
from rewardlab.testing.outcome import NothingToTry, Untried
from rewardlab.testing.reward_laws import case
from rewardlab.testing.reward_laws.difference import asked, in_words, told
from rewardlab.testing.searching import search
from rewardlab.testing.told import failing
from rewardlab.testing.trial import Trial
from rewardlab.types import Completion, Score

TIMES = 100
BETWEEN = (" ", "\n")
"""repetitions"""
PADDING: Sequence[Callable[[str], str]] = (
    lambda text: f" {text}",
    lambda text: f"{text} ",
    lambda text: f"{text}\n",
    lambda text: f"\n\n{text}\n\n",
    lambda text: f"{text}{' ' * 1_000}",
    lambda text: f"{' ' * 1_000}{text}",
    lambda text: "\t\r\n" + text + 10 * "\t",
    lambda text: text + 300 * "\n",
)
LONGEST = 300
"""characters of a text that is repeated"""


def prompt_copy(tested: Trial) -> int:
    bad, prompts = case.bad(tested), case.prompts(tested)
    if not prompts:
        raise Untried("needs an example whose sample has a prompt")
    copies = [Completion(text=prompt) for prompt in prompts]
    for one in bad:
        copies += [replace(one, text=f"{one.text}\n{prompt}") for prompt in prompts]
        copies += [replace(one, text=f"{prompt}\n{one.text}") for prompt in prompts]
    for copy in copies:
        scores = _beside_good(tested, [*bad, copy])
        values = [score.value for score in scores[:-1] if score.value is not None]
        if values and _more(tested, scores[-1], most := max(values)):
            raise failing(
                f"{told(copy)}, with the prompt in it",
                in_words(scores[-1]),
                f"no more than {most!r}, the most that a bad completion earns{_tolerated(tested)}",
            )
    return len(copies)


def repetition(tested: Trial) -> int:
    def check(completions: list[Completion]) -> None:
        for one in completions:
            often = [replace(one, text=between.join([one.text] * TIMES)) for between in BETWEEN]
            _check_no_gain(tested, one, often, f"{TIMES} times over")

    first = [one for one in case.known(tested) if len(one.text) <= 10 * LONGEST]
    return search(check, st.lists(_prose(), min_size=1, max_size=3), tries=tested.tries, first=first)


def padding(tested: Trial) -> int:
    def check(completions: list[Completion]) -> None:
        for one in completions:
            padded = [replace(one, text=pad(one.text)) for pad in PADDING]
            _check_no_gain(tested, one, padded, "with blank space around it")

    short = strategies.completions(strategies.texts(also=[one.text for one in case.known(tested)]))
    return search(check, st.lists(short, min_size=1, max_size=3), tries=tested.tries, first=case.known(tested))


def antisymmetry(tested: Trial) -> int:
    if not tested.spec.laws.pairwise:
        raise NothingToTry("not declared to share a fixed amount: Laws(pairwise=True)")
    asking, sample, total = bench(tested), tested.example.sample, sum(tested.spec.range)
    near = 2 * tested.spec.laws.rounding

    def check(completions: list[Completion]) -> None:
        straight = asking.score(case.items(sample, completions))
        swapped = asking.score(case.items(sample, completions[::-1]))
        asked_of = " against ".join(map(told, completions))
        values, others = ([score.value for score in scores] for scores in (straight, swapped[::-1]))
        if None in values or None in others:
            return  # nothing to share: a judge may have failed, which `range` tells
        if abs(sum(values) - total) > near:
            raise failing(asked_of, " and ".join(map(in_words, straight)), f"values that add up to {total:g}")
        if any(abs(one - other) > near for one, other in zip(values, others, strict=True)):
            came = " and ".join(map(in_words, swapped[::-1]))
            raise failing(f"{asked_of}, in swapped order", came, f"{' and '.join(map(in_words, straight))}, as before")

    pairs = [[one, other] for one in case.known(tested) for other in case.known(tested)]
    for pair in pairs:
        check(pair)
    return len(pairs) + search(check, case.lists(tested, least=2, most=2), tries=tested.tries)


def _prose() -> SearchStrategy[Completion]:
    """Words without markup: what two halves of a box or a tag make together is no gain by repeating."""
    word = st.one_of(st.sampled_from(strategies.WORDS), st.sampled_from(strategies.NUMBERS[:8]))
    return st.lists(word, min_size=1, max_size=6).map(lambda words: Completion(text=" ".join(words)))


def _check_no_gain(tested: Trial, base: Completion, variants: Sequence[Completion], what: str) -> None:
    if tested.spec.scope == "group":
        compared = [_beside_good(tested, [base, variant]) for variant in variants]
    else:
        once, *others = _beside_good(tested, [base, *variants])
        compared = [[once, other] for other in others]
    for variant, (once, other) in zip(variants, compared, strict=True):
        if once.value is not None and _more(tested, other, once.value):
            expected = f"no more than {once.value!r}, as of the text itself{_tolerated(tested)}"
            raise failing(f"{asked(tested, [base], 0)}{what}, {told(variant)}", in_words(other), expected)


def _beside_good(tested: Trial, completions: Sequence[Completion]) -> list[Score]:
    """Their scores; of group scope in a group with a good completion, of which there may be none."""
    beside = list(map(case.completion, tested.example.good[:1])) if tested.spec.scope == "group" else []
    scores = bench(tested).score(case.items(tested.example.sample, [*beside, *completions]))
    return scores[len(beside) :]


def _more(tested: Trial, score: Score, most: float) -> bool:
    laws = tested.spec.laws
    return score.value is not None and score.value > most + laws.tolerance + laws.rounding


def _tolerated(tested: Trial) -> str:
    return f" (a tolerance of {tested.spec.laws.tolerance:g} is declared)" if tested.spec.laws.tolerance else ""
