"""What a dry run says of a training stage is all that decides it, also what is the same for every engine."""

from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab_training import describe_training

RECIPE = """
    version: 1
    name: made
    model: {use: tiny}
    dataset: {use: toy/counting, with: {rows: 32}}
    reward: {components: {brevity: {use: toy/brevity}}, total: brevity}
    stages:
      - {use: sft, batch_size: 4, chat: {thinking: false}}
      - {use: rl, algorithm: dr_grpo, group_size: 4, batch_size: 8, steps: 4, max_new_tokens: 12}
    backend: {use: verl, gpus_per_node: 4}
"""


def lines(write, stage, *overrides):
    return list(describe_training(make_plan(load(write("r.yaml", RECIPE), overrides)), stage, "4 rows"))


def test_groups_without_variance(toy, write):
    kept = "zero_variance_groups keep: groups whose rewards are all equal stay in the loss, with advantages of 0"
    assert kept in lines(write, 1)
    dropped = "zero_variance_groups drop: groups whose rewards are all equal are left out of the loss"
    assert dropped in lines(write, 1, "stages.1.zero_variance_groups=drop")


def test_how_prompts_become_text(toy, write):
    given = "stages.1.chat={system: Zähle., template: '{{ messages[0].content }}'}"
    told = [line for line in lines(write, 1, given) if line.startswith("chat.")]
    assert told == [
        'chat.system "Zähle.": before every prompt without a system message',
        'chat.template "{{ messages[0].content }}": in place of the tokenizer\'s chat template',
    ]
    assert lines(write, 0)[-1] == "chat.thinking false: enable_thinking of the chat template"
    assert not any(line.startswith("chat.") for line in lines(write, 1))


def test_a_long_text_is_shown_by_its_beginning(toy, write):
    [line] = [line for line in lines(write, 1, f"stages.1.chat.system={'long ' * 99}") if line.startswith("chat.")]
    assert line.startswith('chat.system "long long')
    assert " ...: before" in line
    assert len(line) < 150
