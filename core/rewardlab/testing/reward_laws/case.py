"""What laws of rewards ask: the example's completions, texts that are known to be hard, and generated ones."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from rewardlab.lanes import Item
from rewardlab.testing import strategies
from rewardlab.testing.outcome import Untried
from rewardlab.testing.trial import Trial
from rewardlab.types import Completion, Sample

NO_RANKS = "no example says which completions are good and bad; declare Laws(examples=...)"
MOST = 6
"""completions of a generated case"""
LARGE_GROUP = 12
"""completions of a group that is always tried"""
_WHOLE_NUMBER = re.compile("-?[0-9]{1,18}")
OTHER_PROMPT = ({"role": "user", "content": "And what else is on it?"},)


def good(tested: Trial) -> list[Completion]:
    """The example's good completions; Untried where it names none."""
    return _ranked(tested.example.good)


def bad(tested: Trial) -> list[Completion]:
    """The example's bad completions; Untried where it names none."""
    return _ranked(tested.example.bad)


def known(tested: Trial) -> list[Completion]:
    """All completions of the example, without repeats."""
    example = tested.example
    return list(dict.fromkeys(map(completion, [*example.good, *example.bad, *example.ladder])))


def completion(given: Completion | str) -> Completion:
    """An example's completion, which may be a text alone."""
    return Completion(text=given) if isinstance(given, str) else given


def counted(of: Completion) -> Completion:
    """With a token count, as a rollout has one: four bytes a token, which is near what tokenizers give."""
    return replace(of, token_count=-(-len(of.text.encode("utf-8", "surrogatepass")) // 4))


def rewritten(of: Completion, text: str) -> Completion:
    """The completion with another text, and with as many more tokens as that is longer, where they are counted."""
    if of.token_count is None:
        return replace(of, text=text)
    more = (counted(replace(of, text=text)).token_count or 0) - (counted(of).token_count or 0)
    return replace(of, text=text, token_count=max(0, of.token_count + more))


def prompts(tested: Trial) -> list[str]:
    """What a copy of the prompt may be: its last message, and all of them."""
    contents = [message["content"] for message in tested.example.sample.prompt]
    return [*dict.fromkeys(["\n".join(contents[-1:]), "\n".join(contents)])] if contents else []


def hard(tested: Trial, most: int | None = None) -> list[Completion]:
    """Completions that are worth trying always: the example's, and of each kind of text some.

    At most `most`; absent: 4 a try, of group scope as many as make a group, since all may be compared with all.
    """
    if most is None:
        most = LARGE_GROUP if tested.spec.scope == "group" else 4 * tested.tries
    kinds = [list(map(_text, known(tested))), _about(tested), strategies.WHOLE]
    kinds += [strategies.ODD, strategies.BOXES, strategies.MARKUP, strategies.NUMBERS, strategies.WORDS]
    kinds += [strategies.CODE, strategies.LATEX, strategies.SPACE, strategies.EMOJI, strategies.INJECTIONS]
    texts = dict.fromkeys(text for text in chain.from_iterable(zip_longest(*kinds)) if text is not None)
    listed = [*known(tested), *(Completion(text=text) for text in [*_together(tested), *texts])]
    return list(dict.fromkeys(listed))[:most]


def lists(tested: Trial, least: int = 1, most: int = MOST) -> SearchStrategy[list[Completion]]:
    """Several completions: generated ones, and those of the example and parts of them."""
    about = [text for text in [*map(_text, known(tested)), *_about(tested)] if text]
    return st.lists(strategies.completions(strategies.texts(also=about)), min_size=least, max_size=most)


def items(sample: Sample, completions: Sequence[Completion]) -> list[Item]:
    """Each completion as one of this sample."""
    return [(sample, one) for one in completions]


def renamed(sample: Sample) -> Sample:
    """Another sample that has the same fields."""
    return replace(sample, id=f"{sample.id}-other", prompt=OTHER_PROMPT)


def altered(sample: Sample) -> Sample:
    """Another sample that differs in what it says, too; a reward may refuse it."""
    return replace(renamed(sample), fields={name: _altered(value) for name, value in sample.fields.items()})


def _ranked(given: Sequence[Completion | str]) -> list[Completion]:
    if not given:
        raise Untried(NO_RANKS)
    return [completion(one) for one in given]


def _text(of: Completion) -> str:
    return of.text


def _about(tested: Trial) -> list[str]:
    """The prompt, fields and elements of lists as texts, also in a box and in tags, where an answer may stand."""
    fields = tested.example.sample.fields.values()
    lists = [element for value in fields if isinstance(value, list | tuple) for element in value]
    told = [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in [*fields, *lists]]
    boxed = [f"\\boxed{{{text}}}" for text in told]
    return [*told, *boxed, *(f"<think>x</think><answer>{text}</answer>" for text in told), *prompts(tested)]


def _together(tested: Trial) -> list[str]:
    """The best completion beside the worst, either way, and with some of everything before or behind it; its halves.

    What stands for the other half is as long as it: what is kept by a text's length and some of it is found here.
    Halves of a surrogate pair stay apart: on their way through JSON they would become one character.
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
        return [_altered(one) for one in value]
    if isinstance(value, dict):
        return {key: _altered(one) for key, one in value.items()}
    return value
