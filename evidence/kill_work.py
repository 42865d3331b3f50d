"""Programs that kills.py kills: a script that scores by `load_reward`, and one as verl's own scripts score."""

import asyncio
import json
import sys
from pathlib import Path

FOLDER = Path.cwd()
ROWS = [json.loads(line) for line in (FOLDER / "rows.jsonl").read_text().splitlines()]


def python() -> None:
    """Write a line a row, and go on behind the last whole one."""
    from rewardlab import load_reward

    out = FOLDER / "out.jsonl"
    whole = [line for line in (out.read_bytes() if out.exists() else b"").splitlines(True) if line.endswith(b"\n")]
    with open(out, "wb") as file, load_reward("r.yaml") as reward:
        file.writelines(whole)
        file.flush()
        for group in reward.stream(ROWS[len(whole) :]):
            values = [[score.value for score in group.components[name]] for name in sorted(group.components)]
            file.write(json.dumps([group.sample.id, group.totals, group.shaped, values]).encode() + b"\n")
            file.flush()


def script() -> None:
    """Score the groups that are not in the ledger yet, a few at a time, member by member."""
    from rewardlab import Completion, Sample
    from rewardlab_ray.scoring.script_scorer import ScriptScorer, ScriptSettings

    async def never(_: str) -> bool:
        return False

    folder = FOLDER / "ours"
    ledger = folder / "ledger.jsonl"
    lines = ledger.read_bytes().splitlines(True) if ledger.exists() else []
    known = {json.loads(line)["id"] for line in lines if line.endswith(b"\n")}
    times = {"completion_timeout": 60, "scoring_timeout": 60, "on_partial": "fail"}

    async def scored() -> None:
        scorer = ScriptScorer(ScriptSettings(recipe=FOLDER / "r.yaml", folder=folder, **times), lambda: never)
        places = asyncio.Semaphore(4)

        async def one(row: dict) -> None:
            async with places:
                sample = Sample(
                    id=row["id"], prompt=({"role": "user", "content": row["prompt"]},), fields={"answer": row["answer"]}
                )
                texts = row["completions"]
                members = (
                    scorer.member(row["id"], index, 1, (len(texts), 1), sample, Completion(text=text))
                    for index, text in enumerate(texts)
                )
                await asyncio.gather(*members)

        try:
            await asyncio.gather(*(one(row) for row in ROWS if row["id"] not in known))
        finally:
            await scorer.close()

    asyncio.run(scored())


def client() -> None:
    """Ask a server for the rewards of all rows, those of every second group member by member, until it has them.

    Then end the server. A budget that is used up ends it, too, and stands in `refused`.
    """
    import os
    import signal
    import socket
    import time
    from concurrent.futures import ThreadPoolExecutor
    from contextlib import suppress

    from rewardlab.errors import JobError
    from rewardlab_serve import RewardClient

    port = (FOLDER / "port").read_text()

    def asked(ask, *arguments):
        while True:
            try:
                return ask(*arguments)
            except JobError as error:
                if "is used up" in str(error):
                    raise
                time.sleep(0.05)

    def whole(row):
        given = asked(server.score, row)
        return [given[key] for key in ("id", "total", "shaped")]

    def members(row):
        own = {key: value for key, value in row.items() if key != "completions"}
        own_id, texts = row["id"], row["completions"]
        with ThreadPoolExecutor(len(texts)) as threads:
            work = [
                threads.submit(asked, server.score_member, own_id, slot, len(texts), {**own, "completion": text})
                for slot, text in enumerate(texts)
            ]
            given = [one.result() for one in work]
        return [own_id, [one["total"] for one in given], [one["shaped"] for one in given]]

    with RewardClient(f"http://127.0.0.1:{port}", retries=0) as server, ThreadPoolExecutor(4) as threads:
        work = [threads.submit(members if number % 2 else whole, row) for number, row in enumerate(ROWS)]
        errors = {str(one.exception()) for one in work if one.exception() is not None}
        if errors:
            (FOLDER / "refused").write_text("\n".join(errors))
        else:
            (FOLDER / "out.jsonl").write_text("".join(json.dumps(one.result()) + "\n" for one in work))
    told = set()
    while (FOLDER / "server").exists():  # the last one may be killed before it can end
        pid = int((FOLDER / "server").read_text() or 0)
        with suppress(OSError), socket.create_connection(("127.0.0.1", int(port))):
            if pid not in told:
                os.kill(pid, signal.SIGTERM)
            told.add(pid)
        time.sleep(0.1)


if __name__ == "__main__":
    {"python": python, "script": script, "client": client}[sys.argv[1]]()
