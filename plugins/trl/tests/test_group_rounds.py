"""Group samplers on TRL: rounds until the sampler has enough, what is trained on, and what becomes of the rest."""

import json

import pytest
from rewardlab import Completion, Sample
from rewardlab.plan import make_plan
from rewardlab.recipe.loading import load
from rewardlab.training import Scorer, together

PLUGIN = """
from rewardlab import Config, RewardSpec, Score, hookimpl

class Options(Config):
    letter: str

def build(options, context):
    class Made:
        def score(self, items):
            return [Score(value=float(options.letter in c.text)) for _, c in items]

    return Made()

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="has", summary="made", runs="inline", config=Options, build=build)]
"""
RECIPE = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
curriculum: {use: curriculum/balanced, with: {reasoning: thinking, answer: right, round: 4, cap: 12}}
reward:
  components:
    thinking: {use: letters/has, with: {letter: e}}
    right: {use: letters/has, with: {letter: "1"}}
  total: thinking + 2 * right
  normalize: [{use: normalize/std, with: {subset: 8}}, {use: normalize/length, with: {reference: 8}}]
stages:
  - {use: rl, dataset: {use: toy/counting, with: {rows: 16}}, algorithm: dr_grpo, loss: constant, group_size: 4,
     batch_size: 2, steps: 3, max_new_tokens: 8, learning_rate: 1.0e-3, save_every: 1}
"""
SAMPLES = [Sample(id=name, prompt=({"role": "user", "content": name},)) for name in ("one", "two")]
TEXTS = {
    "one": ["e", "e", "- ", "e", "e1", "-1", "e", "e", "never asked for"],
    "two": ["e1", "-", "e1", "-", "never asked for"],
}


@pytest.fixture
def recipe(offer, write, toy):
    offer("letters", PLUGIN)
    return write("r.yaml", RECIPE)


@pytest.fixture
def scorer(recipe):
    with Scorer(make_plan(load(recipe), purpose="score")) as scorer:
        yield scorer


class Reader:
    """Reads completions whose ids are the place of a text."""

    def __init__(self, texts):
        self._texts = texts

    def read(self, prompts, completion_ids):
        return [
            Completion(text=self._texts[prompt][ids[0]], token_count=ids[0] + 1)
            for prompt, ids in zip(prompts, completion_ids, strict=True)
        ]


class Engine:
    """`GRPOTrainer._generate`, which gives each prompt its next text."""

    def __init__(self):
        self.rounds, self._given = [], {}

    def __call__(self, prompts):
        self.rounds.append(list(prompts))
        ids = []
        for prompt in prompts:
            ids.append([self._given.setdefault(prompt, 0)])
            self._given[prompt] += 1
        named = [f"{prompt} {one[0]}" for prompt, one in zip(prompts, ids, strict=True)]
        return [[7]] * len(prompts), ids, None, named, None, {}, None, []


def collect(scorer, texts=TEXTS):
    from rewardlab_trl.group_rounds import GroupRounds

    rounds, engine = GroupRounds(4, SAMPLES, scorer, Reader(texts)), Engine()
    prompts = [name for name in ("one", "two") for _ in range(4)]
    return rounds, engine, lambda: rounds.collect(engine, prompts, [0] * 4 + [1] * 4)


@pytest.mark.slow  # imports transformers
class TestRounds:
    def test_go_on_for_those_that_want_more_and_give_back_what_was_chosen(self, scorer):
        rounds, engine, run = collect(scorer)
        ids = run()[1]
        assert engine.rounds[0] == ["one"] * 4 + ["two"] * 4
        assert engine.rounds[1:] == [["one"] * 4]
        one, two = rounds.taken()
        assert [kept for (kept,) in ids] == [*one.kept, *two.kept]
        assert {4, 2} <= set(one.kept)
        assert [row.text for row in one.group.completions] == [TEXTS["one"][index] for index in one.kept]
        assert len(one.discarded.completions) == 4
        assert two.discarded is None
        assert rounds.taken() == []

    def test_choose_and_shape_as_the_pool_does_that_openrlhf_fills(self, scorer):
        rounds, _, run = collect(scorer)
        run()
        (one, two) = rounds.taken()

        async def fill(name):
            pool, there = scorer.collect(SAMPLES[("one", "two").index(name)], 4), 0
            more = 4
            while more:
                for index in range(there, there + more):
                    pool.put(index, Completion(text=TEXTS[name][index], token_count=index + 1))
                there, more = there + more, await pool.more()
            return await pool.scored()

        for ours, theirs in zip((one, two), scorer.run(together([fill("one"), fill("two")])), strict=True):
            assert (ours.kept, ours.group.totals, ours.group.shaped) == (
                theirs.kept,
                theirs.group.totals,
                theirs.group.shaped,
            )

    def test_an_engine_that_fails_in_a_later_round_leaves_nothing_behind(self, scorer):
        texts = {**TEXTS, "one": TEXTS["one"][:4]}
        rounds, _, run = collect(scorer, texts)
        with pytest.raises(IndexError):
            run()
        assert rounds.taken() == []
        assert collect(scorer)[2]()[1]  # the scorer still scores


@pytest.mark.slow
def test_a_run_trains_on_the_chosen_and_writes_the_others_down(recipe, tmp_path, monkeypatch, capsys):
    from rewardlab.cli import main

    monkeypatch.chdir(tmp_path)
    assert main(["run", str(recipe), "--run-dir", "run"]) == 0, capsys.readouterr().err
    rows = [json.loads(line) for line in (tmp_path / "run" / "ledger.jsonl").read_text().splitlines()]
    for step in (1, 2, 3):
        of_step = [row for row in rows if row["step"] == step]
        trained = [row for row in of_step if row["trained"] == "yes"]
        assert len(trained) == 2 * 4
        assert all(row["shaped"] is not None for row in trained)
    spare = [row for row in rows if row["trained"] == "no"]
    assert spare
    assert all(row["total"] is None for row in spare)
    assert len(rows) <= 3 * 2 * 12


@pytest.mark.slow
def test_a_group_that_is_flat_at_the_cap_may_be_left_out_of_the_loss(recipe, tmp_path, monkeypatch, capsys):
    from rewardlab.cli import main
    from rewardlab_trl import rl

    masks = []
    original = rl._Trainer._generate_and_score_completions

    def recorded(self, inputs):
        output = original(self, inputs)
        tokens = output["completion_mask"].sum(dim=1).tolist()
        masks.append((list(self.reward.dropped), tokens, int(output["num_items_in_batch"])))
        return output

    monkeypatch.setattr(rl._Trainer, "_generate_and_score_completions", recorded)
    monkeypatch.chdir(tmp_path)
    hard = ("reward.components.right.with.letter=QU", "stages.0.steps=6", "stages.0.loss=token_mean")
    assert main(["run", str(recipe), "--run-dir", "run", "stages.0.on_flat=drop", *hard]) == 0, capsys.readouterr().err
    rows = [json.loads(line) for line in (tmp_path / "run" / "ledger.jsonl").read_text().splitlines()]
    for step, (dropped, tokens, counted) in enumerate(masks, 1):
        assert [count == 0 for count in tokens] == dropped
        assert counted == sum(tokens)
        trained = [row for row in rows if row["step"] == step and row["trained"] == "yes"]
        assert len(trained) == dropped.count(False)
        flat = [row for row in rows if row["step"] == step and row["trained"] == "no" and row["total"] is not None]
        assert len({row["total"] for row in flat}) <= 2
        assert len(flat) == dropped.count(True)
    every = [one for dropped, _, _ in masks for one in dropped]
    assert True in every
    assert False in every
