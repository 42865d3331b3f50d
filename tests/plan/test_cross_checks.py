"""The policy as a judge, and curricula that collect: where a recipe may have them, and what it is told elsewhere."""

import pytest
from rewardlab.errors import UserError
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load
from rewardlab.scoring.scorer import Scorer
from rewardlab_training.check import check_recipe
from rewardlab_training.first_call import probe_judges

RECIPE = """\
version: 1
model: {use: tiny}
dataset: {use: toy/counting}
judges:
  policy: {use: policy/self, with: {max_tokens: 99}}
reward:
  components:
    polite: {use: toy/prefer, with: {judge: policy}}
  total: polite
stages:
  - {use: rl, algorithm: dr_grpo, steps: 1}
backend: {use: openrlhf, gpus_per_node: 1, engine: {context: 2048}}
"""
OPENRLHF = "openrlhf, gpus_per_node: 1, engine: {context: 2048}"

COLLECTING = """
from rewardlab import Config, CurriculumSpec, hookimpl

class Options(Config):
    cap: int = 16

class Collecting:
    def more(self, pool):
        return 0

    def select(self, pool, n):
        return list(range(n))

@hookimpl
def rewardlab_curricula():
    most = lambda options, size: options.cap
    build = lambda options, context: Collecting()
    return [CurriculumSpec(name="sampler", summary="made", config=Options, most=most, build=build)]
"""


def changed(old, new, text=RECIPE):
    assert text.count(old) == 1, old
    return text.replace(old, new)


@pytest.fixture
def found(toy, write):
    """The lines of a UserError for a recipe, without the file's name; none where it is right."""

    def lines(text, purpose="check"):
        path = write("r.yaml", text)
        try:
            (make_plan if purpose == "score" else check_recipe)(load(path), purpose=purpose)
        except UserError as error:
            return [str(problem).removeprefix(f"{path}:") for problem in error.problems]
        return []

    return lines


class TestThePolicyAsAJudge:
    @pytest.mark.parametrize("backend", [OPENRLHF, "trl"])
    @pytest.mark.parametrize("purpose", ["check", "run", "score"])
    def test_is_there_with_engines_that_can_ask_it(self, toy, write, purpose, backend):
        planned = make_plan(load(write("r.yaml", changed(OPENRLHF, backend))), purpose=purpose).judges["policy"]
        assert planned.use.use == "policy/self"
        assert planned.options.max_tokens == 99
        assert not planned.spec.local

    def test_has_options_that_are_checked(self, found):
        (line,) = found(changed("max_tokens: 99", "max_tokns: 99"))
        assert line.startswith("5: judges.policy.with.max_tokns: ")
        assert "max_tokens" in line

    @pytest.mark.parametrize("purpose", ["check", "run", "score"])
    def test_is_refused_with_an_engine_that_cannot(self, found, purpose):
        told = "policy/self is put in by a backend that can ask the policy, and toy cannot; "
        assert found(changed(OPENRLHF, "toy"), purpose) == [
            f"5: judges.policy.use: {told}use `backend: {{use: openrlhf}}`"
        ]

    def test_is_not_told_of_where_the_backend_is_wrong_itself(self, found):
        (line,) = found(changed("use: openrlhf", "use: openrlfh"))
        assert line.startswith("12: backend.use: ")

    def test_is_a_judge_and_nothing_else(self, found):
        (line,) = found(changed("toy/prefer", "policy/self"))
        assert line.startswith("8: reward.components.polite.use: policy/self is put in by a backend")
        assert line.endswith("as a judge; declare it under `judges`")

    def test_needs_a_training_job(self, found):
        lines = found(changed("stages:\n  - {use: rl, algorithm: dr_grpo, steps: 1}\n", ""), "score")
        assert lines == [
            "5: judges.policy.use: policy/self answers only inside of a training job with a backend that can ask the "
            "policy"
        ]

    def test_answers_no_data_step(self, found, offer):
        offer(
            "made",
            """
            from rewardlab import Config, DatasetSpec, hookimpl

            class Options(Config):
                teacher: str

            @hookimpl
            def rewardlab_datasets():
                build = lambda options, context: []
                return [DatasetSpec(name="step", summary="made", config=Options, judges=["teacher"],
                                    provides=(), step=True, build=build)]
            """,
        )
        step = "{use: made/step, with: {teacher: policy}, from: {use: toy/counting}}"
        stage = f"stages:\n  - {{use: data, to: out.jsonl, dataset: {step}}}\n"
        (line,) = found(changed("stages:\n", stage))
        assert line.startswith("11: stages.0.dataset.with.teacher: policy/self answers only inside of a training job")

    @pytest.mark.parametrize(
        ("setting", "path", "told"),
        [
            ("cassette: {path: c.jsonl}", "cassette", "changes with every step"),
            ("budget: {usd: 1}, price: {prompt: 1, completion: 1}", "budget.usd", "costs no money"),
            ("budget: {usd: 1}", "budget.usd", "costs no money"),
        ],
    )
    def test_is_neither_kept_nor_paid(self, found, setting, path, told):
        (line,) = found(changed("policy/self,", f"policy/self, {setting},"))
        assert line.startswith(f"5: judges.policy.{path}: policy/self {told}")

    def test_may_be_limited_in_tokens(self, found):
        assert found(changed("policy/self,", "policy/self, budget: {tokens: 1000},")) == []

    def test_is_refused_by_a_scorer_that_has_no_policy_to_ask(self, toy, write):
        plan = make_plan(load(write("r.yaml", RECIPE)), purpose="score")
        told = r"r.yaml:5: judges.policy.use: policy/self answers only inside of a training job with a backend"
        with pytest.raises(UserError, match=told):
            Scorer(plan)
        Scorer(plan, judges={"policy": None}).close()

    def test_is_not_asked_before_a_run(self, toy, write):
        plan = check_recipe(load(write("r.yaml", RECIPE)), purpose="run")
        said = []
        probe_judges(plan, said.append)
        assert said == []

    @pytest.mark.parametrize("command", [("score", "-o", "out.jsonl"), ("judge",)])
    def test_is_refused_by_the_commands_that_only_score(self, main, write, tmp_path, command):
        write("r.yaml", RECIPE)
        row = {"prompt": "?", "completions": ["a", "b"]} if command[0] == "score" else PAIR
        write("rows.jsonl", [row])
        name, *options = command
        code, _, err = main(name, "r.yaml", "rows.jsonl", *options)
        assert code == 2
        told = "policy/self answers only inside of a training job with a backend that can ask the policy"
        assert err == f"error: r.yaml:5: judges.policy.use: {told}\n"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["r.yaml", "rows.jsonl"]


