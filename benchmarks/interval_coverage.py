"""How often the intervals of `tables`, `winrates` and `judge` hold the truth, and how often tests find nothing.

    python benchmarks/interval_coverage.py [--experiments 2000] [--only PATTERN]

Each row is a benchmark whose true averages are known: problems are drawn with difficulties of their own, which their
translations share, and models answer them. An experiment draws problems and answers, writes the files, runs the
command, and asks of each interval whether it holds the truth. Those of 95% should in 93 to 97% of the experiments.
`called` is the share of experiments in which the command called a difference real: at most 5% where there is none.
"""

import json
import re
import tempfile
from argparse import ArgumentParser
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log, sqrt
from pathlib import Path
from random import Random

import rewardlab
from judge_worlds import JudgeWorld, judge_measures, judge_truth
from rewardlab_measure.tables.averages import PromptValues, cells_with_values
from rewardlab_measure.tables.layout import OVERALL, TableLayout
from rewardlab_measure.tables.prompts import PromptFields, PromptIndex

RECIPE = """
version: 1
judges: {main: {use: pairwise/overlap}}
reward:
  components: {preference: {use: pairwise/win_rate, with: {judge: main, privileged: reference}}}
  total: preference
"""
GRID = [-6 + i * 0.1 for i in range(121)]
"""standard deviations at which a mean over a normal distribution is taken"""


@dataclass(frozen=True, kw_only=True)
class World:
    """A benchmark, and models whose true averages over all its problems are known.

    tasks: task -> language -> (problems, share of right answers of a problem of middling difficulty). parallel: whether
    the languages of a task have the same problems. difficulty, wording, taste: the spread on the log-odds scale of
    problems, of their translations, and of how a model takes to a problem. effect: what the second model has more, on
    that scale. per_text: problems of a language that share a text, whose difficulty theirs is.
    """

    tasks: dict[str, dict[str, tuple[int, float]]]
    parallel: bool = False
    samples: int = 4
    models: int = 1
    difficulty: float = 1.0
    wording: float = 0.5
    taste: float = 0.0
    effect: float = 0.0
    per_text: int = 1

    def truth(self, task: str, language: str, model: int = 0) -> float:
        """Return the true average of a model over all problems of a task in a language."""
        spread = sqrt(self.difficulty**2 + self.wording**2 + self.taste**2)
        middle = _log_odds(self.tasks[task][language][1]) + model * self.effect
        weights = [exp(-x * x / 2) for x in GRID]
        return sum(w * _share(middle + spread * x) for w, x in zip(weights, GRID, strict=True)) / sum(weights)

    def draw(self, random: Random) -> list[tuple[dict, list[list[float]]]]:
        """Return a row, and the answers of each model, right or wrong, for each prompt."""
        found = []
        for task, languages in self.tasks.items():
            shared: dict[str, tuple[float, list[float]]] = {}
            for language, (problems, share) in languages.items():
                for number in range(problems):
                    problem = f"{number // self.per_text}" if self.parallel else f"{language}{number // self.per_text}"
                    if problem not in shared:
                        tastes = [random.gauss(0, self.taste) for _ in range(self.models)]
                        shared[problem] = (random.gauss(0, self.difficulty), tastes)
                    difficulty, tastes = shared[problem]
                    middle = _log_odds(share) + difficulty + random.gauss(0, self.wording)
                    chances = [_share(middle + taste + m * self.effect) for m, taste in enumerate(tastes)]
                    row = {"id": f"{task}/{language}/{number}", "prompt": f"{number}?", "task": task}
                    row |= {"language": language, "problem": problem}
                    found.append((row, [[float(random.random() < c) for _ in range(self.samples)] for c in chances]))
        return found


@dataclass(frozen=True, kw_only=True)
class Margins:
    """Win rates of prompts whose mean is a half, though few may be won high and most lost by little.

    rates: win rate of a problem -> its chance, alike in all languages.
    """

    rates: dict[float, float]
    problems: int = 30
    languages: int = 1
    models: int = 2

    def draw(self, random: Random) -> PromptValues:
        """Return the values of all prompts, as `winrates` averages them."""
        prompts, values = PromptIndex(PromptFields()), array("d")
        for number, rate in enumerate(random.choices([*self.rates], [*self.rates.values()], k=self.problems)):
            for language in range(self.languages):
                fields = {"language": f"l{language}", "problem": str(number)}
                prompts.add(f"{language}/{number}", fields, None, "")
                values.append(rate)
        return PromptValues(values, prompts, TableLayout(cells_with_values(values, prompts)), "share")


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """Numbers without bounds, such as lengths: log-normal, of a standard deviation of their logarithms."""

    count: int
    spread: float = 1.0
    models: int = 1

    def draw(self, random: Random) -> PromptValues:
        """Return the values of all prompts, as `tables --raw` averages them."""
        prompts = PromptIndex(PromptFields())
        for number in range(self.count):
            prompts.add(str(number), {}, None, "")
        values = array("d", (random.lognormvariate(0, self.spread) for _ in range(self.count)))
        layout = TableLayout(cells_with_values(values, prompts))
        return PromptValues(values, prompts, layout, "other", seed=str(random.random()))


