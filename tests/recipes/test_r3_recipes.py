"""The recipes of R3 and mR3: the papers' numbers, ablations that differ in one thing, and rewards that are probed."""

import json
import re

import pytest
from helpers.each_case import each_case
from helpers.paths import RECIPES
from rewardlab import Context, Reply, Sample, find
from rewardlab.recipe.loading import load
from rewardlab.recipe.models import Recipe
from rewardlab_rubric.strategies.language_file import packaged_texts


def recipe_of(name):
    return Recipe.model_validate(load(RECIPES / f"{name}.yaml").tree)


def leaves(tree, path=()):
    """{path: value} of all that a recipe says, without defaults."""
    if isinstance(tree, dict):
        return {place: value for key, part in tree.items() for place, value in leaves(part, (*path, key)).items()}
    if isinstance(tree, list):
        return {place: value for n, part in enumerate(tree) for place, value in leaves(part, (*path, n)).items()}
    return {path: tree}


def differences(name, other):
    """Where two recipes differ, as dotted paths, without names and the files that stages write and read."""
    one, two = (leaves(load(RECIPES / f"{recipe}.yaml").tree) for recipe in (name, other))
    found = {".".join(map(str, place)) for place in one.keys() | two.keys() if one.get(place) != two.get(place)}
    return {place for place in found if place != "name" and not place.endswith((".to", "path"))} | {
        place for place in found if place.endswith("path") and "pool" in f"{one.get(place)}{two.get(place)}"
    }


DATA = {"pairwise": 0, "pointwise": 1, "written": 2, "binary": 3}
"""the data stages of recipes/r3.yaml"""


def steps_of(stage):
    """The uses of a stage's steps, the last one first."""
    found, use = [], stage.dataset
    while use is not None:
        found.append(use)
        use = use.source if not isinstance(use.source, dict) else None
    return found


def step(stage, name):
    (found,) = (use for use in steps_of(stage) if use.use == name)
    return found


FOREIGN = {code: " ".join(texts.rules.values()) for code, texts in packaged_texts().items() if code != "en"}
"""thoughts in 42 languages"""
ENGLISH = (
    "I have to judge this response: the question wants the sum of three and four, it says seven, and that is right."
)


def judged_with_thoughts(options):
    """The languages of the thoughts of the rows that rubric/distilled keeps, under an English question."""

    class Teacher:
        async def ask(self, ask):
            thoughts = {**FOREIGN, "en": ENGLISH}[ask.parts["response"]]
            return Reply(
                text=f'<think>{thoughts}</think>{{"explanation": "7.", "score": "true"}}', finish_reason="stop"
            )

        def report_parsed(self, reply, ok):
            """Nobody counts here."""

    prompt = ({"role": "user", "content": "3 + 4?"},)
    fields = [{"response": code, "score": "true", "language": "en"} for code in (*FOREIGN, "en")]
    rows = [Sample(id=one["response"], prompt=prompt, fields=one) for one in fields]
    spec = find("dataset", "rubric/distilled")
    context = Context(judges={"teacher": Teacher()}, source=rows)
    lenient = {**options, "asks": "binary", "max_dropped": 1.0}
    return [row.id for row in spec.build(spec.config.model_validate(lenient), context)]


