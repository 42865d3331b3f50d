"""A host that asks one worker for each of its arguments, from a background loop, and never closes one.

usage: host.py exit|stay TEXT...   (it does so once stdin ends)
"""

import asyncio
import sys
import threading

import obeys
from rewardlab.workers.shared import Workers


def main() -> None:
    then, *texts = sys.argv[1:]
    shared = Workers()
    opener = shared.of(use="cases/obeys", timeout=1.0)
    workers = [opener.open(obeys.__file__, {"number": number}) for number in range(len(texts))]

    async def ask() -> None:
        calls = (worker.ask([text]) for worker, text in zip(workers, texts, strict=True))
        await asyncio.gather(*calls, return_exceptions=True)  # at exit they are told that the worker was closed

    threading.Thread(target=lambda: asyncio.run(ask()), daemon=True).start()
    sys.stdin.read()
    if then == "stay":
        threading.Event().wait()


if __name__ == "__main__":
    main()
