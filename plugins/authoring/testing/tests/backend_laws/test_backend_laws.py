"""check_backend: the toy engine keeps every law, and engines with one fault each break the law that is about it."""

import json

import pytest
from rewardlab.errors import UserError
from rewardlab.testing import LawsBroken, check_backend
from rewardlab_testing.backend_laws.check import LAWS
from rewardlab_testing.outcomes.law_words import BACKEND
from rewardlab_testing.outcomes.outcome import CHECKED

RECIPE = """
version: 1
model: {use: tiny}
dataset: {use: toy/counting, with: {rows: 32}, holdout: 0.2}
curriculum: {use: toy/reversed}
judges: {j: {use: toy/polite}}
reward:
  components:
    letters: {use: toy/letters}
    prefer: {use: toy/prefer, with: {judge: j}}
  total: letters + prefer
stages:
  - use: rl
    algorithm: grpo
    group_size: 4
    batch_size: 2
    steps: 4
    learning_rate: 1.0e-3
    eval: {samples: 2}
  - {use: eval, samples: 2, benchmark: end}
backend: {use: toy}
"""
ENGINE = """
import os, shutil, threading
from pathlib import Path
from rewardlab import BackendSpec, Config, hookimpl
from rewardlab.errors import JobError, UserError
from toy_rewards.engine.options import Options


def build(options):
    from rewardlab_training.policy_stage import run_policy_stage
    from toy_rewards.engine.backend import ToyBackend

    class Job(ToyBackend):
        load_policy = None  # a stage is a job, in which a fault may be made

        def run_stage(self, job):
            run_policy_stage(job, ToyBackend(options).load_policy, transformers_models=False)

    class Faulty(Job):
{fault}

    return Faulty(options)


{options}


@hookimpl
def rewardlab_backends():
    return [
        BackendSpec(name="faulty", summary="has a fault", config=Options, build=build, packages=["engine-of-toys"])
    ]
"""
FAULTS = {
    "it writes while it describes": (
        "free",
        """
        def describe_stage(self, plan, index):
            Path("plan.txt").write_text("a plan")
            return super().describe_stage(plan, index)
        """,
        "rewardlab run recipe.yaml --dry-run\n    got: it writes plan.txt",
    ),
    "it imports its engine to check": (
        "free",
        """
        def findings(self, plan):
            import engine_of_toys
            return super().findings(plan)
        """,
        "rewardlab check recipe.yaml\n    got: it imports engine_of_toys",
    ),
    "it writes the ledger twice": (
        "whole",
        """
        def run_stage(self, *arguments):
            from rewardlab_training import Ledger
            write = Ledger.write
            Ledger.write = lambda *given, **named: [write(*given, **named) for _ in "12"]
            super().run_stage(*arguments)
        """,
        "asked: the ledger, stage 0, step 1\n    got: 4 groups\n    expected: 2, the stage's batch_size",
    ),
    "it loses a completion": (
        "whole",
        """
        def run_stage(self, job):
            super().run_stage(job)
            if job.stage.use != "eval":
                return
            ledger = job.run.path / "ledger.jsonl"
            lines = ledger.read_text().splitlines(keepends=True)
            ledger.write_text("".join(lines[:-1]))
        """,
        "\n    got: completions [0]\n    expected: each of 2 completions once",
    ),
    "it tells the rewards another text than the ledger": (
        "scores",
        """
        def run_stage(self, *arguments):
            from dataclasses import replace
            from rewardlab.scoring import Scorer
            score = Scorer.score_groups

            def louder(group):
                return replace(group, completions=[replace(c, text=f"{c.text}!") for c in group.completions])

            def of_others(self, groups, **named):
                scored = score(self, [louder(group) for group in groups], **named)
                return [replace(s, completions=group.completions) for s, group in zip(scored, groups)]

            Scorer.score_groups = of_others
            super().run_stage(*arguments)
        """,
        "as the ledger says",
    ),
    "it trains on groups that do not teach": (
        "taught",
        """
        def run_stage(self, *arguments):
            from rewardlab.scoring import Teaching

            Teaching.why_left_out = lambda *_: None
            super().run_stage(*arguments)
        """,
        "nothing, or zeros",
    ),
    "it lets a completion without a value vote": (
        "masked",
        """
        def run_stage(self, *arguments):
            from dataclasses import replace
            from rewardlab_training import step_reward
            own = step_reward.batch_advantages

            def with_the_mean_of_the_others(algorithm, groups, *more):
                return own(algorithm, [replace(group, totals=group.shaped) for group in groups], *more)

            step_reward.batch_advantages = with_the_mean_of_the_others
            super().run_stage(*arguments)
        """,
        "of the totals [1.0, None, 0.0, 0.0]\n    got: [1.41",
    ),
    "it begins anew when it is resumed": (
        "resume",
        """
        def run_stage(self, job):
            shutil.rmtree(job.run.path / "checkpoints", ignore_errors=True)
            super().run_stage(job)
        """,
        "got: it goes on with step 1\n    expected: step 2 or a later one",
    ),
    "it takes Ctrl-C for the end of its work": (
        "resume",
        """
        def run_stage(self, *arguments):
            try:
                super().run_stage(*arguments)
            except KeyboardInterrupt:
                pass
        """,
        "got: exit code 0",
    ),
    "it stops when there is nothing left to do": (
        "stop",
        """
        def run_stage(self, job):
            stop, job.run.stop = job.run.stop, threading.Event()
            super().run_stage(job)
            if stop.is_set():
                raise KeyboardInterrupt
        """,
        "got: every step was made before the run ended",
    ),
    "it hears Ctrl-C alone": (
        "stop",
        """
        def run_stage(self, job):
            job.run.stop = threading.Event()
            super().run_stage(job)
        """,
        "expected: a result that is `stopped`",
    ),
    "it samples by what process it is": (
        "same",
        """
        def run_stage(self, *arguments):
            from toy_rewards.engine.answer_weights import AnswerWeights
            sample = AnswerWeights.sample
            AnswerWeights.sample = lambda self, *given: sample(self, *given[:-1], f"{given[-1]}/{os.getpid()}")
            super().run_stage(*arguments)
        """,
        "as without an interruption",
    ),
    "it swallows a failure": (
        "failures",
        """
        def run_stage(self, job):
            try:
                super().run_stage(job)
            except JobError as error:
                job.say(f"warning: {error}")
        """,
        "with a reward that raises an exception\n    got: exit code 0",
    ),
    "it says a failure in words of its own": (
        "failures",
        """
        def run_stage(self, *arguments):
            try:
                super().run_stage(*arguments)
            except JobError as error:
                raise RuntimeError("the worker died") from error
        """,
        "RuntimeError: the worker died",
    ),
}


