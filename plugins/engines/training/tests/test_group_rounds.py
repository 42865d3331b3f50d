"""Groups collected in rounds are those that an engine gets which asks each pool by itself."""

import asyncio
import hashlib

import pytest
from rewardlab import Completion, Group, Sample
from rewardlab.errors import JobError
from rewardlab.plan.planner import make_plan
from rewardlab.recipe.loading import load
from rewardlab.scoring import Scorer
from rewardlab_training.step_reward import collect_groups

SIZE, CAP, ROUND, PROMPTS = 4, 16, 4, 12
LETTERS = """
from rewardlab import Config, RewardSpec, Score, hookimpl

class Options(Config):
    letter: str

def build(options, context):
    class Has:
        def score(self, items):
            if any("broken" in completion.text for _, completion in items):
                raise ValueError("cannot read it")
            return [Score(value=float(options.letter in completion.text)) for _, completion in items]
    return Has()

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="has", summary="made", runs="inline", config=Options, build=build)]
"""
RECIPE = f"""
version: 1
sampler: {{use: curriculum/balanced, with: {{reasoning: thinking, answer: right, round: {ROUND}, cap: {CAP}}}}}
reward:
  components:
    thinking: {{use: letters/has, with: {{letter: t}}}}
    right: {{use: letters/has, with: {{letter: r}}}}
  total: thinking + 2 * right
  normalize: [normalize/std]
"""


@pytest.fixture
def scorer(offer, write):
    offer("letters", LETTERS)
    with Scorer(make_plan(load(write("r.yaml", RECIPE)), purpose="score")) as scorer:
        yield scorer


def completion(prompt, index):
    """What a policy says at its `index`th try; some prompts are easy, some hopeless."""
    digit = hashlib.sha256(f"{prompt}:{index}".encode()).digest()[0] % 8
    marks = ["", "t", "r", "tr"][min(3, digit)] if prompt % 3 else "t"
    return Completion(text=f"{marks} {index}", token_count=3)


def first(prompts=PROMPTS):
    return [
        Group(sample=Sample(id=f"p{n}", prompt="?"), completions=[completion(n, index) for index in range(SIZE)])
        for n in range(prompts)
    ]


async def alone(scorer, number, group):
    """One prompt as OpenRLHF's rollout has it: its own pool, asked until it wants no more."""
    pool, size = scorer.collect(group.sample, SIZE, sampled=True), SIZE
    for index, one in enumerate(group.completions):
        pool.put(index, one)
    while wanted := await pool.more():
        for _ in range(wanted):
            pool.put(size, completion(number, size))
            size += 1
    return await pool.scored()


def test_the_groups_are_those_of_pools_that_are_asked_one_by_one(scorer):
    sizes, rounds = [SIZE] * PROMPTS, []

    def generate(places):
        rounds.append(len(places))
        made = []
        for place in places:
            made.append(completion(place, sizes[place]))
            sizes[place] += 1
        return made

    together = collect_groups(scorer, first(), generate)
    one_by_one = [asyncio.run(alone(scorer, number, group)) for number, group in enumerate(first())]
    assert together == one_by_one
    assert min(sizes) == SIZE
    assert sizes[0] == max(sizes) == CAP, "a prompt that nobody solves is sampled to the cap"
    assert len(set(sizes)) > 2, "prompts stop at different rounds"
    assert rounds == sorted(rounds, reverse=True)
    assert len(rounds) == (CAP - SIZE) // ROUND


def test_a_round_with_too_few_completions_is_a_fault_and_a_broken_reward_ends_the_job(scorer):
    with pytest.raises(ValueError, match="shorter"):
        collect_groups(scorer, first(), lambda places: [completion(places[0], SIZE)])
    with pytest.raises(JobError, match="cannot read it"):
        collect_groups(scorer, first(), lambda places: [Completion(text="broken", token_count=1)] * len(places))
