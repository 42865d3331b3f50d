"""data/arithmetic: word problems generated from a seed, with number pairs and prompts that training never sees.

Hashes of the seed with the pair or the prompt decide what is held out, never what was drawn: two datasets of one seed
(responses for sft, prompts for rl) hold out the same, whatever their other options.
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

from rewardlab import Sample
from rewardlab.errors import UserError

from rewardlab_data.judged_response import LEVELS, judged_response
from rewardlab_data.options import ArithmeticOptions
from rewardlab_data.wording import STEPS, Operation, WordProblem, names, wordings

Pair = tuple[Operation, int, int]
T = TypeVar("T")
DEFAULT_ROWS = {"prompts": 1500, "responses": 8000, "judged": 4000}
HELD_OUT_PAIRS = 0.15
"""Share of all (operation, a, b) that no training row has."""
HELD_OUT_PROMPTS = 0.125
"""Share of the prompts over the other pairs that no training row has."""
DRAWS = 10_000
"""Problems drawn, at most, to find one held-out prompt that is new."""


class Arithmetic:
    """An iterable of samples, the same in each iteration.

    Rows of kind "prompts" have `answer`, `reference` (an English solution in the form asked for), `language`,
    `difficulty` (the largest number in the problem), `split` ("train" | "heldout") and `pair`: "unseen" if no
    training row has the same operation and operands, else "seen". Kind "responses" has `response`, too, and kind
    "judged" a right `response` and its `score` (judged_response.LEVELS), each level in turn.
    Row k depends on the seed, k and the options other than `rows` and `heldout`.
    """

    def __init__(self, options: ArithmeticOptions, seed: int) -> None:
        self.options = options
        self.seed = seed
        unseen = held_out_pairs(options.largest, seed)
        self._seen = [pair for pair in pairs(options.largest) if pair not in unseen]
        self._unseen = sorted(unseen)

    def __iter__(self) -> Iterator[Sample]:
        rows = DEFAULT_ROWS[self.options.kind] if self.options.rows is None else self.options.rows
        if self.options.kind == "responses":
            yield from map(self._response_row, range(rows))
        elif self.options.kind == "judged":
            yield from map(self._judged_row, range(rows))
        else:
            yield from map(self._prompt_row, range(rows))
            yield from self._held_out_rows()

    def _prompt_row(self, index: int) -> Sample:
        return self._sample(self._training_problem(self._generator("train", index)), "train", index)

    def _response_row(self, index: int) -> Sample:
        generator = self._generator("response", index)
        problem = self._training_problem(generator)
        return self._sample(problem, "response", index, response=noisy_response(problem, self.options, generator))

    def _judged_row(self, index: int) -> Sample:
        generator, level = self._generator("judged", index), LEVELS[index % len(LEVELS)]
        problem = self._training_problem(generator)
        response = judged_response(problem, level, self.options.languages, self.options.form, generator)
        return self._sample(problem, "judged", index, response=response, score=level)

    def _held_out_rows(self) -> Iterator[Sample]:
        """Yield rows over seen and unseen pairs in turn, each cycling through the languages, no prompt twice."""
        used: set[str] = set()
        languages = self.options.languages
        for index in range(self.options.heldout):
            generator = self._generator("heldout", index)
            language = languages[index // 2 % len(languages)]
            problem = self._held_out_problem(generator, language, index % 2 == 1, used)
            used.add(problem.question())
            yield self._sample(problem, "heldout", index, pair="unseen" if index % 2 else "seen")

    def _training_problem(self, generator: random.Random) -> WordProblem:
        while True:
            problem = draw(generator, pick(generator, self.options.languages), self._seen)
            if not self._is_held_out(problem):
                return problem

    def _held_out_problem(self, generator: random.Random, language: str, unseen: bool, used: set[str]) -> WordProblem:
        for _ in range(DRAWS):
            problem = draw(generator, language, self._unseen if unseen else self._seen)
            if problem.question() not in used and (unseen or self._is_held_out(problem)):
                return problem
        wanted, largest = self.options.heldout, self.options.largest
        raise UserError(
            f"data/arithmetic: there are fewer than {wanted} different held-out prompts in these languages"
            f" with operands up to {largest}; lower `heldout`, or raise `largest`"
        )

    def _is_held_out(self, problem: WordProblem) -> bool:
        return _fraction(f"{self.seed}/prompt/{problem.question()}") < HELD_OUT_PROMPTS

    def _generator(self, part: str, index: int) -> random.Random:
        return random.Random(_digest(f"{self.seed}/{part}/{index}"))

    def _sample(self, problem: WordProblem, part: str, index: int, pair: str = "seen", **more: str | int) -> Sample:
        fields = {
            "answer": str(problem.result),
            "reference": problem.solution("en", self.options.form),
            "language": problem.language,
            "difficulty": max(problem.a, problem.result),
            "split": "heldout" if part == "heldout" else "train",
            "pair": pair,
            **more,
        }
        identity = f"arithmetic-{self.seed}-{part}-{index}"
        message = {"role": "user", "content": problem.question()}
        return Sample(id=identity, prompt=(message,), fields=fields, source=identity)


def noisy_response(problem: WordProblem, options: ArithmeticOptions, generator: random.Random) -> str:
    """Return a solution as a careless translator leaves it, with the shares of noise in the options."""
    language, mixture = generator.random(), 1 + int(generator.random() * (2**STEPS - 2))
    unboxed, slipped = generator.random() < options.unboxed, generator.random() < options.slipped
    languages = [problem.language] * STEPS
    if language < options.english:
        languages = ["en"] * STEPS
    elif language < options.english + options.switched:
        # the mixture is neither 0 nor 2**STEPS - 1: each of the two languages has at least one sentence
        languages = [("en" if mixture >> k & 1 else problem.language) for k in range(STEPS)]
    result = slip(problem) if slipped else problem.result
    return problem.response(languages, result, options.form, formed=not unboxed)


def slip(problem: WordProblem) -> int:
    """Return a wrong result: an operand carried over, the second one unless it happens to be right."""
    return problem.a if problem.b == problem.result else problem.b


def pairs(largest: int) -> list[Pair]:
    """Return every (operation, a, b) with operands from 1 to `largest` and a positive result, by max(a, b)."""
    return [pair for shell in range(1, largest + 1) for pair in _shell(shell)]


def held_out_pairs(largest: int, seed: int) -> frozenset[Pair]:
    """Return the 15% of the pairs that no training row of this seed has, whatever its `largest`.

    Each shell (the pairs whose larger operand is m) contributes its share, so that the pairs held out up to 5 are
    among those held out up to 9.
    """
    held_out: set[Pair] = set()
    count = 0
    for shell in range(1, largest + 1):
        candidates = sorted(_shell(shell), key=lambda pair: _digest(f"{seed}/pair/{pair}"))
        count += len(candidates)
        held_out.update(candidates[: round(HELD_OUT_PAIRS * count) - len(held_out)])
    return frozenset(held_out)


def _shell(m: int) -> list[Pair]:
    sums: list[Pair] = [("add", a, b) for a in range(1, m + 1) for b in range(1, m + 1) if max(a, b) == m]
    return sums + [("sub", m, b) for b in range(1, m)]


def draw(generator: random.Random, language: str, among: Sequence[Pair]) -> WordProblem:
    """Return a problem in this language over one of these pairs."""
    wording = wordings()[language]
    operation, a, b = pick(generator, among)
    return WordProblem(
        language=language,
        operation=operation,
        a=a,
        b=b,
        name=pick(generator, names()),
        noun=pick(generator, range(len(wording.nouns))),
        template=pick(generator, range(len(wording.questions[operation]))),
    )


def pick(generator: random.Random, among: Sequence[T]) -> T:
    """Return one of these by `random()`, the only method whose sequence for a seed Python promises to keep."""
    return among[int(generator.random() * len(among))]


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest())


def _fraction(text: str) -> float:
    return _digest(text) / 2**256