def _log_odds(share: float) -> float:
    return log(share / (1 - share))


def _share(log_odds: float) -> float:
    return 1 / (1 + exp(-log_odds))


@dataclass
class Tally:
    """How many intervals held the truth, how many places had none, and how often a difference was called real."""

    held: int = 0
    intervals: int = 0
    none: int = 0
    width: float = 0.0
    called: int = 0
    experiments: int = 0

    def add(self, average: dict, truth: float) -> None:
        """Count an interval."""
        if average["low"] is None:
            self.none += 1
            return
        self.intervals += 1
        self.held += average["low"] - 1e-9 <= truth <= average["high"] + 1e-9
        self.width += average["high"] - average["low"]

    @property
    def coverage(self) -> float:
        """The share of intervals that held the truth."""
        return self.held / self.intervals if self.intervals else float("nan")


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of the benchmark: a world, the places whose intervals count, and the options of the command.

    places: of overall, task, language, cell; of a judge the measure. difference: whether those of the second model's
    advantage count.
    """

    name: str
    world: World | Margins | Numbers | JudgeWorld
    places: str = "overall"
    difference: bool = False
    merges: Sequence[str] = ()
    options: dict = field(default_factory=dict)
    run: Callable[["Row", int, Path, Tally], None] = field(default=lambda *given: of_tables(*given))

    def measure(self, experiments: int) -> Tally:
        """Return the tally of some experiments, the same for the same number."""
        tally = Tally()
        for number in range(experiments):
            with tempfile.TemporaryDirectory() as folder:
                self.run(self, number, Path(folder), tally)
            tally.experiments += 1
        return tally


def of_tables(row: Row, number: int, folder: Path, tally: Tally) -> None:
    """Run `tables` once, and count."""
    drawn = row.world.draw(Random(f"{row.name}/{number}"))
    write(folder / "rows.jsonl", [one for one, _ in drawn])
    models = [f"m{m}={folder / f'm{m}.jsonl'}" for m in range(row.world.models)]
    for m in range(row.world.models):
        write(folder / f"m{m}.jsonl", [scored(one["id"], answers[m]) for one, answers in drawn])
    found = rewardlab.tables(models, rows=[folder / "rows.jsonl"], merges=row.merges, seed=number, **row.options).data
    for average in found["comparisons" if row.difference else "averages"]:
        if kind(average) == row.places and average["model"] == f"m{int(row.difference)}":
            tally.add(average, true_average(row, average["task"], average["language"]))
    compared = [one for one in found["comparisons"] if kind(one) == row.places]
    tally.called += any(one["verdict"] in ("better", "worse") for one in compared)


def true_average(row: Row, task: str | None, language: str | None) -> float:
    """Return the true average at a place, or the true difference: a mean over languages, then over tasks."""
    means = []
    for name, languages in row.world.tasks.items():
        chosen = [one for one in languages if language in (None, one) or f"{language}-" in one]
        if task in (None, name) and chosen:
            means.append(sum(_truth(row, name, one) for one in chosen) / len(chosen))
    return sum(means) / len(means)


def _truth(row: Row, task: str, language: str) -> float:
    if row.difference:
        return row.world.truth(task, language, 1) - row.world.truth(task, language, 0)
    return row.world.truth(task, language)


def of_win_rates(row: Row, number: int, folder: Path, tally: Tally) -> None:
    """Run `winrates` once, with a judge that prefers what shares more words with the reference, and count."""
    drawn = row.world.draw(Random(f"{row.name}/{number}"))
    (folder / "judge.yaml").write_text(RECIPE)
    for m in range(2):
        lines = [
            one | {"reference": "add them", "completions": ["add them" if right else "?" for right in answers[m]]}
            for one, answers in drawn
        ]
        write(folder / f"m{m}.jsonl", lines)
    files = {f"m{m}": folder / f"m{m}.jsonl" for m in range(2)}
    told = rewardlab.winrates(
        str(folder / "judge.yaml"), files, output=folder / "out", seed=number, say=lambda line: None, **row.options
    )
    for average in told.data["win_rates"]:
        if kind({"task": None} | average) == row.places:
            tally.add(average, 0.5)
    tally.called += told.data["win_rates"][0]["p"] < 0.05


def of_margins(row: Row, number: int, folder: Path, tally: Tally) -> None:
    """Average drawn win rates once, and count."""
    drawn = row.world.draw(Random(f"{row.name}/{number}"))
    found, called = drawn.average(OVERALL), drawn.against_even_odds(OVERALL).p < 0.05
    assert called == (not found.low <= 0.5 <= found.high)
    tally.add({"low": found.low, "high": found.high}, 0.5)
    tally.called += called


def of_numbers(row: Row, number: int, folder: Path, tally: Tally) -> None:
    """Average drawn numbers once, and count."""
    found = row.world.draw(Random(f"{row.name}/{number}")).average(OVERALL)
    tally.add({"low": found.low, "high": found.high}, exp(row.world.spread**2 / 2))


def of_judges(row: Row, number: int, folder: Path, tally: Tally) -> None:
    """Judge rows with gold once, and count the intervals of one measure."""
    found = judge_measures(row.world, number)
    low, high = found["interval" if row.places == "accuracy" else f"{row.places}_interval"] or (None, None)
    tally.add({"low": low, "high": high}, judge_truth(row.world)[row.places])


def kind(average: dict) -> str:
    """Return what sort of place an average is of."""
    names = {(True, True): "overall", (False, True): "task", (True, False): "language", (False, False): "cell"}
    return names[average["task"] is None, average["language"] is None]


def scored(row_id: str, right: list[float]) -> dict:
    """Return a line as `rewardlab score` writes it."""
    entry = {"value": right, "error": [None] * len(right), "info": [{}] * len(right)}
    return {"id": row_id, "total": right, "shaped": right, "components": {"right": entry}}


def write(path: Path, lines: Sequence[dict]) -> None:
    """Write a file of JSON lines."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def languages(count: int, problems: int, low: float = 0.4, high: float = 0.6) -> dict[str, tuple[int, float]]:
    """Return languages whose shares of right answers lie evenly between two."""
    step = (high - low) / max(1, count - 1)
    return {f"l{i:02}": (problems, low + i * step) for i in range(count)}


