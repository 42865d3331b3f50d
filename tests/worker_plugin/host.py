"""A host that asks one worker for each of its arguments, from a background loop, and never closes a pool.

usage: host.py exit|stay TEXT...   (it does so once stdin ends)
"""

import asyncio
import sys
import threading
from dataclasses import replace
from functools import partial

import obeys
from rewardlab import Completion, Context, Sample
from rewardlab.registry import Registry
from rewardlab.worker import WorkerPool


def main() -> None:
    then, *texts = sys.argv[1:]
    spec = replace(Registry().find("reward", "cases/obeys"), timeout=1.0)
    pool = partial(WorkerPool, use="cases/obeys", spec=spec, options=spec.config(), context=Context())
    pools = [pool(module=obeys.__file__) for _ in texts]

    async def ask() -> None:
        calls = (pool.score([(Sample(id="a"), Completion(text=text))]) for pool, text in zip(pools, texts, strict=True))
        await asyncio.gather(*calls, return_exceptions=True)  # at exit they are told that the pool was closed

    threading.Thread(target=lambda: asyncio.run(ask()), daemon=True).start()
    sys.stdin.read()
    if then == "stay":
        threading.Event().wait()


if __name__ == "__main__":
    main()
