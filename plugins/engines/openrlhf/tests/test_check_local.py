"""What keeps this machine from training is said before a run exists, all at once and with exit code 2."""

import pytest

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]

RECIPE = """
    version: 1
    name: made
    model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64, context: 256}
    dataset: {use: toy/counting, with: {rows: 32}}
    reward:
      components: {brevity: {use: toy/brevity}}
      total: brevity
    stages:
      - {use: sft, steps: 2, batch_size: 8}
      - {use: rl, algorithm: dr_grpo, group_size: 4, batch_size: 8, steps: 4, max_new_tokens: 12}
    backend: {use: openrlhf, gpus_per_node: 2, engine: {attention: eager, packing: false}}
"""


@pytest.fixture
def refused(main, write, jobs, monkeypatch, tmp_path):
    """What `rewardlab run` says with some overrides, on a machine with 2 GPUs; it leaves nothing behind."""
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.delenv("RAY_TMPDIR", raising=False)
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.setenv("RAY_OVERRIDE_RESOURCES", '{"GPU": 2}')
    monkeypatch.syspath_prepend(jobs.ENGINE)
    write("r.yaml", RECIPE)

    def run(*overrides):
        code, _, err = main("run", "r.yaml", *overrides)
        assert code == 2, err
        assert not (tmp_path / "runs").exists()
        return err

    return run


def test_too_few_gpus(refused):
    assert "backend.gpus_per_node: the recipe needs 4 GPUs and this machine has 2" in refused("backend.gpus_per_node=4")


def test_nodes_without_a_cluster(refused):
    assert "4 nodes need 8 GPUs and this machine has 2; start it on a Ray cluster" in refused("backend.nodes=4")


def test_only_what_the_stage_needs_counts(refused):
    scorers = "backend.scorers={replicas: 1, num_gpus: 1}"
    more = ["backend.gpus_per_node=3", "stages.0.batch_size=9", scorers]
    assert "needs 3 GPUs" in refused(*more, "--stage", "1")
    assert "needs 3 GPUs" in refused(*more, "stages.0.batch_size=9", "--stage", "0")


def test_what_is_for_a_cluster_and_a_key_that_is_not_set_are_told_at_once(refused):
    err = refused("backend.engine.storage=/shared", "backend.engine.wandb=project")
    assert "backend.engine.storage: is for a Ray cluster" in err
    assert "backend.engine.wandb: needs WANDB_API_KEY" in err


def test_a_folder_that_is_too_long_for_rays_sockets(refused, monkeypatch):
    monkeypatch.setenv("RAY_TMPDIR", "/tmp/" + "x" * 80)
    assert "(RAY_TMPDIR), too long for its sockets; set RAY_TMPDIR to one of at most" in refused()


def test_what_openrlhf_imports_and_is_not_there(refused, jobs, monkeypatch):
    import sys

    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != str(jobs.ENGINE)])
    monkeypatch.delitem(sys.modules, "vllm", raising=False)  # of a test that ran before
    monkeypatch.delenv("PYTHONPATH", raising=False)
    assert "this environment has no flash_attn, vllm" in refused()
    assert "this environment has no flash_attn;" in refused("--stage", "0")


def test_another_version_of_openrlhf(refused, monkeypatch, tmp_path):
    folder = tmp_path / "site" / "openrlhf-0.9.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: openrlhf\nVersion: 0.9.0\n")
    monkeypatch.syspath_prepend(folder.parent)
    assert "openrlhf 0.9.0 is installed, and this version of rewardlab is made for 0.11.2" in refused()


class TestACluster:
    """Named, so that this machine needs no GPU."""

    def test_that_does_not_answer(self, refused):
        err = refused("backend.address=http://127.0.0.1:9")
        assert "backend.address: no Ray cluster answers at http://127.0.0.1:9" in err
        assert "GPU" not in err

    def test_that_the_environment_names_by_no_address_of_a_job_server(self, refused, monkeypatch):
        monkeypatch.setenv("RAY_ADDRESS", "nonsense")
        err = refused()
        assert "RAY_ADDRESS: no Ray cluster answers at nonsense" in err
        assert "such as http://head-node:8265" in err

    def test_a_secret_that_is_not_set(self, refused, monkeypatch):
        monkeypatch.delenv("NOT_SET", raising=False)
        secrets = "backend.secrets=[NOT_SET, PATH]"
        assert "backend.secrets: not set in this environment: NOT_SET\n" in refused("backend.address=x", secrets)
