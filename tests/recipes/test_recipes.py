"""Every shipped recipe: opens with the command that runs it, cites its paper, and passes `check`."""

import json
import re
from itertools import takewhile

import pytest
from helpers.each_case import each_case
from helpers.paths import RECIPES
from rewardlab.recipe.loading import load

FOLDER = RECIPES
RECIPES = sorted(FOLDER.rglob("*.yaml"))
PROBLEMS = [
    {"problem": f"What is {n} + {n}?", "solution": rf"{n} + {n} = \boxed{{{2 * n}}}", "answer": str(2 * n)}
    for n in range(3)
]

AMRO_ABLATIONS = ("baseline", "deviation", "length", "scalar_judge", "unstructured_judge", "variance")
ABLATIONS = ("comet_comet", "comet_embed", "comet_translated", "embed_embed", "translated_translated")
R3_ABLATIONS = (
    *("no_explanation", "no_reasoning", "no_rubric", "only_binary", "only_pairwise", "only_pointwise"),
    "random_sampling",
)
MR3_ABLATIONS = (
    *("hard_to_easy", "random", "rlvr", "rows_10k", "rows_25k", "rows_50k", "start_english"),
    *("start_english_easy_to_hard", "start_english_hard_to_easy", "tgt_eng", "tgt_tgt", "translated", "weak_teacher"),
)
RANGES = {
    **{f"pb_rlsvr_ablations/{name}": [0.0, 2.0] for name in ABLATIONS},
    **{name: [0.0, 3.0] for name in ("pb_rlsvr", "pb_rlsvr_32b", "pb_rlsvr_miniature")},
    "pb_rlsvr_baselines/ppo": [0.0, 1.0],
    "pb_rlsvr_baselines/sft": None,
    "amro": [-1.0, 1.0],
    **{f"amro_ablations/{name}": [-1.0, 1.0] for name in AMRO_ABLATIONS},
    **{f"amro_ablations/{name}": [0.0, 1.0] for name in ("scalar_judge", "unstructured_judge")},
    "amro_critic": None,
    "amro_csft": None,
    "amro_miniature": [0.0, 1.0],
    "amro_synced": [-1.0, 1.0],
    "evaluate_amro": [0.0, 1.0],
    "evaluate_amro_flores": [0.0, 1.0],
    "evaluate_amro_open": [0.0, 1.0],
    "evaluate_amro_safety": [0.0, 1.0],
    "evaluate_pb_rlsvr": [0.0, 1.0],
    "evaluate_sp3f": [0.0, 1.0],
    "if_rlvr": [0.0, 1.0],
    "sp3f_ablations/rlvr": [0.0, 3.0],
    "sp3f_ablations/sft": None,
    "sp3f_ablations/translate_test": [0.0, 1.0],
    **dict.fromkeys(("r3", "r3_4k", "r3_dpo", "r3_miniature", "r3_published", "mr3", "mr3_dpo", "mr3_judge_texts")),
    **dict.fromkeys(f"r3_ablations/{name}" for name in R3_ABLATIONS),
    **dict.fromkeys(f"mr3_ablations/{name}" for name in MR3_ABLATIONS),
    "mr3_ablations/rlvr": [-1.0, 1.0],
    **{name: [0.0, 1.0] for name in ("mr3_judge", "mr3_published_judge", "r3_published_judge")},
    "r3_judge": [0.0, 1.0],
    "r3_miniature_policy": [0.0, 1.0],
}
"""of the totals; all others are sums of four rewards in [0, 1]"""

each = pytest.mark.parametrize("recipe", RECIPES, ids=lambda path: path.stem)


