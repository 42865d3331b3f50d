"""Laws against earning by copying the prompt, repeating, or padding; and of pairs that share an amount."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from rewardlab.testing import strategies
from rewardlab.testing.bench import bench
from rewardlab.testing.outcome import NothingToTry, Untried
from rewardlab.testing.reward_laws import case
from rewardlab.testing.reward_laws.difference import OTHERS, in_words, told
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
ANSWER = "a value or an abstention, no failure"
LONGEST = 300
"""characters of a text that is repeated"""


def prompt_copy(tested: Trial) -> int:
    bad, prompts = case.bad(tested), case.prompts(tested)
    if not prompts:
        raise Untried("needs an example whose sample has a prompt")
    counted = any(one.token_count is not None for one in bad)
    copies = [case.counted(Completion(text=prompt)) if counted else Completion(text=prompt) for prompt in prompts]
    for one in bad:
        copies += [case.rewritten(one, f"{one.text}\n{prompt}") for prompt in prompts]
        copies += [case.rewritten(one, f"{prompt}\n{one.text}") for prompt in prompts]
    seen = 0
    for copy, scores in zip(copies, _each_beside(tested, bad, copies), strict=True):
        values = [score.value for score in scores[:-1] if score.value is not None]
        if values and scores[-1].error is not None:
            raise failing(f"{told(copy)}, with the prompt in it{_in_group(tested, bad)}", in_words(scores[-1]), ANSWER)
        seen += bool(values) and scores[-1].value is not None
        if values and _more(tested, scores[-1], most := max(values)):
            raise failing(
                f"{told(copy)}, with the prompt in it{_in_group(tested, bad)}",
                in_words(scores[-1]),
                f"no more than {most!r}, the most that a bad completion earns{_tolerated(tested)}",
            )
    return seen


def repetition(tested: Trial) -> int:
    compared = 0

    def check(completions: list[Completion]) -> None:
        nonlocal compared
        for one in completions:
            count = None if one.token_count is None else TIMES * one.token_count
            often = [replace(one, text=between.join([one.text] * TIMES), token_count=count) for between in BETWEEN]
            compared += _check_no_gain(tested, one, often, f"{TIMES} times over")

    first = [one for one in case.known(tested) if len(one.text) <= 10 * LONGEST]
    seen = search(check, st.lists(_prose(), min_size=1, max_size=3), tries=tested.tries, first=first)
    return seen if compared else 0


def padding(tested: Trial) -> int:
    compared = 0

    def check(completions: list[Completion]) -> None:
        nonlocal compared
        for one in completions:
            padded = [case.rewritten(one, pad(one.text)) for pad in PADDING]
            compared += _check_no_gain(tested, one, padded, "with blank space around it")

    short = strategies.completions(strategies.texts(also=[one.text for one in case.known(tested)]))
    seen = search(check, st.lists(short, min_size=1, max_size=3), tries=tested.tries, first=case.known(tested))
    return seen if compared else 0


def antisymmetry(tested: Trial) -> int:
    if not tested.spec.laws.pairwise:
        raise NothingToTry("not declared to share a fixed amount: Laws(pairwise=True)")
    asking, sample, total = bench(tested), tested.example.sample, sum(tested.spec.range)
    near = 2 * tested.spec.laws.rounding

    def check(completions: list[Completion]) -> None:
        straight = asking.score(case.items(sample, completions))
        swapped = asking.score(case.items(sample, completions[::-1]))
        asked_of = " against ".join(map(told, completions))
        values = [score.value for score in straight if score.value is not None]
        others = [score.value for score in swapped[::-1] if score.value is not None]
        if min(len(values), len(others)) < len(completions):
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
    """Words without markup: what two halves of a box or a tag make together is no gain by repeating.

    With token counts, as rollouts have them; without them a reward that counts tokens would say nothing.
    """
    word = st.one_of(st.sampled_from(strategies.WORDS), st.sampled_from(strategies.NUMBERS[:8]))
    return st.lists(word, min_size=1, max_size=6).map(lambda words: case.counted(Completion(text=" ".join(words))))


def _check_no_gain(tested: Trial, base: Completion, variants: Sequence[Completion], what: str) -> int:
    """Of how many variants there is a value to compare with that of the text itself."""
    compared = 0
    for variant, (once, other) in zip(variants, _each_beside(tested, [base], variants), strict=True):
        compared += once.value is not None and other.value is not None
        of_whom = f"{told(base)} {what}, {told(variant)}{_in_group(tested, [base])}"
        if once.error is None and other.error is not None:
            raise failing(of_whom, in_words(other), ANSWER)
        if once.value is not None and _more(tested, other, once.value):
            expected = f"no more than {once.value!r}, as of the text itself{_tolerated(tested)}"
            raise failing(of_whom, in_words(other), expected)
    return compared


def _each_beside(tested: Trial, base: Sequence[Completion], variants: Sequence[Completion]) -> Iterator[list[Score]]:
    """For each variant the scores of the base and its own.

    Of group scope each variant is in a group of its own with the base and a good completion, of which there may be
    none; of others all are asked in one call, the base once. What fails as a whole is asked again in parts: a text
    that cannot be scored, as one on which a regular expression hangs, is not to hide behind the others.
    """
    asking, sample = bench(tested), tested.example.sample

    def scores(completions: Sequence[Completion]) -> list[Score]:
        return asking.score(case.items(sample, completions))

    if tested.spec.scope == "group":
        beside = _one_good(tested)
        for variant in variants:
            among = scores([*beside, *base, variant])[len(beside) :]
            failed = all(score.error is not None for score in among)
            yield [*scores([*beside, *base])[len(beside) :], among[-1]] if failed else among
        return
    together = scores([*base, *variants])
    if any(score.error is not None for score in together):
        of_base = [scores([one])[0] for one in base]
        yield from ([*of_base, scores([variant])[0]] for variant in variants)
    else:
        yield from ([*together[: len(base)], score] for score in together[len(base) :])


def _one_good(tested: Trial) -> list[Completion]:
    return list(map(case.completion, tested.example.good[:1]))


def _in_group(tested: Trial, base: Sequence[Completion]) -> str:
    """Of group scope, the completions that it is in a group with: the value depends on them."""
    if tested.spec.scope != "group":
        return ""
    return f"\n  in a group, beside {', '.join(told(one, OTHERS) for one in [*_one_good(tested), *base])}"


def _more(tested: Trial, score: Score, most: float) -> bool:
    laws = tested.spec.laws
    return score.value is not None and score.value > most + laws.tolerance + laws.rounding


def _tolerated(tested: Trial) -> str:
    return f" (a tolerance of {tested.spec.laws.tolerance:g} is declared)" if tested.spec.laws.tolerance else ""
