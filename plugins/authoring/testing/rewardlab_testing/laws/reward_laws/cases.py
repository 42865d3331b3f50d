"""The completions with which a reward's laws are tried: the example's, texts known to be hard, and generated ones."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from rewardlab import Completion, Sample
from rewardlab.scoring import Item

from rewardlab_testing.examples import strategies
from rewardlab_testing.harness.component_under_test import ComponentUnderTest
from rewardlab_testing.laws.reward_laws import talks
from rewardlab_testing.outcomes.outcome import UnmetNeed

NO_RANKS = "no example says which completions are good and bad; declare Laws(examples=...)"

MOST = 6
"""completions of a generated case"""
LARGE_GROUP = 12
"""completions of a group that is always tried"""
_WHOLE_NUMBER = re.compile("-?[0-9]{1,18}")
OTHER_PROMPT = ({"role": "user", "content": "And what else is on it?"},)


def good(tested: ComponentUnderTest) -> list[Completion]:
    """Return the example's good completions; raise UnmetNeed if it names none."""
    return _ranked(tested.example.good)


def bad(tested: ComponentUnderTest) -> list[Completion]:
    """Return the example's bad completions; raise UnmetNeed if it names none."""
    return _ranked(tested.example.bad)


def known(tested: ComponentUnderTest) -> list[Completion]:
    """Return all completions of the example, without repeats."""
    example = tested.example
    return list(dict.fromkeys(map(as_completion, [*example.good, *example.bad, *example.ladder])))


def as_completion(given: Completion | str) -> Completion:
    """Return an example's completion, which may be given as a text alone, as a Completion."""
    return Completion(text=given) if isinstance(given, str) else given


def with_token_count(completion: Completion) -> Completion:
    """Return the completion with a token count, as rollouts have one: four bytes a token, near what tokenizers give."""
    return replace(completion, token_count=-(-len(completion.text.encode("utf-8", "surrogatepass")) // 4))


def with_text(completion: Completion, text: str) -> Completion:
    """Return the completion with another text; its token count, if any, grows or shrinks as the text does."""
    other = completion.with_text(text)
    if completion.token_count is None:
        return other
    before, after = with_token_count(completion), with_token_count(other)
    more = (after.token_count or 0) - (before.token_count or 0)
    return replace(other, token_count=max(0, completion.token_count + more))


def prompts(tested: ComponentUnderTest) -> list[str]:
    """Return the texts that may count as a copy of the prompt: its last message, and all messages."""
    contents = [message["content"] for message in tested.example.sample.prompt]
    return [*dict.fromkeys(["\n".join(contents[-1:]), "\n".join(contents)])] if contents else []


def hard(tested: ComponentUnderTest, most: int | None = None) -> list[Completion]:
    """Return completions that are always worth trying: the example's, and some of each kind of text.

    Args:
        most: absent: 4 for each try; of group scope LARGE_GROUP, since a reward may compare all with all.
    """
    if most is None:
        most = LARGE_GROUP if tested.spec.scope == "group" else 4 * tested.tries
    kinds = [list(map(_text, known(tested))), _about(tested), strategies.WHOLE]
    kinds += [strategies.ODD, strategies.BOXES, strategies.MARKUP, strategies.NUMBERS, strategies.WORDS]
    kinds += [strategies.CODE, strategies.LATEX, strategies.SPACE, strategies.EMOJI, strategies.INJECTIONS]
    texts = dict.fromkeys(text for text in chain.from_iterable(zip_longest(*kinds)) if text is not None)
    conversations = [Completion.of(messages) for messages in talks.TALKS] if tested.spec.scope == "trajectory" else []
    completions = [*known(tested), *conversations, *(Completion(text=text) for text in [*_mixtures(tested), *texts])]
    return list(dict.fromkeys(completions))[:most]


def lists(tested: ComponentUnderTest, least: int = 1, most: int = MOST) -> SearchStrategy[list[Completion]]:
    """Return a strategy for lists of completions: generated ones, the example's and parts of those."""
    about = [text for text in [*map(_text, known(tested)), *_about(tested)] if text]
    return st.lists(strategies.completions(strategies.texts(also=about)), min_size=least, max_size=most)


def items(sample: Sample, completions: Sequence[Completion]) -> list[Item]:
    """Return each completion as an item, paired with this sample."""
    return [(sample, completion) for completion in completions]


def renamed(sample: Sample) -> Sample:
    """Return another sample with the same fields."""
    return replace(sample, id=f"{sample.id}-other", prompt=OTHER_PROMPT)


def altered(sample: Sample) -> Sample:
    """Return another sample whose fields differ, too; a reward may refuse it."""
    return replace(renamed(sample), fields={name: _altered(value) for name, value in sample.fields.items()})


def _ranked(given: Sequence[Completion | str]) -> list[Completion]:
    if not given:
        raise UnmetNeed(NO_RANKS)
    return [as_completion(completion) for completion in given]


def _text(completion: Completion) -> str:
    return completion.text


def _about(tested: ComponentUnderTest) -> list[str]:
    """Return the fields and their lists' elements as texts, plain, in a box and in tags, and the prompt."""
    fields = tested.example.sample.fields.values()
    lists = [element for value in fields if isinstance(value, list | tuple) for element in value]
    values = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in [*fields, *lists]]
    boxed = [f"\\boxed{{{text}}}" for text in values]
    return [*values, *boxed, *(f"<think>x</think><answer>{text}</answer>" for text in values), *prompts(tested)]


def _mixtures(tested: ComponentUnderTest) -> list[str]:
    """Return the best completion before and behind the worst, with some of everything around it, and each half of it.

    A half is filled up with dots to the same length: this finds rewards that remember texts by their length and a part.
    Blanks stand between the fragments: two halves of a surrogate pair that touch would become one character in JSON.
    """
    texts = [*map(_text, known(tested)), ""]
    best, worst = texts[0], texts[-2] if len(texts) > 2 else ""
    before = " ".join([*strategies.WORDS, *strategies.NUMBERS[:8]])
    behind = " ".join([*strategies.ODD, *strategies.EMOJI, *strategies.SPACE])
    half = len(best) // 2
    halves = [best[:half] + "." * (len(best) - half), "." * half + best[half:]]
    pairs = [f"{worst}\n{best}", f"{best}\n{worst}", f"{worst}\n{worst}"]
    return [*pairs, f"{before} {best}", f"{best}{behind}", *halves]


def _altered(value: object) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return str(int(value) + 1) if _WHOLE_NUMBER.fullmatch(value) else f"{value} 1"
    if isinstance(value, list | tuple):
        return [_altered(inner) for inner in value]
    if isinstance(value, dict):
        return {key: _altered(inner) for key, inner in value.items()}
    return value
