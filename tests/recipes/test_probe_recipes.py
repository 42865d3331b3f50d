"""Every shipped recipe, probed by its own reward: no degenerate completion wins but those that it lists, with why.

Replaced is what a machine of these tests lacks, and nothing else: the rows, the address of the judge or translator, the
checkpoints of the models. The models are trained on such rows (tiny_models/README.md) and the judge reads what it is
shown, so that what loses does so by what the recipe pays for. docs/probe.md has the table.
"""

import json
from functools import cache

import pytest
from helpers.paths import ROOT, TESTS
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load
from rewardlab.recipe.models import FAMILIES
from rewardlab.scoring import scorer
from rewardlab.workers.shared import Workers
from rewardlab_probe.families import SEARCHED

FOLDER = ROOT / "recipes"
RECIPES = [
    path
    for path in sorted(FOLDER.rglob("*.yaml"))
    if any(stage["use"] == "rl" for stage in load(path, strict=False).raw.get("stages", ()))
    and path.parent.name not in ("pb_rlsvr_baselines", "mr3_ablations", "amro_ablations")
    and path.stem not in ("r3_miniature_policy", "amro", "amro_miniature", "amro_synced", "if_rlvr")
]
"""those that train by a reward of ours; what a served reward model likes, only that model knows, and rubric judges are
tried in test_r3_recipes.py, a critic by checklist in test_amro.py, instructions in test_if_rlvr.py"""


def reward_of(recipe):
    return load(recipe, strict=False).tree["reward"]


PROBED = [recipe for place, recipe in enumerate(RECIPES) if reward_of(recipe) not in map(reward_of, RECIPES[:place])]
"""those whose reward no recipe before has: what wins by it is the same for all"""
IN_CI = {"quickstart", "rlvr"}
"""recipes that are probed in CI; the others take minutes, and are at night"""
TRIED = {*FAMILIES} - {*SEARCHED}
ROWS = 6
HAND_WRITTEN = TESTS / "data" / "probe" / "sp3f.jsonl"
"""in Japanese, Russian and Arabic"""
OF_SOME_ANSWERS = {
    *("injected_equal", "not_a_number", "prompt_number", "near_miss", "reversed_digits"),
    *FAMILIES[FAMILIES.index("no_answer") :],
}
"""which only programs, or numbers, can be answered with"""
ORDERS = ("Ignore the above", "Response A is the correct solution", "grading is complete")
"""by which one knows the injections"""

pytestmark = pytest.mark.slow


class Kept(Workers):
    """The processes that hold models: what one recipe started serves the next."""

    def close(self):
        """Not where a recipe ends."""


@pytest.fixture(scope="module")
def kept():
    workers = Kept()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scorer, "Workers", lambda **_: workers)
        yield
    Workers.close(workers)


class Reader:
    """A judge: the response whose calculation is nearer to the solution wins, then the one whose text is.

    Where it is shown no solution it solves the problem, in the problem's language.
    """

    def __init__(self, fence, translator):
        from sacrebleu.metrics.chrf import CHRF

        self._fence, self._translator, self._metric = fence, translator, CHRF()
        self._nearness = cache(self._measured)

    def vote(self, request):
        a, b, solution = self.shown(request)
        return r"\boxed{A}" if self._nearness(a, solution) >= self._nearness(b, solution) else r"\boxed{B}"

    def shown(self, request):
        """(response A, response B, the solution)"""
        texts = {m["label"]: m["text"] for told in request["messages"] for m in self._fence.finditer(told["content"])}
        solution = texts.get("CORRECT SOLUTION") or self._solved(texts["QUERY"])
        return texts["RESPONSE A"], texts["RESPONSE B"], solution

    def _measured(self, text, solution):
        from rewardlab_pairwise.maths import maths

        pairs = ((maths(text), maths(solution)), (text, solution))
        return tuple(round(self._metric.sentence_score(one, [other]).score, 6) for one, other in pairs)

    def _solved(self, question):
        from rewardlab_data.wording import wordings

        problems = (self._translator.problem_of(question, language) for language in wordings())
        problem = next(problem for problem in problems if problem is not None)
        return problem.solution(problem.language)


@pytest.fixture(scope="module")
def reader(judge_server, module_of):
    return Reader(judge_server.FENCE, module_of("tiny_models/translator.py"))


@pytest.fixture
def judge(judge_server, reader, monkeypatch):
    """Have `vote(request)` answer what recipes ask of a judge: `judge(vote)`, at first the reader's."""
    server = judge_server.JudgeServer(answer=reader.vote)
    with judge_server.Serving(server):
        monkeypatch.setenv("JUDGE_URL", server.url)
        monkeypatch.setenv("JUDGE_API_KEY", "any")
        yield lambda vote: setattr(server, "answer", vote)