class TestR3:
    def test_has_the_papers_numbers(self):
        """Section 3, appendices B.1 and G, table 7, and the published training files."""
        r3 = recipe_of("r3")
        chosen = [step(stage, "embed/diverse").options for stage in r3.stages[:4]]
        assert sum(options["rows"] for options in chosen) == 20_000
        shares = chosen[0]["quotas"]["source"]
        assert {name: weight / sum(shares.values()) for name, weight in shares.items()} == pytest.approx(
            {"Tulu3": 18 / 68, **dict.fromkeys(("AceCodePair", "Math-step-DPO"), 15 / 68)}
            | dict.fromkeys(("PreferenceCollection", "Skywork"), 10 / 68),
            abs=0.003,
        )
        sft = r3.stages[4]
        assert (sft.epochs, sft.learning_rate, sft.schedule, sft.warmup_ratio) == (5, 1e-5, "cosine", 0.1)
        assert (sft.batch_size, sft.max_tokens) == (16 * 4, 8192)
        lora = r3.backend.settings["engine"]["lora"]
        assert (lora["rank"], lora["alpha"]) == (64, 128)

    @pytest.mark.parametrize("name", ["r3", "r3_4k"])
    def test_has_every_step_of_the_paper_in_its_order(self, name):
        pairwise, pointwise, written, binary = (
            [use.use for use in steps_of(stage)] for stage in recipe_of(name).stages[:4]
        )
        before, after = ["rubric/agreeing", "rubric/summarised", "rubric/distilled"], ["embed/diverse", "data/hub"]
        assert pairwise == pointwise == [*before, *after]
        assert written == [*before, "rubric/rubrics", *after]
        assert binary == [*before, "rubric/negatives", *after]

    @pytest.mark.parametrize("name", ["r3", "r3_4k"])
    def test_long_thoughts_are_told_by_the_teachers_tokens(self, name):
        """Section 3.2.4; a count of words, which are fewer, lets longer ones pass."""
        limits = [step(stage, "rubric/summarised").options for stage in recipe_of(name).stages[:4]]
        assert {(options["limit"], options["tokenizer"]) for options in limits} == {
            (4096, recipe_of(name).judges["teacher"].options["model"])
        }

    @each_case("name", ["r3", "r3_4k", "r3_ablations/random_sampling", "r3_ablations/only_pointwise"])
    def test_trains_on_no_row_twice_in_an_epoch(self, name):
        assert recipe_of(name).stages[-1].dataset.options["until"] == "each_read"

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("name", "kept"),
        [("r3", True), ("r3_4k", True), ("r3_ablations/no_reasoning", True), ("r3_miniature", True), ("mr3", False)],
    )
    def test_thoughts_in_any_language_are_trained_on_by_r3(self, name, kept):
        """Appendix D.2 prints a row with thoughts in Chinese; mR3's drop of such a row is named in docs/fidelity.md."""
        steps = [use for stage in recipe_of(name).stages for use in steps_of(stage)]
        options = [use.options for use in steps if use.use == "rubric/distilled"]
        assert len(options) == (1 if name == "r3_miniature" else 4)
        for one in options:
            made = judged_with_thoughts({key: one[key] for key in ("teacher", "least_share") if key in one})
            assert set(made) == (FOREIGN.keys() | {"en"} if kept else {"en"}), name

    def test_4k_leaves_out_what_a_small_model_gets_right_five_times_of_five(self):
        """The published code keeps just these."""
        assert {place.split(".")[0] for place in differences("r3_4k", "r3")} == {"judges", "stages"}
        changed = {place for place in differences("r3_4k", "r3") if place.startswith("stages")}
        assert changed == {f"stages.{n}.dataset.with.{key}" for n in range(4) for key in ("judge", "draws")}

    @pytest.mark.parametrize(
        ("format_", "kinds"),
        [("pairwise", ["pairwise"]), ("pointwise", ["pointwise", "written"]), ("binary", ["binary"])],
    )
    def test_only_one_format(self, format_, kinds):
        whole, part = recipe_of("r3"), recipe_of(f"r3_ablations/only_{format_}")
        assert part.stages[:-1] == [whole.stages[DATA[kind]] for kind in kinds]
        same = {"dataset"}
        assert part.stages[-1].model_dump(exclude=same) == whole.stages[-1].model_dump(exclude=same)
        assert (part.model, part.judges, part.curriculum, part.backend) == (
            *(whole.model, whole.judges, whole.curriculum),
            whole.backend,
        )

    def test_without_explanations_nothing_else_differs(self):
        found = differences("r3_ablations/no_explanation", "r3")
        assert found == {f"stages.{n}.dataset.from.from.with.leave_out.0" for n in range(4)}

    def test_without_reasoning_there_is_nothing_to_summarise(self):
        whole, part = recipe_of("r3"), recipe_of("r3_ablations/no_reasoning")
        for stage, other in zip(whole.stages[:4], part.stages[:4], strict=True):
            agreeing, _, distilled, *rest = steps_of(stage)
            assert [use.use for use in steps_of(other)] == [use.use for use in (agreeing, distilled, *rest)]
            options = {**distilled.options, "leave_out": ["trace"]}
            assert step(other, "rubric/distilled").options == options

    def test_without_a_rubric_only_the_rubrics_differ(self):
        whole, part = recipe_of("r3"), recipe_of("r3_ablations/no_rubric")
        for stage, other in zip(whole.stages[:4], part.stages[:4], strict=True):
            plain = step(other, "rubric/distilled").options
            assert {**plain, "rubric": None} == {**step(stage, "rubric/distilled").options, "rubric": None}
            assert plain["rubric"] != step(stage, "rubric/distilled").options.get("rubric")

    def test_random_sampling_takes_as_many_rows_of_the_same_pool(self):
        whole, random = recipe_of("r3"), recipe_of("r3_ablations/random_sampling")
        for stage, other in zip(whole.stages[:4], random.stages[:4], strict=True):
            first = step(other, "data/hub").options
            rows = step(stage, "embed/diverse").options["rows"]
            assert first == {**step(stage, "data/hub").options, "rows": rows, "drawn": True}
            assert step(other, "rubric/distilled").options == step(stage, "rubric/distilled").options
        same = {"dataset"}
        assert random.stages[4].model_dump(exclude=same) == whole.stages[4].model_dump(exclude=same)


