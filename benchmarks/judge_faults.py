"""What a judge's mixed faults cost: questions of a server that fails a share of its calls, beside one that fails none.

    python benchmarks/judge_faults.py --questions 3000 --share 0.2

Faults are HTTP 429, 500 and 503, dropped connections, half and empty answers, and hangs that last for a timeout.
None of them is an outage: they should cost about what their retries cost, and the circuit breaker should stay shut.
"""

import argparse
import asyncio
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from judge_server import JudgeServer, Serving
from rewardlab import Ask, Context
from rewardlab.concurrency.threads import LoopThread
from rewardlab.judging.circuit_breaker import CircuitBreaker
from rewardlab.judging.hosted_judge import HostedJudge
from rewardlab.recipe.use import JudgeUse
from rewardlab.registry import Registry

FAULTS = ("429", "500", "503", "drop", "half", "empty", "hang")


def measure(share, questions, concurrency, timeout, seed):
    """Return (seconds, calls, openings of the breaker, questions without an answer)."""
    chance = random.Random(seed)
    server = JudgeServer(fault=lambda number, request: chance.choice(FAULTS) if chance.random() < share else None)
    told = []
    opened = CircuitBreaker.__init__

    def counting(self, patience, on_open):
        opened(self, patience, lambda why, seconds: (told.append(why), on_open(why, seconds)))

    CircuitBreaker.__init__ = counting
    home = LoopThread("judge")
    try:
        with Serving(server):
            spec = Registry().find("judge", "openai/chat")
            options = spec.config(model="m", base_url=server.url)
            use = JudgeUse(use="openai/chat", concurrency=concurrency, timeout=timeout, retries=8)
            judge = HostedJudge("main", spec.build(options, Context(seed=0)), spec, use, home, options)
            began = time.monotonic()
            replies = home.run(_ask_all(judge, questions))
            seconds = time.monotonic() - began
            home.run(judge.aclose())
    finally:
        CircuitBreaker.__init__ = opened
        home.close()
    return seconds, judge.usage.calls, len(told), sum(reply.error is not None for reply in replies)


async def _ask_all(judge, questions):
    asks = [Ask(messages=({"role": "user", "content": f"question {i}"},)) for i in range(questions)]
    return await asyncio.gather(*map(judge.ask, asks))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=3000)
    parser.add_argument("--share", type=float, default=0.2, help="of the calls that fail")
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--timeout", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print("faults   seconds    calls  openings  unanswered")
    for share in (0.0, given.share):
        found = measure(share, given.questions, given.concurrency, given.timeout, given.seed)
        print("{:6.0%} {:9.1f} {:8,} {:9} {:11}".format(share, *found))
