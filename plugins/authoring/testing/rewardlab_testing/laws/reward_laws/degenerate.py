"""Laws against earning by copying the prompt, repeating or padding, and the law of pairs that share a fixed amount."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from rewardlab import Completion, Score

from rewardlab_testing.examples import strategies
from rewardlab_testing.examples.search import search
from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.harness.reward_harness import bench
from rewardlab_testing.laws.reward_laws import cases
from rewardlab_testing.laws.reward_laws.comparison import OTHERS, describe_completion, describe_score
from rewardlab_testing.outcomes.messages import violation
from rewardlab_testing.outcomes.outcome import NothingToTry, UnmetNeed

TIMES = 100
BETWEEN = (" ", "\n")
"""what separates the repetitions"""
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
LONGEST = 3_000
"""characters of an example's completion, beyond which it is not repeated"""


def prompt_copy(tested: ComponentUnderTest) -> int:
    bad, prompts = cases.bad(tested), cases.prompts(tested)
    if not prompts:
        raise UnmetNeed("needs an example whose sample has a prompt")
    copies = [Completion(text=prompt) for prompt in prompts]
    if any(completion.token_count is not None for completion in bad):
        copies = list(map(cases.with_token_count, copies))
    for completion in bad:
        copies += [cases.with_text(completion, f"{completion.text}\n{prompt}") for prompt in prompts]
        copies += [cases.with_text(completion, f"{prompt}\n{completion.text}") for prompt in prompts]
    seen = 0
    for copy, scores in zip(copies, _each_beside(tested, bad, copies), strict=True):
        of_copy = scores[-1]
        values = [score.value for score in scores[:-1] if score.value is not None]
        asked = f"{describe_completion(copy)}, with the prompt in it{_in_group(tested, bad)}"
        if values and of_copy.error is not None:
            raise violation(asked, describe_score(of_copy), ANSWER)
        seen += bool(values) and of_copy.value is not None
        if values and _more(tested, of_copy, most := max(values)):
            expected = f"no more than {most!r}, the most that a bad completion earns{_tolerated(tested)}"
            raise violation(asked, describe_score(of_copy), expected)
    return seen


def repetition(tested: ComponentUnderTest) -> int:
    compared = 0

    def check(completions: list[Completion]) -> None:
        nonlocal compared
        for completion in completions:
            count = None if completion.token_count is None else TIMES * completion.token_count
            repeated = [completion.with_text(between.join([completion.text] * TIMES)) for between in BETWEEN]
            often = [replace(text, token_count=count) for text in repeated]
            compared += _check_no_gain(tested, completion, often, f"{TIMES} times over")

    first = [completion for completion in cases.known(tested) if len(completion.text) <= LONGEST]
    seen = search(check, st.lists(_prose(), min_size=1, max_size=3), tries=tested.tries, first=first)
    return seen if compared else 0


def padding(tested: ComponentUnderTest) -> int:
    compared = 0

    def check(completions: list[Completion]) -> None:
        nonlocal compared
        for completion in completions:
            padded = [cases.with_text(completion, pad(completion.text)) for pad in PADDING]
            compared += _check_no_gain(tested, completion, padded, "with blank space around it")

    short = strategies.completions(strategies.texts(also=[completion.text for completion in cases.known(tested)]))
    seen = search(check, st.lists(short, min_size=1, max_size=3), tries=tested.tries, first=cases.known(tested))
    return seen if compared else 0


def antisymmetry(tested: ComponentUnderTest) -> int:
    if not tested.spec.laws.pairwise:
        raise NothingToTry("not declared to share a fixed amount: Laws(pairwise=True)")
    asking, sample, total = bench(tested), tested.example.sample, sum(tested.spec.range)
    near = 2 * tested.spec.laws.rounding

    def check(completions: list[Completion]) -> None:
        straight = asking.score(cases.items(sample, completions))
        swapped = asking.score(cases.items(sample, completions[::-1]))
        asked = " against ".join(map(describe_completion, completions))
        values = [score.value for score in straight if score.value is not None]
        others = [score.value for score in swapped[::-1] if score.value is not None]
        if min(len(values), len(others)) < len(completions):
            return  # nothing to share: a judge may have failed, which `range` reports
        before, after = (" and ".join(map(describe_score, scores)) for scores in (straight, swapped[::-1]))
        if abs(sum(values) - total) > near:
            raise violation(asked, before, f"values that add up to {total:g}")
        if any(abs(value - other) > near for value, other in zip(values, others, strict=True)):
            raise violation(f"{asked}, in swapped order", after, f"{before}, as before")

    pairs = [[completion, other] for completion in cases.known(tested) for other in cases.known(tested)]
    for pair in pairs:
        check(pair)
    return len(pairs) + search(check, cases.lists(tested, least=2, most=2), tries=tested.tries)


