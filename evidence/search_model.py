"""The search of `rewardlab probe` with a model as searcher, over the frozen sets of pairs, by files.

    python evidence/search_model.py FOLDER --sets "fresh 7"        again and again, with answers in between

A question that has no answer yet is written to FOLDER/questions/NAME.txt, and its pair stops there; its answer belongs
into FOLDER/answers/NAME.txt. Whoever answers sees nothing but the question. Each reward is shown without a name that
says what is weak (hack_pairs/neutral.py); --blind shows no source either. Without --truth what is wrong is said by the
rows' gold and by the model, of the sound twin as of the weak reward. With --truth it is said by the twin, and only
the weak half is searched. --last brings each search to its end: a question without an answer is lost.
"""

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rewardlab
from hack_pairs import installed, neutral
from hack_pairs.recipes import probe_rows
from rewardlab.errors import JobError

SEARCH, QUESTIONS = 500, 12
PROGRAMS = {"search": 150, "thorough": 1}
"""of pairs of programs, each of which runs for a while"""


@dataclass(frozen=True)
class Half:
    """A reward of a pair to search. kind: "open" or "avoided"."""

    set_name: str
    pair: str
    kind: str
    half: str

    @property
    def name(self) -> str:
        """Its neutral name."""
        return neutral.identity(self.pair, self.half)


def main() -> None:
    """Search every half, as far as there are answers, and print the table."""
    options = _options()
    folder = options.folder.resolve()
    for name in ("questions", "answers", "results", "scores", "code"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    neutral.FOLDER = folder
    neutral.rewardlab_rewards()
    for question in (folder / "questions").glob("*.txt"):
        question.unlink()
    halves = sorted(_halves(options), key=lambda half: _is_program(half))
    jobs = [(half, folder, options.blind, options.truth, options.last) for half in halves]
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=20) as pool:
        results = list(pool.imap_unordered(_searched, jobs))
    print("\n".join(table(results)))
    print(f"{len(list((folder / 'questions').glob('*.txt')))} questions in {folder / 'questions'}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", nargs="+", default=["fresh 7"], choices=sorted(neutral.FROZEN))
    parser.add_argument("--only", nargs="+", help="pairs")
    parser.add_argument("--blind", action="store_true", help="show no source")
    parser.add_argument("--truth", action="store_true", help="the twin says what is wrong")
    parser.add_argument("--last", action="store_true", help="go on without the answers that are not there")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def _halves(options: argparse.Namespace) -> Sequence[Half]:
    return [
        Half(name, pair, "avoided" if pair in neutral.FROZEN[name].avoided else "open", half)
        for name in options.sets
        for pair in neutral.FROZEN[name].given
        for half in (("weak",) if options.truth else ("weak", "sound"))
        if not options.only or pair in options.only
    ]


def _is_program(half: Half) -> bool:
    return "```" in str(neutral.FROZEN[half.set_name].given[half.pair]["rows"][0]["honest"])


def _searched(job: tuple[Half, Path, bool, bool, bool]) -> tuple[Half, dict[str, Any]]:
    """Return what a probe with a search says of a half; {"open": the question} where it wants an answer."""
    half, neutral.FOLDER, blind, truth, neutral.LAST = job
    kept = neutral.FOLDER / "results" / f"{half.name}.json"
    if kept.is_file():
        return half, json.loads(kept.read_text(encoding="utf-8"))
    [pair] = [one for one in neutral.FROZEN[half.set_name].pairs if one.name == half.pair]
    form = {"use": "hacks/form", "with": {"kind": pair.kind}}
    components = {"verifier": {"use": f"graded/{half.name}"}, "form": form}
    knows = {"truth": {"use": f"graded/{neutral.identity(half.pair, 'sound')}"}} if truth else {}
    recipe = {
        "version": 1,
        "judges": {"searcher": {"use": "graded/folder"}},
        "reward": {"components": components | knows, "total": "verifier + 0.2 * form"},
    }
    settings: dict[str, Any] = {"search": SEARCH} | (PROGRAMS if _is_program(half) else {})
    settings |= {"truth": "truth"} if truth else {}
    asked = {"search_judge": "searcher", "search_questions": QUESTIONS, "search_blind": blind}
    neutral.OPEN.clear()
    with installed(), installed("graded", "hack_pairs.neutral"):
        try:
            found: Any = rewardlab.probe(recipe, probe_rows(pair), say=lambda text: None, **settings, **asked)
        except JobError:
            if not neutral.OPEN:
                raise
    if neutral.OPEN:
        return half, {"open": neutral.OPEN[0]}
    tried = found.data["slices"]["all"]["completions"]
    result = {"winners": [name for name, one in tried.items() if one["wins"] or one["fatal"]]} | found.data["search"]
    kept.write_text(json.dumps(result, indent=1), encoding="utf-8")
    return half, result


def table(results: Sequence[tuple[Half, dict[str, Any]]]) -> list[str]:
    """Return the lines of the table: halves that are named, by the probe alone or by the search, and open ones."""
    lines = [f"{'set, class':20}{'reward':8}{'named':>12}{'by search':>11}{'open':>6}"]
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for half, one in results:
        for kind in (half.kind, "all"):
            groups.setdefault((f"{half.set_name}, {kind}", half.half), []).append(one)
    for (name, which), some in sorted(groups.items(), reverse=True):
        named = [one for one in some if one.get("winners")]
        new = sum(all(name.startswith("searched") for name in one["winners"]) for one in named)
        still = sum("open" in one for one in some)
        lines.append(f"{name:20}{which:8}{len(named):>5} of {len(some):<4}{new:>10}{still:>6}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