def one_cell(problems: int, share: float, **more) -> World:
    """Return a benchmark of one language, whose problems are alike unless `more` says otherwise."""
    return World(tasks={"t": {"l": (problems, share)}}, **{"difficulty": 0.0, "wording": 0.0, "samples": 1} | more)


PARALLEL = World(tasks={"t": languages(18, 60)}, parallel=True, models=2, difficulty=1.5, taste=1.0, samples=1)
TASKS = {"a": languages(6, 20, 0.2, 0.5), "b": languages(4, 60, 0.5, 0.8), "c": languages(3, 150, 0.85, 0.95)}
CHINESE = {"de": (40, 0.5), "zh-cn": (40, 0.7), "zh-tw": (40, 0.3)}
DUEL = one_cell(30, 0.5, models=2, samples=4, difficulty=1.5, effect=0.7)
TRANSLATED = JudgeWorld(problems=60, languages=18, difficulty=2.0, lead=0.7, bias=0.5)
PAIRS = JudgeWorld(problems=200, lead=1.5, bias=0.4)
SKEWED, VERY_SKEWED = {0.4: 5 / 6, 1.0: 1 / 6}, {0.55: 10 / 11, 0.0: 1 / 11}
EVEN = {
    "30 prompts, margins skewed": Margins(rates=SKEWED),
    "60 prompts, margins skewed": Margins(rates=SKEWED, problems=60),
    "60 problems x 3 languages, skewed": Margins(rates=SKEWED, problems=60, languages=3),
    "30 prompts, very skewed": Margins(rates=VERY_SKEWED),
    "100 prompts, very skewed": Margins(rates=VERY_SKEWED, problems=100),
    "60 prompts, 80% ties": Margins(rates={0.5: 0.8, 0.0: 0.1, 1.0: 0.1}, problems=60),
    "30 prompts, one comparison each": Margins(rates={0.0: 0.5, 1.0: 0.5}),
    "12 prompts, margins skewed": Margins(rates=SKEWED, problems=12),
    "5 prompts, margins skewed": Margins(rates=SKEWED, problems=5),
}
JUDGES = {
    "60 problems x 18 languages": (TRANSLATED, ("accuracy", "kappa", "position_bias", "order_agreement")),
    "30 problems x 18 languages": (replace(TRANSLATED, problems=30), ("accuracy", "kappa")),
    "200 pairs": (PAIRS, ("accuracy", "kappa", "kappa_orders", "position_bias", "order_agreement")),
    "50 pairs, mostly right": (replace(PAIRS, problems=50, lead=4.0), ("accuracy", "kappa", "order_agreement")),
    "40 lists of six": (JudgeWorld(problems=40, answers=6, lead=0.3, difficulty=0.3), ("accuracy", "kendall_tau")),
    "40 lists of six, pairs as rows": (
        JudgeWorld(problems=40, answers=6, lead=0.3, difficulty=0.3, as_rows=True),
        ("accuracy",),
    ),
    "60 problems x 18 languages, 3 draws": (replace(TRANSLATED, draws=3), ("retest_flips",)),
    "200 pairs, 2 draws": (replace(PAIRS, draws=2), ("retest_flips",)),
    "50 pairs, mostly right, 5 draws": (replace(PAIRS, problems=50, lead=4.0, draws=5), ("retest_flips",)),
    "10 problems x 18 languages": (replace(TRANSLATED, problems=10), ("accuracy", "kappa")),
    "5 problems x 18 languages": (replace(TRANSLATED, problems=5), ("accuracy", "kappa")),
}
ROWS = [
    *(Row(name=f"--raw, {n} skewed numbers", world=Numbers(count=n), run=of_numbers) for n in (12, 20, 30, 100)),
    *(Row(name=f"win rate of 50%, {name}", world=world, run=of_margins) for name, world in EVEN.items()),
    *(
        Row(name=f"judge, {name}: {measure}", world=world, places=measure, run=of_judges)
        for name, (world, shown) in JUDGES.items()
        for measure in shown
    ),
    Row(name="win rates, 60 problems x 18 languages, no difference", world=PARALLEL, run=of_win_rates),
    Row(name="the same, each language", world=PARALLEL, places="language", run=of_win_rates),
    Row(name="tables, 60 problems x 18 languages", world=PARALLEL),
    Row(name="the same, no difference of two models", world=PARALLEL, difference=True),
    Row(name="the same, each language, no difference", world=PARALLEL, difference=True, places="language"),
    Row(name="2% of 100", world=one_cell(100, 0.02)),
    Row(name="98% of 100", world=one_cell(100, 0.98)),
    Row(name="2% of 30", world=one_cell(30, 0.02)),
    Row(name="50% of 100", world=one_cell(100, 0.5)),
    Row(name="3% of 100, 8 answers each", world=one_cell(100, 0.01, samples=8, difficulty=1.5)),
    Row(name="5% of 60 x 6 languages, parallel", world=World(tasks={"t": languages(6, 60, 0.02, 0.03)}, parallel=True)),
    *(
        row
        for size in (1, 2, 3, 5, 10)
        for row in (
            Row(name=f"{size} prompts a language, average of 18", world=World(tasks={"t": languages(18, size)})),
            Row(name=f"{size} prompts a language, each", world=World(tasks={"t": languages(18, size)}), places="cell"),
        )
    ),
    Row(name="3 problems x 18 languages", world=World(tasks={"t": languages(18, 3)}, parallel=True)),
    Row(name="10 problems x 18 languages", world=World(tasks={"t": languages(18, 10)}, parallel=True)),
    Row(name="average of languages, 30% to 90% right", world=World(tasks={"t": languages(18, 20, 0.3, 0.9)})),
    Row(name="average of three tasks", world=World(tasks=TASKS)),
    Row(name="each of three tasks", world=World(tasks=TASKS), places="task"),
    Row(name="each language over three tasks", world=World(tasks=TASKS), places="language"),
    Row(name="merged cells, each counts", world=World(tasks={"t": CHINESE}), merges=["zh=zh-cn+zh-tw:each"]),
    Row(
        name="the merged cell",
        world=World(tasks={"t": CHINESE}, parallel=True),
        merges=["zh=zh-cn+zh-tw:each"],
        places="cell",
    ),
    Row(name="20 texts with 3 questions each", world=one_cell(60, 0.5, samples=4, difficulty=1.5, per_text=3)),
    Row(name="difference of two models, 30 prompts", world=DUEL, difference=True),
    Row(name="difference, 5 prompts", world=one_cell(5, 0.5, models=2, samples=8, difficulty=1.5), difference=True),
    Row(name="no difference at 3% of 100", world=one_cell(100, 0.03, models=2), difference=True),
    Row(
        name="no difference, 2 prompts x 18 languages",
        world=World(tasks={"t": languages(18, 2)}, models=2),
        difference=True,
    ),
    Row(name="difference, average of three tasks", world=World(tasks=TASKS, models=2, effect=0.5), difference=True),
]


def main() -> None:
    """Print a line for each row."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--experiments", type=int, default=2000)
    parser.add_argument("--only", default="", help="rows whose names have this pattern")
    options = parser.parse_args()
    print(f"{'':52} {'coverage':>8} {'width':>6} {'none':>6} {'called':>7}")
    for row in ROWS:
        if re.search(options.only, row.name):
            told = row.measure(options.experiments)
            width = told.width / max(1, told.intervals)
            none = told.none / max(1, told.none + told.intervals)
            called = f"{told.called / told.experiments:7.1%}" if getattr(row.world, "models", 1) > 1 else ""
            print(f"{row.name:52} {told.coverage:8.1%} {width:6.3f} {none:6.1%} {called}", flush=True)


if __name__ == "__main__":
    main()