def one_a_law(faults):
    """The faults as parameters: of each law the first is tried by `slow`, and others, which seldom break, at night."""
    laws = set()
    for name, (law, *more) in faults.items():
        yield pytest.param(law, *more, id=name, marks=pytest.mark.nightly if law in laws else ())
        laws.add(law)


@pytest.fixture
def faulty(toy, offer):
    """An engine that is installed: the toy, with these methods instead of its own."""

    def install(fault, options=""):
        body = "\n".join(f"    {line}".rstrip() for line in fault.strip("\n").splitlines())
        folder = offer("faulty", ENGINE.format(fault=body, options=options))
        (folder / "engine_of_toys.py").write_text("")

    return install


def recipe_of(backend):
    return RECIPE.replace("backend: {use: toy}", f"backend: {{use: {backend}}}")


def received(directory):
    """What the toy policy climbs on, as its log says: (stage, step, sample id) -> advantages."""
    found = {}
    for path in sorted((directory / "logs").glob("*-rl.jsonl")):
        for row in map(json.loads, path.read_text().splitlines()):
            stage = int(path.name.partition("-")[0])
            found |= {(stage, row["step"], sample): values for sample, values in row["advantages"].items()}
    return found


def tried(*given, **more):
    """The result of a check in which laws are off or untried on purpose, which is not news of this session."""
    [result] = check_backend(*given, **more)
    CHECKED.clear()
    return result


def test_each_law_has_words_and_a_function():
    assert [*LAWS] == [*BACKEND]


@pytest.mark.nightly
def test_the_toy_engine_keeps_every_law(toy, tmp_path):
    """With save_every, from a file, and with an override."""
    path = tmp_path / "toy.yaml"
    path.write_text(RECIPE, encoding="utf-8")
    [result] = check_backend(path, ["stages.0.save_every=2"], received=received)
    assert (result.use, result.kind, result.title) == ("toy", "backend", "toy (toy.yaml)")
    assert [outcome.law for outcome in result.of("held")] == [*BACKEND]