PAIR = {"prompt": "?", "chosen": "please", "rejected": "no"}


def test_a_design_that_groups_are_too_small_for_is_refused(found):
    swiss = "pairwise/win_rate, with: {judge: policy, design: swiss, rounds: 4}"
    text = changed(
        "toy/prefer, with: {judge: policy}", swiss, changed("policy/self, with: {max_tokens: 99}", "toy/polite")
    )
    assert found(changed("steps: 1", "steps: 1, group_size: 6", text)) == []
    assert found(changed("steps: 1", "steps: 1, group_size: 4", text)) == [
        "8: reward.components.polite.with: design swiss has at most 3 rounds in a group of 4, not 4; lower rounds, or "
        "leave it out (group_size of stages.0)"
    ]


class TestACurriculumThatCollects:
    recipe = changed("judges:", "curriculum: {use: mine/sampler}\njudges:")

    @pytest.fixture(autouse=True)
    def collecting(self, offer):
        offer("mine", COLLECTING)

    def test_goes_with_openrlhf(self, found):
        assert found(self.recipe) == []

    def test_goes_with_trl(self, found):
        text = changed(OPENRLHF, "trl", changed("policy/self, with: {max_tokens: 99}", "toy/polite", self.recipe))
        assert found(text) == []

    def test_collects_at_least_a_group(self, found):
        text = changed("mine/sampler", "mine/sampler, with: {cap: 7}", self.recipe)
        fits = changed("steps: 1", "steps: 1, group_size: 7", text)
        assert found(fits) == []
        assert found(changed("group_size: 7", "group_size: 8", fits)) == [
            "12: stages.0.group_size: 8 is more than mine/sampler collects (7); raise what it may collect"
        ]

    @pytest.mark.parametrize(("cap", "acts"), [(63, False), (64, False), (65, True)])
    def test_no_more_than_the_subset_of_a_normalizer_is_warned_of(self, toy, write, cap, acts):
        normalize = "  normalize: [normalize/center, {use: normalize/std, with: {subset: 64}}]\nstages:"
        text = changed(
            "mine/sampler", f"mine/sampler, with: {{cap: {cap}}}", changed("stages:", normalize, self.recipe)
        )
        path = write("r.yaml", text)
        never = (
            f"{path}:11: reward.normalize.1: the subset of 64 of normalize/std never acts in stages.0: mine/sampler "
            f"collects {cap} completions at most; let it collect more, or lower the subset"
        )
        assert [line for line in check_recipe(load(path)).warnings if "never acts" in line] == ([] if acts else [never])

    def test_is_not_told_of_a_group_size_that_is_wrong_itself(self, found):
        text = changed("mine/sampler", "mine/sampler, with: {cap: 1}", self.recipe)
        (line,) = found(changed("steps: 1", "steps: 1, group_size: many", text))
        assert "expected a whole number" in line