def test_all_are_found():
    assert [str(path.relative_to(FOLDER).with_suffix("")) for path in RECIPES] == [
        "amro",
        *(f"amro_ablations/{name}" for name in AMRO_ABLATIONS),
        "amro_critic",
        "amro_csft",
        "amro_miniature",
        "amro_synced",
        "evaluate_amro",
        "evaluate_amro_flores",
        "evaluate_amro_open",
        "evaluate_amro_safety",
        "evaluate_pb_rlsvr",
        "evaluate_sp3f",
        "if_rlvr",
        "mr3",
        *(f"mr3_ablations/{name}" for name in MR3_ABLATIONS),
        "mr3_dpo",
        "mr3_judge",
        "mr3_judge_texts",
        "mr3_published_judge",
        "pb_rlsvr",
        "pb_rlsvr_32b",
        *(f"pb_rlsvr_ablations/{name}" for name in ABLATIONS),
        "pb_rlsvr_baselines/ppo",
        "pb_rlsvr_baselines/sft",
        "pb_rlsvr_miniature",
        "quickstart",
        "quickstart_judge",
        "r3",
        "r3_4k",
        *(f"r3_ablations/{name}" for name in R3_ABLATIONS),
        "r3_dpo",
        "r3_judge",
        "r3_miniature",
        "r3_miniature_policy",
        "r3_published",
        "r3_published_judge",
        "sp3f",
        "sp3f_4_nodes",
        "sp3f_ablations/rlvr",
        "sp3f_ablations/sft",
        "sp3f_ablations/translate_test",
        "sp3f_no_privilege",
        "sp3f_published",
        "sp3f_single_language",
    ]


def test_opens_with_the_schema_the_command_what_it_needs_and_the_paper():
    """The schema describes whole recipes; one that extends another says which part of the same paper it is."""
    for recipe in RECIPES:
        lines, place = recipe.read_text(encoding="utf-8").splitlines(), recipe.relative_to(FOLDER)
        extends = any(line.startswith("extends: ") for line in lines)
        if not extends:
            schema = "../" * len(place.parts) + "schemas/recipe.schema.json"
            assert lines.pop(0) == f"# yaml-language-server: $schema={schema}", recipe
        command, *rest = lines
        words = rf"# ([A-Z_]+=\S+ )?rewardlab (run|eval|judge) recipes/{place}( --.*)?    # pip install .*\S"
        assert re.fullmatch(words, command), recipe
        head = " ".join(line.removeprefix("# ") for line in takewhile(lambda line: line.startswith("#"), rest))
        cited = r"\w" if extends else r'\(?([A-Z][a-z]+ et al\.|anonymous authors), "m?[A-Z]'
        assert re.search(cited, head), f"{recipe} cites no paper"


def test_each_judge_has_an_address_of_its_own():
    """But those of the miniatures, whose one server plays them all."""
    for recipe in RECIPES:
        addresses = re.findall(r"oc\.env:([A-Z_]+_URL)\b", recipe.read_text(encoding="utf-8"))
        assert "miniature" in recipe.stem or len(set(addresses)) == len(addresses), recipe


@each
def test_passes_check_as_it_is(recipe, main):
    goes_on = str(load(recipe).tree.get("model")).startswith("runs/")  # from a model that another recipe makes
    code, out, err = main("check", recipe, *(["model=some/model"] if goes_on else []), "--json")
    if recipe.stem.endswith(
        "_published_judge"
    ):  # with a copy it passes: plugins/rewards/rubric/tests/test_published_prompts.py
        problems = json.loads(out)["problems"]
        assert (code, {problem["what"].startswith("cannot read ") for problem in problems}) == (2, {True})
        return
    assert code == 0, out + err
    unbounded = [name for name, cost in json.loads(out).get("costs", {}).items() if cost["budget"] is None]
    assert unbounded == [], "a judge that is paid needs a `price` and a `budget`"
    assert json.loads(out)["total_range"] == RANGES.get(str(recipe.relative_to(FOLDER).with_suffix("")), [0.0, 4.0])


OTHERS = ["sp3f_4_nodes", "sp3f_no_privilege", "sp3f_single_language"]


