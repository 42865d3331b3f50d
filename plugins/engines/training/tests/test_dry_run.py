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


def test_which_groups_teach(toy, write):
    kept = "teach.flat keep: every group is in the loss, one whose totals are all equal with advantages of 0"
    assert kept in lines(write, 1)
    dropped = "groups whose brevity is equal for all are left out of the loss, whatever their totals are"
    assert f"teach.flat drop: {dropped}" in lines(write, 1, "reward.teach={flat: drop, by: brevity}")
    bounds = (
        "brevity is equal for all, or has a mean that is not between 0 and 0.9, are left out, whatever their totals"
    )
    replaced = lines(write, 1, "reward.teach={flat: replace, between: [0, 0.9]}", "reward.correctness=brevity")
    assert f"teach.flat replace: groups whose {bounds} are, and other prompts take their place" in replaced


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