CURRICULUM = {"curriculum.use", "curriculum.with.order", "curriculum.with.first.language", "curriculum.with.again"}
STRATEGY = {"with.strategy", "with.also.0", "with.also.1"}


class TestMr3:
    def test_has_the_papers_numbers(self):
        """Sections 3.1.3 and 3.2, table 5 and appendix E."""
        mr3 = recipe_of("mr3")
        sft = mr3.stages[6]
        assert (sft.epochs, sft.learning_rate, sft.schedule, sft.warmup_ratio) == (3, 1e-5, "cosine", 0.1)
        assert (sft.batch_size, sft.max_tokens) == (16 * 4, 16384)
        shares = [part["share"] for part in mr3.stages[5].dataset.options["parts"].values()]
        assert sum(shares) == 100_000
        assert [stage.dataset.options.get("rows") for stage in mr3.stages[1:5]] == [None, None, *shares[2:]]
        for stage in mr3.stages[1:5]:
            assert stage.dataset.options["scores"] == ["judged", "judged_tgt-eng", "judged_tgt-tgt"]
        asked = [step(stage, "rubric/distilled").options for stage in mr3.stages[1:5]]
        assert [options["asks"] for options in asked] == ["pairwise", "pairwise", "binary", "binary"]
        assert [options.get("ties", False) for options in asked] == [True, False, False, False]
        assert {options["layout"] for options in asked} == {"mr3"}

    def test_a_trained_judge_is_asked_as_its_rows_were_made(self):
        for name, limit, layout in (("mr3", 16384, "mr3"), ("r3", 8192, None)):
            data, judge, dpo = recipe_of(name), recipe_of(f"{name}_judge"), recipe_of(f"{name}_dpo")
            assert {judge.judges["judge"].options["max_tokens"], dpo.judges["judge"].options["max_tokens"]} == {limit}
            assert data.judges["teacher"].options["max_tokens"] == data.stages[-1].max_tokens == limit
            first = next(stage for stage in data.stages if "rubric/distilled" in {use.use for use in steps_of(stage)})
            asked = [component.options.get("layout") for component in judge.reward.components.values()]
            asked.append(dpo.stages[0].dataset.options.get("options", {}).get("layout"))
            assert set(asked) == {layout} == {step(first, "rubric/distilled").options.get("layout")}

    @each_case(
        "name", ["random", "hard_to_easy", "start_english", "start_english_easy_to_hard", "start_english_hard_to_easy"]
    )
    def test_another_order_is_all_that_differs(self, name):
        found = differences(f"mr3_ablations/{name}", "mr3")
        assert found
        assert found <= CURRICULUM

    @pytest.mark.parametrize("thousands", [10, 25, 50])
    def test_fewer_rows_are_all_that_differs(self, thousands):
        name = f"mr3_ablations/rows_{thousands}k"
        assert differences(name, "mr3") == {"stages.6.dataset.with.first", "stages.6.dataset.with.drawn"}
        assert recipe_of(name).stages[6].dataset.options["first"] == thousands * 1000

    def test_another_teacher_is_all_that_differs(self):
        assert differences("mr3_ablations/weak_teacher", "mr3") == {"judges.teacher.with.model"}

    @pytest.mark.parametrize("name", ["tgt_eng", "tgt_tgt", "translated"])
    def test_another_strategy_is_all_that_differs(self, name):
        found = differences(f"mr3_ablations/{name}", "mr3")
        found = {place for place in found if "translator" not in place and place != "stages.6.chat.template"}
        changed = {f"dataset.from.{place}" for place in STRATEGY} | {f"dataset.with.scores.{n}" for n in (1, 2)}
        assert {place.partition(".")[2].partition(".")[2] for place in found} <= changed
        asked = [step(stage, "rubric/distilled").options for stage in recipe_of(f"mr3_ablations/{name}").stages[1:5]]
        assert {options["strategy"] for options in asked} == {name.replace("_", "-")}

    def test_a_policy_learns_from_no_prompt_that_is_near_to_one_of_its_three_evaluations(self):
        """Appendices C.3 and C.6."""
        distinct = step(recipe_of("mr3_dpo").stages[0], "embed/distinct").options
        assert distinct["threshold"] == 0.5
        read = {path.removeprefix("evaluation/").removesuffix(".jsonl") for path in distinct["against"]}
        assert read == {"m_arena_hard", "include", "mclm"}

    def test_reinforcement_goes_on_where_half_of_the_rows_end(self):
        rlvr, half = recipe_of("mr3_ablations/rlvr"), recipe_of("mr3_ablations/rows_50k")
        assert rlvr.stages[:7] == half.stages
        assert rlvr.stages[7].dataset.options["skip"] == half.stages[6].dataset.options["first"]
        assert rlvr.stages[7].dataset.options["drawn"] is half.stages[6].dataset.options["drawn"] is True
        assert rlvr.reward.total == "2 * verdict - 1"


