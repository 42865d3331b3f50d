"""The recipes of AMRO: the paper's numbers, and what a critic behind a server leaves a degenerate completion to win."""

import json
import re

import pytest
from helpers.each_case import each_case
from helpers.paths import RECIPES, ROOT, TESTS
from rewardlab.recipe.loading import load
from rewardlab.recipe.models import Recipe
from rewardlab_answers import sections

ROWS = TESTS / "data" / "probe" / "amro.jsonl"
"""four tasks in German, Spanish, Swahili and French, written for this"""
FORM = re.compile(r"\{.*\}", re.S)
LABELS = {"nli": "NLI", "summ": "Summ", "chat": "Chat", "tc": "TC"}


def test_has_the_papers_numbers():
    """Table 8, section 5.5 and appendix G."""
    recipe = Recipe.model_validate(load(RECIPES / "amro.yaml").tree)
    rl = recipe.stages[-1]
    assert (rl.max_prompt_tokens, rl.max_new_tokens, rl.batch_size, rl.updates_per_batch) == (8000, 8000, 64, 64 / 32)
    assert (rl.learning_rate, rl.weight_decay, rl.schedule, rl.warmup_steps, rl.steps) == (
        1e-6,
        0.01,
        "constant",
        0,
        500,
    )
    assert (rl.clip, rl.temperature, rl.kl.coef, rl.kl.into, rl.loss) == ([0.2, 0.2], 1.0, 0.001, "loss", "token_mean")
    assert recipe.backend.nodes * recipe.backend.gpus_per_node == 32
    deviation, length = recipe.reward.normalize
    assert deviation.options["subset"] == 64 < recipe.sampler.options["cap"]
    assert length.use == "normalize/length"


def test_the_loop_that_is_renewed_has_the_same_reward_and_stabilisers():
    amro, synced = (Recipe.model_validate(load(RECIPES / f"{name}.yaml").tree) for name in ("amro", "amro_synced"))
    assert synced.reward.total == amro.reward.total
    assert synced.sampler == amro.sampler
    assert [one.use for one in synced.reward.normalize] == [one.use for one in amro.reward.normalize]
    stages = synced.stages[1:]
    assert all(stage == stages[0] for stage in stages)
    assert sum(stage.steps for stage in stages) == amro.stages[-1].steps == 500
    assert synced.dataset == amro.dataset, "one dataset, in which a stage reads on where the last one stopped"
    assert (stages[0].loss, synced.reward.normalize[1].options["reference_length"]) == (
        "constant",
        stages[0].max_new_tokens,
    )
    assert synced.judges["itself"].options["weights"] == "start"


RL = ["amro", "amro_synced", *(f"amro_ablations/{path.stem}" for path in (RECIPES / "amro_ablations").iterdir())]


@pytest.mark.parametrize("name", RL)
def test_reinforcement_goes_on_from_the_supervised_model_and_never_from_the_base(name, main):
    """Sections 5.1 and 5.6.1: the model that amro_critic.yaml leaves in the folder that its first line names."""
    command = ("run", RECIPES / f"{name}.yaml", "backend={use: trl}", "--dry-run")
    head = (RECIPES / "amro_critic.yaml").read_text(encoding="utf-8")
    folder = re.search(r"--run-dir (\S+)", head)[1].replace("7b", "1.5b" if name == "amro_synced" else "7b")
    code, _, err = main(*command)
    assert (code, f"'{folder}/models/1-sft' is not a model folder" in err) == (2, True)
    code, out, _ = main(*command, "model=some/supervised-model")
    assert (code, "some/supervised-model" in out) == (0, True)


def test_the_critic_is_served_as_the_recipe_asks_for_it():
    """The line in the head starts what `judges.critic` asks: under its name, at its port, from the critic's folder."""
    served = re.search(r"vllm serve (\S+) (.*)", (RECIPES / "amro.yaml").read_text(encoding="utf-8"))
    critic = load(RECIPES / "amro.yaml").tree["judges"]["critic"]["with"]
    assert served[1] == load(RECIPES / "amro.yaml").tree["model"]
    assert f"--served-model-name {critic['model']} --port 8001" in served[2]
    assert ":8001/v1" in critic["base_url"]


TABLE_4 = {
    "MMLU-Pro": "5", "MMLU-Redux": "5", "BBH": "3", "ARC-C": "25", "TruthfulQA": "0", "WinoGrande": "5",
    "HellaSwag": "10", "Translated MMLU": "5", "IndoMMLU": "3", "XCOPA": "5", "XWinograd": "5", "MGSM": "8",
    "Flores-101": "5",
}  # fmt: skip
"""the open benchmarks, with the number of examples that the paper prints"""


def test_each_open_benchmark_of_table_4_has_a_command_with_its_number_of_examples():
    page = (ROOT / "docs" / "amro.md").read_text(encoding="utf-8")
    part = page.partition("## The open benchmarks of table 4")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| ([\w -]+), (.*) \|$", part, re.MULTILINE))
    assert rows.keys() == TABLE_4.keys()
    for name, shots in TABLE_4.items():
        told, command, _ = rows[name].split("|", 2) if name != "MMLU-Pro" else ("5-shot", part, "")
        assert told.strip().startswith(f"{shots}-shot")
        if recipe := re.search(r"rewardlab eval recipes/(\w+)\.yaml", command if name != "MMLU-Pro" else ""):
            (use,) = load(RECIPES / f"{recipe[1]}.yaml").tree["stages"][0]["sets"].values()
            assert str(use["with"]["shots"]) == shots
        else:
            assert f"--num_fewshot {shots}" in command


