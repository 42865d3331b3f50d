"""What a script of verl's own says of its rewards is checked before anything is generated."""

import json

import pytest
from helpers.advice import as_advised
from omegaconf import OmegaConf
from rewardlab.errors import UserError
from rewardlab_verl.script_groups import ScriptGroups, script_sample, script_settings

RECIPE = """
version: 1
reward:
  components:
    letters: {use: toy/letters}
    form: {use: format/validity}
  total: letters + form
"""
ROW = {
    "prompt": [{"role": "user", "content": "say 3"}],
    "reward_model": {"style": "rule", "ground_truth": "3"},
    "extra_info": {"index": 0, "language": "en"},
    "data_source": "made",
}


@pytest.fixture
def config(tmp_path, toy):
    """The configuration of a script with these `reward_kwargs`, as far as it is looked at."""
    (tmp_path / "train.jsonl").write_text(f"{json.dumps(ROW)}\n")
    (tmp_path / "reward.yaml").write_text(RECIPE)

    def made(**given):
        return OmegaConf.create(
            {
                "reward": {"reward_kwargs": given},
                "data": {"train_files": [str(tmp_path / "train.jsonl")], "prompt_key": "prompt"},
                "trainer": {"default_local_dir": str(tmp_path / "checkpoints")},
            }
        )

    return made


def test_a_field_that_the_rows_lack_is_named_with_who_needs_it(config, tmp_path):
    told = r"train\.jsonl: field 'task' is needed by form \(format/validity\), but the row has none"
    with pytest.raises(UserError, match=told) as missing:
        ScriptGroups(config(recipe=str(tmp_path / "reward.yaml")))
    named = as_advised({"version": 1}, missing, "data_source")["dataset"]["fields"]
    sample = script_sample({**ROW, "raw_prompt": ROW["prompt"]}, "0", named)
    assert (sample.fields["task"], sample.fields["answer"]) == ("made", "3")
    assert script_sample({**ROW, "raw_prompt": []}, "0", {"answer": "language"}).fields["answer"] == "en"


@pytest.mark.parametrize(
    "filters", [None, {"enable": True, "metric": "acc"}, {"enable": False, "metric": "group/outcome"}]
)
def test_other_prompts_are_generated_by_verl_or_the_script_ends_at_once(config, tmp_path, filters):
    path = tmp_path / "reward.yaml"
    path.write_text(f"{RECIPE}  teach: {{flat: replace, by: letters}}\n")
    made = OmegaConf.merge(config(recipe=str(path)), {"algorithm": {"filter_groups": filters}})
    with pytest.raises(UserError, match=r"enable=True algorithm\.filter_groups\.metric=group/outcome, too"):
        ScriptGroups(made)


def test_pictures_in_a_prompt_are_passed_over():
    shown = [{"type": "image", "image": "a.png"}, {"type": "text", "text": "say 3"}]
    sample = script_sample({**ROW, "raw_prompt": [{"role": "user", "content": shown}]}, "0")
    assert sample.prompt == [{"role": "user", "content": "say 3"}]


def test_a_script_without_a_recipe_is_told_how_to_name_one(config):
    with pytest.raises(UserError, match=r"names no recipe; \+reward\.reward_kwargs\.recipe=FILE"):
        ScriptGroups(config())


def test_what_is_not_known_is_refused(config, tmp_path):
    with pytest.raises(UserError, match="unknown: timeout; it takes recipe, ledger, completion_timeout"):
        script_settings(config(recipe="r.yaml", timeout=3))


def test_the_rest_has_the_values_of_the_page(config):
    found = script_settings(config(recipe="r.yaml", completion_timeout=5))
    assert (found.completion_timeout, found.scoring_timeout, found.on_partial) == (5, 1800, "fail")
    assert found.folder.parts[-2:] == ("checkpoints", "rewardlab")


def test_rewards_read_the_columns_what_is_in_extra_info_and_the_truth():
    sample = script_sample({**ROW, "raw_prompt": ROW["prompt"], "level": 2}, "0")
    expected = {"answer": "3", "reference": "3", "index": 0, "language": "en", "data_source": "made", "level": 2}
    assert sample.fields == expected
    assert sample.prompt[0]["content"] == "say 3"