@pytest.mark.slow
@pytest.mark.parametrize(("law", "fault", "said"), [*one_a_law(FAULTS)])
def test_a_faulty_engine_breaks_the_law_that_is_about_it(faulty, law, fault, said):
    faulty(fault)
    with pytest.raises(LawsBroken) as broken:
        check_backend(recipe_of("faulty"), only=[law], limit=60, received=received)
    assert f"faulty breaks `{law}`: {BACKEND[law]}\n    asked: " in str(broken.value)
    assert said in str(broken.value)


@pytest.mark.slow
def test_an_engine_that_takes_any_option_breaks_mistakes(faulty):
    faulty("        pass", options="class Options(Options):\n    model_config = {'extra': 'allow'}")
    with pytest.raises(LawsBroken, match=r"(?s)breaks `mistakes`.*expected: exit code 2 .*did you mean 'step_size'"):
        check_backend(recipe_of("faulty"), only=["mistakes"])


@pytest.mark.slow
def test_an_engine_that_hangs_is_killed(faulty):
    faulty(
        """
        def run_stage(self, *arguments):
            threading.Event().wait()
        """
    )
    with pytest.raises(LawsBroken, match="got: not done within 3 s; exit code -9"):
        check_backend(recipe_of("faulty"), only=["whole"], limit=3)


@pytest.mark.slow
def test_what_this_machine_cannot_start_is_told_as_untried(faulty):
    faulty(
        """
        def ready(self, plan, only):
            raise UserError("this machine has no abacus")
        """
    )
    laws = ["whole", "scores", "resume", "stop", "failures"]
    result = tried(recipe_of("faulty"), only=laws)
    why = "this machine cannot start the run: this machine has no abacus"
    assert [(outcome.law, outcome.why) for outcome in result.of("untried")] == [(law, why) for law in laws]


@pytest.mark.slow
@pytest.mark.parametrize(
    "normalize",
    ["normalize/center", *(pytest.param(f"normalize/{name}", marks=pytest.mark.nightly) for name in ("std", "length"))],
)
def test_a_completion_without_a_value_has_no_vote_in_a_normalizer(toy, normalize):
    shaping = f"{{use: {normalize}, with: {{reference_length: 8}}}}" if "length" in normalize else normalize
    more = ["stages.0.algorithm=dr_grpo", f"reward.normalize=[{shaping}]"]
    [result] = check_backend(RECIPE, more, only=["masked"], received=received)
    assert [outcome.law for outcome in result.of("held")] == ["masked"]


class TestWithoutARun:
    def test_an_engine_that_does_not_tell_what_its_trainer_received(self, toy):
        [outcome] = tried(RECIPE, only=["masked"]).of("untried")
        assert outcome.why == "needs `received`, a function that returns what the engine's trainer received"

    def test_a_recipe_that_leaves_nothing_to_interrupt(self, toy):
        result = tried(RECIPE, ["stages.0.steps=2"], only=["resume", "failures"])
        assert [outcome.why for outcome in result.of("untried")] == ["needs 3 steps or more of stage 0; it has 2"] * 2

    def test_a_law_that_is_off_is_told_with_its_reason(self, toy):
        result = tried(RECIPE, only=["same"], off={"same": "samples by the clock"})
        assert [(outcome.law, outcome.why) for outcome in result.of("off")] == [("same", "samples by the clock")]

    def test_what_is_no_law(self, toy):
        with pytest.raises(ValueError, match="no law 'sane' of a backend; did you mean 'same'"):
            check_backend(RECIPE, off={"sane": "as it should be"})
        with pytest.raises(ValueError, match="needs the reason"):
            check_backend(RECIPE, off={"same": " "})
        with pytest.raises(ValueError, match="no law 'all' of a backend"):
            check_backend(RECIPE, only=["all"])

    def test_a_recipe_with_mistakes_is_an_error_of_the_test(self, toy):
        with pytest.raises(UserError, match="no such option; did you mean 'step_size'"):
            check_backend(RECIPE, ["backend.stepsize=1"])
        with pytest.raises(UserError, match="stages"):
            check_backend(RECIPE, ["stages=[]"])