def test_a_dry_run_of_the_critics_data_asks_once_a_row(main):
    """Critiques of traces, answers and both come out 240:300:150, each of a row of its own."""
    code, out, err = main("run", RECIPES / "amro_critic.yaml", "--dry-run", "backend={use: trl}")
    assert code == 0, err
    assert "asks teacher up to 1 question a row" in out
    kinds = [load(RECIPES / f"amro_{name}.yaml").tree["stages"][0]["dataset"] for name in ("critic", "csft")]
    for dataset in kinds:
        assert dataset["from"]["critiques"]["with"]["kinds"] == {"reasoning": 240, "answer": 300, "joint": 150}


ABLATIONS = {
    "scalar_judge": {"judges", "sampler", "reward"},
    "unstructured_judge": {"judges", "sampler", "reward"},
    "baseline": {"sampler", "reward.normalize", "algorithm", "loss"},
    "length": {"sampler", "reward.normalize"},
    "variance": {"reward.normalize", "algorithm", "loss"},
    "deviation": {"sampler", "reward.normalize", "loss", "group_size", "batch_size"},
}
"""what each ablation of tables 5 and 6 changes"""


@each_case("name", ABLATIONS)
def test_an_ablation_changes_what_its_table_names_and_nothing_else(name):
    def places(path):
        recipe = Recipe.model_validate(load(path).tree).model_dump(exclude={"name"})
        reward, rl = recipe.pop("reward"), recipe.pop("stages")[-1]
        return {**recipe, **{f"reward.{key}": value for key, value in reward.items()}, **rl}

    amro, ablation = places(RECIPES / "amro.yaml"), places(RECIPES / "amro_ablations" / f"{name}.yaml")
    changed = {place for place in amro if amro[place] != ablation[place]}
    shown = {"reward" if place.startswith("reward.") and "reward" in ABLATIONS[name] else place for place in changed}
    assert shown == ABLATIONS[name]


class Critic:
    """A critic that knows an honest completion of each question, and scores by how near a text is to its part of it."""

    def __init__(self, fence):
        from sacrebleu.metrics.chrf import CHRF

        self._fence, self._metric = fence, CHRF(word_order=2)
        self._honest = {row["prompt"]: row for row in map(json.loads, ROWS.read_text(encoding="utf-8").splitlines())}

    def __call__(self, request):
        asked = request["messages"][-1]["content"]
        shown = {found["label"]: found["text"] for found in self._fence.finditer(asked)}
        row = self._honest[shown.pop("QUESTION")]
        outside = self._fence.sub("", asked)
        form = json.loads(FORM.search(outside)[0])
        told = {}
        for part, text in shown.items():
            honest = (sections.reasoning if part == "REASONING" else sections.answer)(row["response"])
            near = self._metric.sentence_score(text, [honest.strip()]).score
            score = "1" if near > 90 else "0.5" if near > 50 else "0"
            entry = {"evidence": [text[:20]], "why": "It is as near as that.", "score": score}
            label = LABELS[row["id"].split("-")[0]]
            told[part.lower()] = {
                name: entry if isinstance(wanted, dict) else label for name, wanted in form[part.lower()].items()
            }
        return json.dumps(told, ensure_ascii=False)


@pytest.mark.nightly
def test_no_degenerate_completion_wins(judge_server, command, tmp_path, monkeypatch):
    server = judge_server.JudgeServer(answer=Critic(judge_server.FENCE))
    with judge_server.Serving(server):
        monkeypatch.setenv("CRITIC_URL", server.url)
        code, out, err = command(tmp_path, "probe", RECIPES / "amro.yaml", ROWS, "--json")
    assert out, err
    found = json.loads(out)
    tried = found["slices"]["all"]["completions"]
    assert (code, found["rows"], found["dropped"]) == (0, 4, 0), out
    assert not {name for name, one in tried.items() if one["wins"]}
    assert tried["english_reference"]["values"]["language"] == 0
    assert found["slices"]["all"]["honest"]["total"] == pytest.approx(1), "or there would be little to lose"


@pytest.mark.slow
def test_the_miniatures_critic_lets_only_another_answer_win(module_of, command, tmp_path):
    critic = module_of("tiny_models/critic.py")
    responses = {"kind": "responses", "languages": ["de", "es", "fr"], "rows": 60}
    responses |= dict.fromkeys(("english", "switched", "unboxed", "slipped"), 0)
    with module_of("tiny_models/rewardlab_commands.py").serving(critic.Server()) as url:
        itself = json.dumps({"use": "openai/chat", "with": {"model": "critic", "base_url": url}})
        dataset = json.dumps({"use": "data/arithmetic", "with": responses})
        recipe = RECIPES / "amro_miniature.yaml"
        told = command(
            tmp_path, "probe", recipe, f"judges.itself={itself}", f"dataset={dataset}", "--limit", 8, "--json"
        )
    code, out, err = told
    assert out, err
    tried = json.loads(out)["slices"]["all"]["completions"]
    assert (code, {name for name, one in tried.items() if one["wins"]}) == (0, {"other_answer"})