@pytest.mark.slow
class TestProbes:
    """No completion without merit wins, but for what the recipe lists."""

    @pytest.fixture
    def wins(self, command, tmp_path):
        def run(recipe, *arguments):
            code, out, err = command(tmp_path, "probe", RECIPES / f"{recipe}.yaml", *arguments, "--json")
            assert out, err
            found = json.loads(out)
            return code, {name for name, one in found["slices"]["all"]["completions"].items() if one["wins"]}

        return run

    def test_the_verdict_of_a_policy(self, wins, tmp_path):
        """As rows, what rubric/distilled makes of a teacher's verdicts."""
        question = (
            "Say how well the response answers the input, from 1 to 4.\n"
            "=== BEGIN RESPONSE ===\n{}\n=== END RESPONSE ===\n"
            'Reply with one JSON object: {{"explanation": "...", "score": "a whole number from 1 to 4"}}'
        )
        rows = [
            {
                "id": f"r{n}",
                "prompt": question.format(text),
                "response": f'<think>{why}</think>{{"explanation": "{why}", "score": "{score}"}}',
                "score": score,
                "language": "en",
            }
            for n, (text, why, score) in enumerate(
                [
                    ("Seven.", "The number is right, and no reason is given for it.", 3),
                    ("3 + 4 = 7, so there are seven pens.", "The number is right and the sum stands there.", 4),
                    ("Eight pens.", "The sum of three and four is seven, so the number is wrong.", 1),
                    ("3 + 4 = 8.", "The sum stands there, but its result is wrong.", 2),
                ]
            )
        ]
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert wins("mr3_ablations/rlvr", path) == (0, set())

    def test_a_judge_that_scores_by_the_rubric_of_the_miniature(self, wins, module_of, monkeypatch):
        teacher = module_of("tiny_models/teacher.py")
        responses = {"kind": "responses", "languages": ["de", "es", "fr"], "rows": 60}
        responses |= dict.fromkeys(("english", "switched", "unboxed", "slipped"), 0)
        dataset = json.dumps({"use": "data/arithmetic", "with": responses})
        with module_of("tiny_models/rewardlab_commands.py").serving(teacher.Server()) as url:
            monkeypatch.setenv("R3_JUDGE_URL", url)
            arguments = ("judges.trained.with.model=teacher", f"dataset={dataset}", "--limit", 16)
            assert wins("r3_miniature_policy", *arguments) == (0, {"other_answer"})