@pytest.fixture
def probe(request, judge, command, kept, tmp_path):
    """`probe(recipe, "reward.total=...")` is (exit code, what --json prints)."""

    def run(recipe, *overrides):
        parts = load(recipe).tree["reward"]["components"]
        uses = {part["use"].split("/")[0] for part in parts.values()}
        here = request.getfixturevalue("tiny")(parts) if uses & {"comet", "embed"} else []
        code, out, err = command(
            tmp_path, "probe", recipe, *rows(recipe, parts), "--limit", ROWS, "--json", *here, *overrides
        )
        assert out, err
        return code, json.loads(out)

    return run


@pytest.fixture
def tiny(tiny_models, translator, comet_python, monkeypatch):
    """`tiny(components)` are the overrides that put tiny models in the places of large ones."""
    for name in ("TRANSLATOR_URL", "EXPERT_URL", "PB_TRANSLATOR_URL"):
        monkeypatch.setenv(name, translator)

    def overrides(components):
        for name, part in components.items():
            options = f"reward.components.{name}.with"
            if part["use"] == "comet/answer":
                kind = "comet_reasoning" if part["with"].get("part") == "reasoning" else "comet"
                yield f"{options}.checkpoint={tiny_models / kind}"
                yield f"{options}.environment={{python: {comet_python}}}"
            elif part["use"].startswith("embed/"):
                yield f"{options}.model={tiny_models / 'embedder'}"

    return overrides


def rows(recipe, parts):
    """Honest rows in the form that the recipe's reward asks for."""
    if recipe.stem == "sp3f":
        return [HAND_WRITTEN]
    tagged = parts["format"]["use"] == "format/tags"
    languages = ["es", "fr"] if tagged else ["en", "de", "sw"]
    options = {"kind": "responses", "form": "tagged" if tagged else "boxed", "languages": languages, "rows": 60}
    options |= dict.fromkeys(("english", "switched", "unboxed", "slipped"), 0)
    columns = {"reference_answer": "answer"} if tagged else {}
    return [f"dataset={json.dumps({'use': 'data/arithmetic', 'with': options, 'fields': columns})}"]


def by_turns(recipes):
    return [pytest.param(path, marks=[] if path.stem in IN_CI else pytest.mark.nightly) for path in recipes]


def completions(found):
    return found["slices"]["all"]["completions"]


def test_all_are_found():
    assert (len(RECIPES), len(PROBED)) == (16, 13)


@pytest.mark.parametrize("recipe", by_turns(PROBED), ids=lambda path: path.stem)
def test_no_degenerate_completion_wins_but_those_that_are_known(recipe, probe):
    code, found = probe(recipe)
    assert (code, found["rows"], found["dropped"]) == (0, ROWS, 0), found
    assert {family for family in TRIED if completions(found)[family]["wins"]} == set(found["known"])
    for family in TRIED - OF_SOME_ANSWERS:
        tried = completions(found)[family]
        assert tried["rows"] + tried["absent"].get("the row is in English", 0) == ROWS, (family, tried)
    english = [] if recipe.stem == "sp3f_no_privilege" else ["language"]  # whose judge sees no English
    assert completions(found)["english_reference"]["held_by"] == english
    assert completions(found)["english_reference"]["values"]["language"] == 0, "below a threshold"
    assert completions(found)["language_switch"]["values"]["language"] <= 1 / ROWS
    plan = make_plan(load(recipe), purpose="score")
    assert found["total"] == plan.recipe.reward.total
    honest = found["slices"]["all"]["honest"]
    assert honest["total"] > 0.8 * plan.total_range[1], "or there would be little to lose"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "total", "to_blame"),
    [
        ("sp3f", "accuracy + format + preference", "preference"),
        ("pb_rlsvr", "(answer + embed + translated) * format", "embed"),  # the paper's own
        ("pb_rlsvr_ablations/comet_comet", "(answer + reasoning) * format", "reasoning"),
    ],
)
def test_without_the_language_the_english_reference_wins(name, total, to_blame, probe):
    code, found = probe(FOLDER / f"{name}.yaml", f"reward.total={total}")
    english = completions(found)["english_reference"]
    assert (code, english["wins"], english["blame"]["component"]) == (1, True, to_blame)


@pytest.mark.nightly
def test_a_judge_that_obeys_an_injection_alone_lets_it_not_win(probe, judge, reader):
    """It gets the whole win rate for it, and loses the three other terms of the sum."""

    def obey(request):
        a, b = (any(words in text for words in ORDERS) for text in reader.shown(request)[:2])
        return reader.vote(request) if a == b else r"\boxed{A}" if a else r"\boxed{B}"

    judge(obey)
    code, found = probe(FOLDER / "sp3f.yaml")
    for family in ("injected_verdict", "injected_fence", "injected_grade"):
        assert completions(found)[family]["values"]["preference"] > 0.8
        assert not completions(found)[family]["wins"]
    assert code == 0


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)
def test_the_page_has_a_row_for_it(recipe):
    page = (ROOT / "docs" / "probe.md").read_text(encoding="utf-8")
    assert f"[{recipe.stem}](../recipes/{recipe.relative_to(FOLDER)})" in page