BEGINNING = """
from rewardlab import Ask, Config, RewardSpec, hookimpl

class Options(Config):
    judge: str
    begins: bool = True

def question(options):
    messages = ({"role": "user", "content": "?"}, {"role": "assistant", "content": "Also,"})
    return Ask(messages=messages, params={"continue_final_message": True} if options.begins else {})

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="begun", summary="made", config=Options, judges=["judge"], question=question,
                       build=lambda options, context: None)]
"""


class TestARewardThatBeginsItsJudgesReply:
    @pytest.fixture
    def told(self, offer, found):
        """told(judge, begins): what is said of a recipe whose reward begins the reply of this judge."""
        offer("made", BEGINNING)

        def lines(judge, begins="true"):
            text = changed("policy/self, with: {max_tokens: 99}", judge)
            return found(
                changed(
                    "toy/prefer, with: {judge: policy}", f"made/begun, with: {{judge: policy, begins: {begins}}}", text
                )
            )

        return lines

    def test_needs_one_that_goes_on(self, told):
        assert told("pairwise/overlap") == [
            "8: reward.components.polite.with: begins the reply of judges.policy, which pairwise/overlap does not "
            "continue under its options; for a server that does (vLLM, SGLang), openai/chat has `continues: true`"
        ]
        assert len(told("openai/chat, with: {model: m}")) == 1
        assert told("openai/chat, with: {model: m, continues: true}") == []

    def test_asks_nothing_of_a_judge_where_it_begins_nothing(self, told):
        assert told("pairwise/overlap", begins="false") == []


class TestAFactorOfTheLoss:
    length = "{use: normalize/length, with: {reference_length: 64}}"

    def normalized(self, *names, loss="token_mean"):
        text = changed("stages:", f"  normalize: [{', '.join(names)}]\nstages:")
        return changed("steps: 1", f"steps: 1, loss: {loss}", text)

    def test_goes_last_with_a_loss_of_one_divisor(self, found):
        assert found(self.normalized("normalize/std", self.length)) == []

    def test_is_refused_where_something_follows(self, found):
        (line,) = found(self.normalized(self.length, "normalize/std"))
        assert line.startswith("10: reward.normalize.0: normalize/length must be the last of `normalize`: its factor")

    def test_is_refused_with_a_loss_that_divides_by_each_length(self, found):
        (line,) = found(self.normalized(self.length, loss="seq_mean"))
        assert line.startswith(
            "12: stages.0.loss: seq_mean divides by each completion's own tokens, and normalize/length"
        )
        assert found(self.normalized("normalize/std", loss="seq_mean")) == []


class TestANormalizerOfComponents:
    normalized = staticmethod(lambda *names: changed("stages:", f"  normalize: [{', '.join(names)}]\nstages:"))

    def test_is_the_first(self, found):
        assert found(self.normalized("normalize/gdpo", "normalize/center")) == []
        (line,) = found(self.normalized("normalize/std", "normalize/gdpo"))
        assert line.startswith("10: reward.normalize.1: normalize/gdpo shapes the components, before there is a total")

    def test_needs_a_sum_of_components(self, found):
        def told(total):
            return found(changed("total: polite", f"total: {total}", self.normalized("normalize/gdpo")))

        assert told("2 * (polite - 1) / 3 + progress * polite") == []
        (line,) = told("polite * polite + min(polite, 0.5)")
        assert line.startswith("9: reward.total: normalize/gdpo shapes each component by itself, so this must be a sum")
        assert "and polite, min(polite, 0.5) is not" in line

    def test_has_the_bounds_that_the_components_give_it(self, toy, write):
        text = changed("total: polite", "total: progress * polite - 3", self.normalized("normalize/gdpo"))
        plan = make_plan(load(write("r.yaml", text), strict=False))
        assert plan.shaped_range(8) == pytest.approx((-1e4, 1e4)), "one over eps, without what is the same for all"


class TestACritic:
    def test_leaves_no_completion_out(self, found):
        """Its advantages come from every reward, so a completion without one would be trained on."""
        of_ppo = changed("dr_grpo", "ppo", changed("{judge: policy}}", "{judge: policy}, on_missing: zero_advantage}"))
        (line,) = found(of_ppo)
        assert line.startswith(
            "8: reward.components.polite.on_missing: zero_advantage does not work with ppo (stages.0)"
        )
        assert "use fail, group_mean or a number, or dr_grpo" in line
        assert found(of_ppo.replace("zero_advantage", "group_mean")) == []
        assert found(of_ppo.replace("ppo", "reinforce_baseline")) == []
        assert found(of_ppo.replace("total: polite", "total: '1'")) == []
