"""pairwise/overlap, a judge without network or model: the answer nearer to the reference wins."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from weakref import WeakKeyDictionary

from rewardlab import Ask, Context, Reply
from sacrebleu.metrics.chrf import CHRF

from rewardlab_pairwise.maths import maths
from rewardlab_pairwise.options import OverlapJudgeOptions

EQUAL = 1e-12
KNOWN = 1024
"""(text, reference) pairs whose chrF is kept: a group asks about each of its answers 2(G - 1) times."""


class Overlap:
    r"""A judge that answers A or B, whichever has the higher chrF2 against `parts["reference"]`.

    It is deterministic and has no position bias. The reply names both scores (0 to 100) and ends in `\boxed{A}`,
    `\boxed{B}` or, if they are equal up to 1e-12, `\boxed{tie}`.
    Without a reference the reply is an error.
    Source: chrF, Popović 2015, with sacrebleu's defaults (characters up to 6-grams, beta 2).
    """

    def __init__(self, options: OverlapJudgeOptions, _context: Context | None = None) -> None:
        self._maths = options.compare == "maths"
        self._metric = CHRF()
        self._known: dict[tuple[str, str], float] = {}
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="overlap")

    async def ask(self, ask: Ask) -> Reply:
        """Return the reply to one comparison, from the parts a, b and reference."""
        missing = [name for name in ("a", "b", "reference") if not isinstance(ask.parts.get(name), str)]
        if missing:
            hint = "; set the reward's option 'privileged'" if "reference" in missing else ""
            return Reply(error=f"pairwise/overlap needs the part {missing[-1]!r}{hint}")
        score_a = await self._chrf(ask.parts["a"], ask.parts["reference"])
        score_b = await self._chrf(ask.parts["b"], ask.parts["reference"])
        winner = "tie" if abs(score_a - score_b) <= EQUAL else "A" if score_a > score_b else "B"
        text = f"chrF against the correct solution: A {score_a:.2f}, B {score_b:.2f}. \\boxed{{{winner}}}"
        return Reply(text=text, finish_reason="stop", prompt_tokens=0, completion_tokens=0)

    async def _chrf(self, text: str, reference: str) -> float:
        key = (text, reference)
        if (known := self._known.get(key)) is not None:
            return known
        loop = asyncio.get_running_loop()
        # in turns, so that a text which many comparisons wait for is measured once; in a thread, since long answers
        # take tens of milliseconds, which would block the event loop
        async with self._turns.setdefault(loop, asyncio.Lock()):
            if (known := self._known.get(key)) is not None:
                return known
            measured = await loop.run_in_executor(self._thread, self._measure, text, reference)
            if len(self._known) >= KNOWN:
                self._known.clear()
            self._known[key] = measured
            return measured

    def _measure(self, text: str, reference: str) -> float:
        if self._maths:
            text, reference = maths(text), maths(reference)
        return self._metric.sentence_score(text, [reference]).score