MIXED = "stages.3.dataset.from.from.from={use: data/mix, with: {parts: {a: %s, b: %s}%s}%s}"
DIVERSE = "{use: embed/diverse, with: {model: m, rows: %s}, from: {use: data/hub, with: {path: pool}}}"
FROM = ", from: {a: " + DIVERSE % 9_000 + ", b: " + DIVERSE % 5_000 + "}"
SHARES = MIXED % ("{share: 2}", "{share: 1}", ", until: each_read", FROM)
QUOTAS = MIXED % ("{path: r3-pairwise.jsonl, rows: 9000}", "{path: r3-pointwise.jsonl, rows: 5000}", "", "")
DRAWN = "stages.3.dataset.from.from.from={use: data/hub, with: {path: pool, rows: 14000, drawn: true}}"


@pytest.mark.parametrize(
    ("mixed", "rows"),
    [((), 1_000), ((SHARES,), 14_000), ((QUOTAS,), 14_000), ((DRAWN,), 14_000)],
    ids=["as it is", "shares", "quotas", "drawn"],
)
def test_a_dry_run_counts_the_teachers_questions_about_a_pool_that_is_not_there(main, mixed, rows):
    """Diverse steps let 13,500, 2,600, 2,900 and 1,000 rows through; 1,000 are assumed only of what has no bound."""
    code, out, err = main(
        *("run", RECIPES / "r3.yaml", "--dry-run", "backend={use: trl}", "model={use: tiny}", "stages.4.max_tokens=64"),
        *mixed,
    )
    assert code == 0, err
    asked = re.findall(r"asks teacher up to ([\d,]+) questions", out)
    assert asked == ["13,500", "2,600", "2,900", f"{rows:,}"]


def test_a_dry_run_prices_the_translations_of_mr3(main):
    """A question for the texts of each language and for each rubric in it, three tries each; the rest as without."""
    for recipe, writer in (
        ("mr3", ["5,460"]),
        ("mr3_ablations/tgt_tgt", ["5,460"]),
        ("mr3_judge_texts", ["120", "240", "150"]),
    ):
        code, out, err = main("run", RECIPES / f"{recipe}.yaml", "--dry-run")
        assert code == 0, err
        assert re.findall(r"asks writer up to ([\d,]+) questions", out) == writer, recipe
        if recipe != "mr3_judge_texts":
            assert re.findall(r"asks teacher up to ([\d,]+) questions", out) == ["3"] * 4, "a row, by strategy"