def _prose() -> SearchStrategy[Completion]:
    """Return a strategy for words without markup: halves of a box or a tag that repeating joins are not a gain by it.

    The completions have token counts, as rollouts have them: a reward that counts tokens needs them.
    """
    word = st.one_of(st.sampled_from(strategies.WORDS), st.sampled_from(strategies.NUMBERS[:8]))
    return st.lists(word, min_size=1, max_size=6).map(
        lambda words: cases.with_token_count(Completion(text=" ".join(words)))
    )


def _check_no_gain(tested: ComponentUnderTest, base: Completion, variants: Sequence[Completion], change: str) -> int:
    """Raise LawViolation if a variant earns more than the text itself; return how many could be compared."""
    compared = 0
    for variant, (once, other) in zip(variants, _each_beside(tested, [base], variants), strict=True):
        compared += once.value is not None and other.value is not None
        asked = f"{describe_completion(base)} {change}, {describe_completion(variant)}{_in_group(tested, [base])}"
        if once.error is None and other.error is not None:
            raise violation(asked, describe_score(other), ANSWER)
        if once.value is not None and _more(tested, other, once.value):
            expected = f"no more than {once.value!r}, as of the text itself{_tolerated(tested)}"
            raise violation(asked, describe_score(other), expected)
    return compared


def _each_beside(
    tested: ComponentUnderTest, base: Sequence[Completion], variants: Sequence[Completion]
) -> Iterator[list[Score]]:
    """Yield for each variant the scores of the base and, last, its own.

    Of group scope each variant is in a group of its own, with the base and a good completion, if there is one;
    otherwise all are asked in one call, the base once. A call that fails as a whole is asked again in parts, so that
    the failure of a text that cannot be scored, such as one on which a regular expression hangs, is its own alone.
    """
    asking, sample = bench(tested), tested.example.sample

    def scores(completions: Sequence[Completion]) -> list[Score]:
        return asking.score(cases.items(sample, completions))

    if tested.spec.scope == "group":
        beside = _one_good(tested)
        for variant in variants:
            among = scores([*beside, *base, variant])[len(beside) :]
            failed = all(score.error is not None for score in among)
            yield [*scores([*beside, *base])[len(beside) :], among[-1]] if failed else among
        return
    together = scores([*base, *variants])
    if any(score.error is not None for score in together):
        of_base = [scores([completion])[0] for completion in base]
        yield from ([*of_base, scores([variant])[0]] for variant in variants)
    else:
        yield from ([*together[: len(base)], score] for score in together[len(base) :])


def _one_good(tested: ComponentUnderTest) -> list[Completion]:
    return list(map(cases.as_completion, tested.example.good[:1]))


def _in_group(tested: ComponentUnderTest, base: Sequence[Completion]) -> str:
    """Return the completions of the group in words, of group scope, if the value depends on them; otherwise ""."""
    if tested.spec.scope != "group":
        return ""
    beside = [describe_completion(completion, OTHERS) for completion in [*_one_good(tested), *base]]
    return f"\n  in a group, beside {', '.join(beside)}"


def _more(tested: ComponentUnderTest, score: Score, most: float) -> bool:
    laws = tested.spec.laws
    return score.value is not None and score.value > most + laws.tolerance + laws.rounding


def _tolerated(tested: ComponentUnderTest) -> str:
    return f" (a tolerance of {tested.spec.laws.tolerance:g} is declared)" if tested.spec.laws.tolerance else ""
