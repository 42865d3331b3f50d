"""normalize/length: what it does to the loss, and where it is refused."""

import pytest
from pydantic import ValidationError
from rewardlab import Context
from rewardlab.registry import Registry

SPEC = Registry().find("normalizer", "normalize/length")
RECIPE = """\
version: 1
model: {use: tiny}
dataset: {use: data/arithmetic, with: {kind: prompts, languages: [en]}}
curriculum: {use: curriculum/balanced, with: {reasoning: boxed, answer: boxed, cap: CAP}}
reward:
  components: {boxed: {use: format/boxed}}
  total: boxed
  normalize: [NORMALIZE]
stages:
  - {use: rl, algorithm: dr_grpo, group_size: 8, batch_size: 2, steps: 1, max_new_tokens: 16, LOSS}
backend: {use: openrlhf, gpus_per_node: 1}
"""
STD, LENGTH = "{use: normalize/std}", "{use: normalize/length, with: {reference: 16}}"


def shape(totals, tokens, kept=None, **options):
    built = SPEC.build(SPEC.config(**{"reference": 100, **options}), Context())
    return built.shape(totals, tokens, range(len(totals)) if kept is None else kept, 0)


def test_a_constant_loss_becomes_the_mean_over_the_groups_tokens():
    """Sum of tokens' losses / (G x max_new_tokens), as trl's `constant` has it; each token's loss is its advantage."""
    longest, advantages, tokens = 64, [1.0, -0.5, -0.5], [10, 40, 30]
    shaped = shape(advantages, tokens, reference=longest)
    ours = sum(value * count for value, count in zip(shaped, tokens, strict=True)) / (len(tokens) * longest)
    wanted = sum(value * count for value, count in zip(advantages, tokens, strict=True)) / sum(tokens)
    assert ours == pytest.approx(wanted)


def test_a_group_in_a_language_of_many_tokens_moves_the_policy_no_more():
    """Under token_mean, whose divisor both groups of an update share."""
    moved = []
    for tokens in ([10, 20], [30, 60]):
        shaped = shape([1.0, -1.0], tokens)
        moved.append(sum(value * count for value, count in zip(shaped, tokens, strict=True)))
    assert moved[0] == pytest.approx(moved[1])


def test_only_the_kept_count_and_a_group_without_tokens_stays():
    assert shape([1.0, 2.0, 3.0], [1, 50, 150], kept=[2, 1]) == [3.0, 2.0]
    assert shape([1.0, -1.0], [0, 0]) == [1.0, -1.0]
    with pytest.raises(ValueError, match="number of tokens"):
        shape([1.0], None)


@pytest.mark.parametrize("reference", [0, -1, None])
def test_a_reference_is_a_number_of_tokens(reference):
    with pytest.raises(ValidationError):
        SPEC.config(reference=reference)


@pytest.mark.parametrize(
    ("normalize", "loss", "cap", "says"),
    [
        (f"{LENGTH}, {STD}", "loss: token_mean", 128, "normalize/length must be the last of `normalize`"),
        (
            f"{STD}, {LENGTH}",
            "loss: seq_mean",
            128,
            "normalize/length goes with loss: token_mean or constant;",
        ),
        (STD, "loss: token_mean", 64, "normalize/std takes a part of pools of more than 64, and curriculum/balanced"),
        (f"{STD}, {LENGTH}", "loss: token_mean", 128, None),
    ],
)
def test_check_says_what_would_undo_it(normalize, loss, cap, says, tmp_path, monkeypatch, capsys):
    from rewardlab.cli import main

    monkeypatch.chdir(tmp_path)
    text = RECIPE.replace("NORMALIZE", normalize).replace("LOSS", loss).replace("CAP", str(cap))
    (tmp_path / "r.yaml").write_text(text)
    code = main(["check", "r.yaml"])
    told = "".join(capsys.readouterr())
    if says is None:
        assert (code, "normalize" in told) == (0, False), told
    else:
        assert says in told
