"""The recipes of R3 and mR3: the papers' numbers, ablations that differ in one thing, and rewards that are probed."""

import json

import pytest
from helpers.paths import RECIPES
from rewardlab.recipe.loading import load
from rewardlab.recipe.models import Recipe


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


STEP = "stages.{}.dataset.from.with"


class TestR3:
    def test_has_the_papers_numbers(self):
        """Section 3 and appendices B.1 and G, and the published training files."""
        r3 = recipe_of("r3")
        sizes = [stage.dataset.source.source.options["rows"] for stage in r3.stages[:3]]
        assert sum(sizes) == 20_000
        sft = r3.stages[3]
        assert (sft.epochs, sft.learning_rate, sft.schedule, sft.warmup_ratio) == (5, 1e-5, "cosine", 0.1)
        assert (sft.batch_size, sft.max_tokens) == (16 * 4, 8192)
        lora = r3.backend.settings["engine"]["lora"]
        assert (lora["rank"], lora["alpha"]) == (64, 128)

    def test_4k_leaves_out_what_a_small_model_gets_right_five_times_of_five(self):
        """The published code keeps just these."""
        assert {place.split(".")[0] for place in differences("r3_4k", "r3")} == {"judges", "stages"}
        changed = {place for place in differences("r3_4k", "r3") if place.startswith("stages")}
        assert changed == {f"stages.{n}.dataset.with.{key}" for n in range(3) for key in ("judge", "draws")}

    @pytest.mark.parametrize("format_", ["pairwise", "pointwise", "binary"])
    def test_only_one_format(self, format_):
        whole, part = recipe_of("r3"), recipe_of(f"r3_ablations/only_{format_}")
        assert [stage.to for stage in part.stages[:-1]] == [f"r3-{format_}.jsonl"]
        assert part.stages[0] in whole.stages
        same = {"dataset"}
        assert part.stages[-1].model_dump(exclude=same) == whole.stages[-1].model_dump(exclude=same)
        assert (part.model, part.judges, part.curriculum, part.backend) == (
            *(whole.model, whole.judges, whole.curriculum),
            whole.backend,
        )

    @pytest.mark.parametrize(
        ("name", "changed"),
        [
            ("no_explanation", {f"{STEP.format(n)}.leave_out.0" for n in range(3)}),
            ("no_reasoning", {f"{STEP.format(n)}.leave_out.0" for n in range(3)}),
        ],
    )
    def test_without_a_part_of_the_response(self, name, changed):
        assert differences(f"r3_ablations/{name}", "r3") == changed

    def test_without_a_rubric_only_the_rubrics_differ(self):
        found = differences("r3_ablations/no_rubric", "r3")
        assert found
        assert all(place.startswith(tuple(f"{STEP.format(n)}.rubric" for n in range(3))) for place in found)

    def test_random_sampling_takes_as_many_rows_of_the_same_pool(self):
        whole, random = recipe_of("r3"), recipe_of("r3_ablations/random_sampling")
        for stage, other in zip(whole.stages[:3], random.stages[:3], strict=True):
            diverse, first = stage.dataset.source.source, other.dataset.source.source
            assert (diverse.use, first.use) == ("embed/diverse", "data/hub")
            assert first.options == {**diverse.source.options, "rows": diverse.options["rows"]}
            assert other.dataset.source.options == stage.dataset.source.options
        same = {"dataset"}
        assert random.stages[3].model_dump(exclude=same) == whole.stages[3].model_dump(exclude=same)


CURRICULUM = {"curriculum.use", "curriculum.with.order", "curriculum.with.first.language", "curriculum.with.again"}
STRATEGY = {"with.strategy", "with.also.0", "with.also.1"}


class TestMr3:
    def test_has_the_papers_numbers(self):
        """Section 3.2 and appendix E."""
        mr3 = recipe_of("mr3")
        sft = mr3.stages[1]
        assert (sft.epochs, sft.learning_rate, sft.schedule, sft.warmup_ratio) == (3, 1e-5, "cosine", 0.1)
        assert (sft.batch_size, sft.max_tokens) == (16 * 4, 16384)
        assert mr3.stages[0].dataset.options["scores"] == ["judged", "judged_tgt-eng", "judged_tgt-tgt"]

    @pytest.mark.parametrize(
        "name",
        ["random", "hard_to_easy", "start_english", "start_english_easy_to_hard", "start_english_hard_to_easy"],
    )
    def test_another_order_is_all_that_differs(self, name):
        found = differences(f"mr3_ablations/{name}", "mr3")
        assert found
        assert found <= CURRICULUM

    @pytest.mark.parametrize("thousands", [10, 25, 50])
    def test_fewer_rows_are_all_that_differs(self, thousands):
        name = f"mr3_ablations/rows_{thousands}k"
        assert differences(name, "mr3") == {"stages.1.dataset.with.first"}
        assert recipe_of(name).stages[1].dataset.options["first"] == thousands * 1000

    def test_another_teacher_is_all_that_differs(self):
        assert differences("mr3_ablations/weak_teacher", "mr3") == {"judges.teacher.with.model"}

    @pytest.mark.parametrize("name", ["tgt_eng", "tgt_tgt", "translated"])
    def test_another_strategy_is_all_that_differs(self, name):
        found = differences(f"mr3_ablations/{name}", "mr3")
        found = {place for place in found if "translator" not in place}
        assert {place.removeprefix("stages.0.dataset.from.") for place in found} - STRATEGY <= {
            f"stages.0.dataset.with.scores.{n}" for n in (1, 2)
        }
        strategy = recipe_of(f"mr3_ablations/{name}").stages[0].dataset.source.options["strategy"]
        assert strategy == name.replace("_", "-")

    def test_reinforcement_goes_on_where_half_of_the_rows_end(self):
        rlvr, half = recipe_of("mr3_ablations/rlvr"), recipe_of("mr3_ablations/rows_50k")
        assert rlvr.stages[:2] == half.stages
        assert rlvr.stages[2].dataset.options["skip"] == half.stages[1].dataset.options["first"]
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
            arguments = ("judges.trained.with.model=teacher", f"dataset={dataset}", "--rows", 16)
            assert wins("r3_miniature_policy", *arguments) == (0, {"other_answer"})
