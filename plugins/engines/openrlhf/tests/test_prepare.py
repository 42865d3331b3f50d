"""What OpenRLHF is given to read: tickets in place of prompts, texts whose tokens are the recipe's, in its order."""

import json
from textwrap import dedent

import pytest
from rewardlab import Sample
from rewardlab.errors import UserError
from rewardlab_openrlhf.job.prepare import prepare
from rewardlab_ray.rendered_rows import Row, read_rows, write_rows
from rewardlab_ray.stage_prompts import StageTokenizer
from rewardlab_ray.stage_task import StageTask

pytestmark = pytest.mark.slow  # imports transformers

RL = """
  - {use: rl, algorithm: dr_grpo, group_size: 2, batch_size: 2, steps: 3, max_new_tokens: 8%s}
"""
SFT = """
  - {use: sft, batch_size: 2, steps: 3%s}
"""

FILE_ORDER = "curriculum: {use: curriculum/file_order}"


def samples(count, **fields):
    return [
        Sample(
            id=str(i),
            prompt=({"role": "user", "content": f"How much is {i} + {i}?"},),
            fields={"answer": str(2 * i), "language": "en", **fields},
        )
        for i in range(count)
    ]


@pytest.fixture
def task(tmp_path, model_folder):
    """A stage of a run as the driver finds it."""

    def made(stage, rows, evaluated=(), kind="qwen2", extra="", seed=0):
        (tmp_path / "recipe.resolved.yaml").write_text(
            dedent(
                f"""
                version: 1
                model: {model_folder(kind)}
                dataset: {{use: data/jsonl, with: {{path: unread.jsonl}}}}
                seed: {seed}
                {extra}
                reward: {{components: {{brief: {{use: math/accuracy}}}}, total: brief}}
                backend: {{use: openrlhf, gpus_per_node: 2}}
                stages:
                """
            )
            + stage
        )
        said = []
        task = StageTask(run=tmp_path, index=0, attempt=0, home=tmp_path, say=said.append)
        task.folder.mkdir(parents=True)
        write_rows(task.folder / "source.jsonl", [Row(sample=s, prompt="") for s in rows])
        if evaluated:
            write_rows(task.folder / "evaluation_source.jsonl", [Row(sample=s, prompt="") for s in evaluated])
        return task, said

    return made


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


class TestReinforcement:
    def test_a_ticket_for_every_prompt_of_every_step(self, task):
        made, _ = task(RL % "", samples(4))
        files = prepare(made, StageTokenizer(made))
        tickets = lines(files.training_rows)
        assert (files.steps, files.rows, len(tickets)) == (3, 6, 6)
        assert [json.loads(row["label"]) for row in tickets] == [{"ticket": n} for n in range(6)]

    def test_the_order_is_the_recipes_pass_after_pass(self, task):
        made, _ = task(RL % "", samples(4), extra=FILE_ORDER)
        prepare(made, StageTokenizer(made))
        assert json.loads((made.folder / "order.json").read_text()) == [0, 1, 2, 3, 0, 1]

    def test_a_curriculum_decides_it(self, task):
        made, _ = task(RL % "", samples(4), extra="curriculum: {use: curriculum/shuffle}")
        prepare(made, StageTokenizer(made))
        order = json.loads((made.folder / "order.json").read_text())
        assert sorted(order[:4]) == [0, 1, 2, 3]
        assert order[:4] != [0, 1, 2, 3]

    def test_prompts_are_rendered_by_the_chat_template_with_what_it_opened(self, task):
        made, _ = task(RL % "", samples(1))
        prepare(made, StageTokenizer(made))
        (row,) = read_rows(made.folder / "samples.jsonl")
        assert row.prompt.startswith("<|im_start|>user\nHow much is 0 + 0?<|im_end|>")
        assert row.opened == "<think>\n"
        assert row.sample.fields["answer"] == "0"

    @pytest.mark.parametrize("kind", ["gpt2", "qwen2", "llama"])
    def test_read_without_special_tokens_they_have_the_tokens_that_trl_gives_the_policy(self, task, kind):
        made, _ = task(RL % "", samples(2), kind=kind)
        texts = StageTokenizer(made)
        prepare(made, texts)
        for row in read_rows(made.folder / "samples.jsonl"):
            wanted = texts.format.tokens(texts.format.text(row.sample))
            assert texts.tokenizer(row.prompt, add_special_tokens=False)["input_ids"] == wanted

    def test_evaluation_prompts_carry_their_language_as_openrlhfs_data_source(self, task):
        made, _ = task(RL % ", eval: {samples: 4, prompts: 2}", samples(3), evaluated=samples(3, language="sw"))
        files = prepare(made, StageTokenizer(made))
        assert files.evaluation_rows == 2
        assert [row["datasource"] for row in lines(files.evaluation)] == ["sw", "sw"]
        assert [json.loads(row["label"]) for row in lines(files.evaluation)] == [{"evaluation": 0}, {"evaluation": 1}]
        assert len(read_rows(made.folder / "evaluation_samples.jsonl")) == 2

    def test_that_is_the_set_and_what_by_names(self, task):
        rows = samples(2, eval_set="hard", topic="algebra")
        made, _ = task(RL % ", eval: {by: [topic, level], sets: {hard: null}}", samples(3), evaluated=rows)
        files = prepare(made, StageTokenizer(made))
        assert [row["datasource"] for row in lines(files.evaluation)] == ["hard algebra"] * 2

    def test_the_longest_prompt_counts_evaluation_too(self, task):
        long = Sample(id="l", prompt=({"role": "user", "content": "How much is 1 + 1? " * 5},))
        made, _ = task(RL % ", eval: {samples: 4}", samples(3), evaluated=[long])
        texts = StageTokenizer(made)
        assert prepare(made, texts).longest_prompt == texts.length(texts.format.text(long))

    def test_prompts_that_are_too_long_are_left_out_and_counted(self, task):
        long = Sample(id="l", prompt=({"role": "user", "content": "How much is 1 + 1? " * 50},))
        made, said = task(RL % ", max_prompt_tokens: 40", [*samples(2), long])
        prepare(made, StageTokenizer(made))
        assert [row.sample.id for row in read_rows(made.folder / "samples.jsonl")] == ["0", "1"]
        assert said == ["left out 1 of 3 prompts longer than 40 tokens"]

    def test_where_none_fits_it_is_an_error_with_its_place(self, task):
        made, _ = task(RL % ", max_prompt_tokens: 2", samples(2))
        with pytest.raises(UserError, match=r"stages\.0.*all 2 prompts are longer than 2 tokens"):
            prepare(made, StageTokenizer(made))