@pytest.mark.parametrize("name", ["sp3f", *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_the_cost_is_told_before_it_is_paid(name, main, write):
    write("mine.jsonl", PROBLEMS * 12)
    mine = [
        f"stages.{stage}.dataset.from.{key}" for stage in (0, 1) for key in ("use=data/jsonl", "with.path=mine.jsonl")
    ]
    code, out, err = main("run", FOLDER / f"{name}.yaml", "--dry-run", *mine)
    assert code == 0, err
    languages = 1 if name == "sp3f_single_language" else 17  # into all of them, of which no more than `draw` are read
    questions = 36 * languages * 4
    assert f"asks teacher up to {2 * questions:,} questions (about " in out
    assert f"asks teacher up to {questions:,} questions (about " in out
    assert "preference asks main up to 56 questions a group, 1,792 a step" in out


def test_what_the_paper_says_is_what_sp3f_says():
    """Table 5 of the paper; the multilingual recipe."""
    from rewardlab.recipe.loading import load
    from rewardlab.recipe.models import Recipe

    recipe = Recipe.model_validate(load(FOLDER / "sp3f.yaml").tree)
    sft, rl = recipe.stages[2], recipe.stages[3]
    assert (sft.batch_size, sft.learning_rate, sft.steps) == (16, 1e-5, 1000)
    assert (rl.batch_size, rl.group_size, rl.learning_rate, rl.steps) == (32, 8, 5e-7, 500)
    assert (rl.clip, rl.temperature, rl.max_new_tokens, rl.kl.coef) == ([0.2, 0.28], 1.0, 2048, 0)
    assert rl.algorithm == "dr_grpo"


def test_what_verl_sets_by_itself_is_what_sp3f_says():
    from rewardlab.recipe.loading import load
    from rewardlab.recipe.models import Recipe

    recipe = Recipe.model_validate(load(FOLDER / "sp3f.yaml").tree)
    sft, rl = recipe.stages[2], recipe.stages[3]
    assert (sft.schedule, sft.warmup_steps, sft.weight_decay, sft.adam_beta2) == ("cosine", 100, 0.01, 0.95)
    assert (rl.schedule, rl.warmup_steps, rl.weight_decay, rl.adam_beta2) == ("constant", 0, 0.01, 0.999)


def test_sft_and_rl_draw_their_own_rows_of_the_same_problems():
    """Section on data: 6,944 problems in 18 languages are 125,000 rows, of which each stage reads 16,000."""
    from rewardlab.recipe.loading import load

    stages = load(FOLDER / "sp3f.yaml").tree["stages"]
    sft, rl = (stage["dataset"]["with"] for stage in stages[:2])
    assert {**sft, "kind": "rl"} == rl
    assert 124_900 < sft["problems"] * 18 < 125_000
    assert sft["draw"] * (1 - sft["test"]) > 16_000
    assert sft["languages_per_row"] == "all"
    assert sft["sampling"] == {"temperature": 1.0}


def recipe_of(name):
    from rewardlab.recipe.loading import load
    from rewardlab.recipe.models import Recipe

    return Recipe.model_validate(load(FOLDER / f"{name}.yaml").tree)


@pytest.mark.parametrize("name", ["pb_rlsvr", "pb_rlsvr_32b", *(f"pb_rlsvr_ablations/{name}" for name in ABLATIONS)])
def test_what_the_paper_says_is_what_pb_rlsvr_says(name):
    """Table 4 and section 3.3 of the paper, the same for every policy and reward."""
    recipe = recipe_of(name)
    rl, backend = recipe.stages[-1], recipe.backend
    assert (rl.algorithm, rl.group_size, rl.batch_size, rl.updates_per_batch) == ("dr_grpo", 8, 256, 8)
    assert (rl.learning_rate, rl.epochs, rl.steps) == (5e-7, 2, None)
    assert (rl.kl.coef, rl.kl.into, rl.kl.estimator) == (0.01, "reward", "k1")
    assert (rl.clip, rl.temperature, rl.max_new_tokens) == ([0.2, 0.2], 1.0, 8192)
    assert (backend.nodes, backend.gpus_per_node) == (4, 8)


PB_RLSVR = ["pb_rlsvr", "pb_rlsvr_32b", *(f"pb_rlsvr_ablations/{name}" for name in ABLATIONS), "pb_rlsvr_baselines/ppo"]


@each_case("name", PB_RLSVR)
def test_openrlhf_is_told_what_the_script_of_footnote_6_and_table_4_say(name, main):
    """What the script leaves out are OpenRLHF's defaults: its schedule, warm-up, betas and KL in the reward."""
    code, out, err = main("run", FOLDER / f"{name}.yaml", "--dry-run")
    assert code == 0, err
    told = dict(re.findall(r"^ +--(\S+) (.*?)(?: \\)?$", out, re.MULTILINE))
    wanted = {
        **{"algo.kl.init_coef": "0.01", "algo.kl.estimator": "k1"},
        **{"actor.lr_scheduler": "cosine_with_min_lr", "actor.lr_warmup_ratio": "0.03", "actor.min_lr_ratio": "0.1"},
        **{"actor.adam.betas": "0.9 0.95", "actor.adam.lr": "5e-07", "rollout.temperature": "1.0"},
        **{"train.batch_size": "256", "rollout.batch_size": "256", "rollout.n_samples_per_prompt": "8"},
        **{"rollout.max_new_tokens": "8192", "train.max_epochs": "1"},
    }
    assert {key: told.get(key) for key in wanted} == wanted
    assert "--algo.kl.use_loss" not in out
    if name.endswith("ppo"):
        gae = ("algo.advantage.lambd", "algo.advantage.gamma", "critic.adam.lr", "critic.adam.betas")
        assert [told[key] for key in gae] == ["1.0", "1.0", "9e-06", "0.9 0.95"]


def test_an_ablation_differs_in_what_scores_and_in_nothing_else():
    """Rows 1 to 5 of table 2: (the reward of the answer, the reward of the reasoning)."""
    metrics = {"comet": "comet/answer", "embed": "embed/cosine", "translated": "embed/translated_cosine"}
    whole = recipe_of("pb_rlsvr")
    for name in ABLATIONS:
        ablation = recipe_of(f"pb_rlsvr_ablations/{name}")
        assert (ablation.model, ablation.dataset, ablation.curriculum) == (whole.model, whole.dataset, whole.curriculum)
        assert ablation.backend == whole.backend
        assert ablation.stages == whole.stages
        assert ablation.judges == whole.judges
        parts = ablation.reward.components
        used = [(parts[part].use, parts[part].options.get("part", "answer")) for part in ("answer", "reasoning")]
        on_answer, on_reasoning = (metrics[metric] for metric in name.split("_"))
        assert used == [(on_answer, "answer"), (on_reasoning, "reasoning")]
        assert ablation.reward.total == "(answer + reasoning) * format * language"


def test_the_sft_baseline_begins_with_the_same_data():
    """Table 1, "+ SFT": "fine-tuned using translated English responses using the Tower v+ 9B model"."""
    whole, sft = recipe_of("pb_rlsvr"), recipe_of("pb_rlsvr_baselines/sft")
    assert (sft.model, sft.judges, sft.stages[0]) == (whole.model, whole.judges, whole.stages[0])
    assert [stage.use for stage in sft.stages] == ["data", "data", "sft"]
    step = sft.stages[1].dataset
    assert (step.use, step.options["translator"]) == ("language/translated_fields", "translator")
    assert sft.stages[2].chat.system == whole.stages[1].chat.system


def test_translate_test_differs_from_the_evaluation_in_who_reads_the_question():
    """Table 1, "Translate-Test"."""
    plain, translated = recipe_of("evaluate_sp3f"), recipe_of("sp3f_ablations/translate_test")
    assert (translated.judges, translated.reward) == (plain.judges, plain.reward)
    *steps, stage = translated.stages
    assert stage.model_dump(exclude={"sets"}) == plain.stages[0].model_dump(exclude={"sets"})
    read = {f"translate-test-{name}.jsonl": use for name, use in plain.stages[0].sets.items()}
    assert [step.to for step in steps] == [use.options["path"] for use in stage.sets.values()] == list(read)
    for step in steps:
        foreign = [language for language in read[step.to].options["languages"] if language != "en"]  # N/A in the tables
        assert step.dataset.source.options | {"native_instruction": True} == read[step.to].options | {
            "languages": foreign
        }
        assert ("choices" in step.dataset.options) == (
            read[step.to].options["benchmark"] in ("belebele", "global_mmlu_lite")
        )
        assert (step.dataset.options["to"], step.dataset.options["translator"]) == ("en", "policy")


def test_the_ppo_baseline_differs_in_the_reward_and_the_algorithm():
    """Table 1, "+ PPO": "a pre-trained multilingual reward model" and "only the prompts"; table 4 for all else."""
    whole, ppo = recipe_of("pb_rlsvr"), recipe_of("pb_rlsvr_baselines/ppo")
    assert (ppo.model, ppo.dataset, ppo.curriculum) == (whole.model, whole.dataset, whole.curriculum)
    assert ppo.stages[0] == whole.stages[0]
    assert {name: judge for name, judge in ppo.judges.items() if name != "reward_model"} == whole.judges
    own = {"algorithm", "critic"}
    told = [stage.model_dump(exclude=own) for stage in (whole.stages[1], ppo.stages[1])]
    assert told[0] == told[1]
    assert ppo.stages[1].algorithm == "ppo"
    assert [part.use for part in ppo.reward.components.values()] == ["openai/reward_model"]
    assert ppo.reward.total == "liked"


def test_the_papers_own_total_is_an_override_away(main):
    code, out, err = main("check", FOLDER / "pb_rlsvr.yaml", "reward.total=(answer + embed + translated) * format")
    assert code == 0, err
    assert "is in [0, 3]" in out


@pytest.mark.parametrize(
    ("removed", "told"),
    [
        ("reward.components.preference", "reward.total: no component 'preference'"),
        ("judges.main", "reward.components.preference.with.judge: no judge 'main'"),
    ],
)
def test_what_refers_to_a_removed_part_is_told(main, removed, told):
    code, _, err = main("check", FOLDER / "sp3f.yaml", f"{removed}=null")
    assert code == 2
    assert f"{told}: override '{removed}=null' removed it; override this key, too" in err


def test_sp3f_without_its_judge_is_a_matter_of_the_command_line(main):
    without = ("reward.components.preference=null", "judges.main=null", "reward.total=accuracy + format + language")
    code, out, err = main("check", FOLDER / "sp3f.yaml", *without, "--json")
    assert code == 0, err
    assert json.loads(out)["total_range"] == [0.0, 3.0]


def test_the_page_of_sp3f_names_every_recipe_of_it():
    page = (FOLDER.parent / "docs" / "sp3f.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\(\.\./recipes/(\S+?\.yaml)\)", page))
    assert linked == {str(path.relative_to(FOLDER)) for path in RECIPES if "sp3f" in str(path.relative_to(FOLDER))}


def test_rlvr_is_sp3f_without_the_judge():
    """Table 1 of the paper: the rows "+ RLVR" and "SP3F-7B" differ in the judge's feedback."""
    from rewardlab.recipe.loading import load

    without = ("reward.components.preference=null", "judges.main=null", "reward.total=accuracy + format + language")
    whole = load(FOLDER / "sp3f.yaml", (*without, "name=sp3f-qwen2.5-7b-rlvr"))
    assert load(FOLDER / "sp3f_ablations/rlvr.yaml").tree == whole.tree


def test_sft_is_the_first_half_of_sp3f():
    from rewardlab.recipe.loading import load

    whole, sft = load(FOLDER / "sp3f.yaml").tree, load(FOLDER / "sp3f_ablations/sft.yaml").tree
    assert sft["stages"] == [whole["stages"][0], whole["stages"][2]]
    assert sft["judges"] == {"teacher": whole["judges"]["teacher"]}
    same = ("version", "seed", "model", "backend")
    assert {key: sft[key] for key in same} == {key: whole[key] for key in same}
    assert set(sft) == {*same, "name", "judges", "stages"}
