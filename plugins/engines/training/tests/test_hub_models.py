"""A model that is named on the hub: known before a run begins, and asked for once."""

import json

import pytest

RECIPE = """
    version: 1
    model: org/smal
    dataset: {use: toy/counting, with: {rows: 8}}
    reward: {components: {brevity: {use: toy/brevity, with: {words: 1}}}, total: brevity}
    stages: [{use: rl, algorithm: grpo, group_size: 4, batch_size: 2, steps: 2}]
    backend: {use: trl}
"""


@pytest.fixture
def told(tmp_path, monkeypatch, write):
    """What is said of org/smal, with a hub's cache that has org/small."""
    folder = tmp_path / "hub" / "models--org--small" / "snapshots" / "1"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({}))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    for variable in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(variable, raising=False)
    write("r.yaml", RECIPE)
    cache = f"the cache of the hub, {tmp_path / 'hub'}"
    return f"r.yaml:3: model: 'org/smal' is not a folder here and not in {cache}; did you mean 'org/small'?"


def test_check_warns_of_a_name_that_is_nearly_that_of_a_model_here(main, told):
    code, _, err = main("check", "r.yaml")
    assert (code, f"warning: {told}; a run asks the hub for it" in err) == (0, True)
    for other in ("org/small", "another/that-nobody-has-here"):
        assert "the hub" not in main("check", "r.yaml", f"model={other}")[2]


@pytest.mark.slow
def test_where_the_hub_may_not_be_asked_no_run_begins(main, told, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert f"warning: {told}; HF_HUB_OFFLINE forbids asking the hub" in main("check", "r.yaml")[2]
    code, _, err = main("run", "r.yaml")
    assert (code, f"error: {told}; HF_HUB_OFFLINE forbids asking the hub\n" in err) == (2, True)
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_the_hub_is_asked_once_and_no_folder_is_left(told, tmp_path, judge_server, rewardlab):
    with judge_server.Serving(judge_server.JudgeServer()) as hub:  # it knows no model
        env = {"HF_HUB_CACHE": str(tmp_path / "hub")}
        ended = rewardlab("run", "r.yaml", env=env | {"HF_ENDPOINT": hub.url.removesuffix("/v1")})
    errors = [line for line in ended.stderr.splitlines() if line.startswith("error: ")]
    assert (ended.returncode, len(errors)) == (2, 1), ended.stderr
    assert errors[0].startswith(f"error: {told}; the hub ")
    assert "Retrying" not in ended.stderr
    assert not (tmp_path / "runs").exists()


def test_a_folder_that_is_not_there_is_told_with_its_neighbours(main, write, tmp_path):
    (tmp_path / "models" / "mine").mkdir(parents=True)
    write("r.yaml", RECIPE)
    code, _, err = main("check", "r.yaml", "model=./models/mien")
    assert code == 2
    assert "'./models/mien' is not a model folder: there is no such folder; did you mean 'mine'?" in err