class TestTexts:
    def as_engine_reads(self, files, seed):
        """The rows in the order of OpenRLHF's sampler: shuffled with its seed, epoch 0."""
        import torch

        rows = lines(files.training_rows)
        order = torch.randperm(len(rows), generator=torch.Generator().manual_seed(seed)).tolist()
        return [rows[place] for place in order]

    @pytest.mark.parametrize("seed", [0, 7])
    def test_after_openrlhfs_shuffle_they_come_in_the_recipes_order(self, task, seed):
        made, _ = task(SFT % "", samples(4, response="It is 4."), extra=FILE_ORDER, kind="gpt2", seed=seed)
        files = prepare(made, StageTokenizer(made))
        read = [row["input"] for row in self.as_engine_reads(files, seed)]
        assert [text.strip() for text in read] == [f"How much is {i} + {i}?" for i in (0, 1, 2, 3, 0, 1)]

    @pytest.mark.parametrize("kind", ["gpt2", "llama"])
    def test_an_answer_ends_with_the_end_of_a_sequence_and_nothing_before_it(self, task, kind):
        made, _ = task(SFT % "", samples(2, response="It is 4."), kind=kind)
        texts = StageTokenizer(made)
        for row in lines(prepare(made, texts).training_rows):
            assert row["output"] == "It is 4." + texts.tokenizer.eos_token

    def test_a_think_that_the_template_opened_is_not_said_twice(self, task):
        made, _ = task(SFT % "", samples(1, response="<think>\n1 + 1</think>2"), kind="qwen2")
        (row, *_) = lines(prepare(made, StageTokenizer(made)).training_rows)
        assert row["input"].endswith("<think>\n")
        assert row["output"].startswith("1 + 1</think>2<|im_end|>")

    def test_dpo_has_both_answers(self, task):
        stage = "\n  - {use: dpo, batch_size: 1, steps: 1}\n"
        made, _ = task(stage, samples(1, chosen="It is 0.", rejected="It is 1."), kind="gpt2")
        texts = StageTokenizer(made)
        (row,) = lines(prepare(made, texts).training_rows)
        end = texts.tokenizer.eos_token
        assert (row["chosen"], row["rejected"]) == ("It is 0." + end, "It is 1." + end)
        assert row["prompt"].startswith("How much")

    def test_a_row_without_its_answer_is_an_error_that_names_it(self, task):
        made, _ = task(SFT % "", [*samples(1, response="4"), *samples(1)], kind="gpt2")
        with pytest.raises(UserError, match="`response` should be text"):
            prepare(made, StageTokenizer(made))

    def test_rows_without_room_for_an_answer_are_left_out_and_longer_ones_cut(self, task):
        long = Sample(id="l", prompt=({"role": "user", "content": "How much? " * 40},), fields={"response": "4"})
        made, said = task(SFT % ", max_tokens: 30", [*samples(2, response="It is 4. " * 20), long], kind="gpt2")
        prepare(made, StageTokenizer(made))
        assert said == [
            "cut 2 of 3 rows at max_tokens, 30",
            "left out 1 of 3 rows without room for the response in 30 tokens",
        ]


class TestARow:
    def test_comes_back_as_it_was(self, tmp_path):
        row = Row(
            sample=Sample(id="ü1", prompt=[{"role": "user", "content": "a\nb"}], fields={"n": [1, None]}, source="f:3"),
            prompt="<s>a\nb",
            opened="<think>\n",
        )
        write_rows(tmp_path / "rows.jsonl", [row, row])
        assert read_rows(tmp_path / "rows.jsonl") == [row, row]

    def test_half_a_surrogate_pair_of_a_broken_text_survives(self, tmp_path):
        row = Row(sample=Sample(id="x", prompt=(), fields={"t": "\ud83d"}), prompt="\ud83d")
        write_rows(tmp_path / "rows.jsonl", [row])
        assert read_rows(tmp_path / "rows.jsonl")[0].prompt == "\ud83d"
