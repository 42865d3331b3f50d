"""What a checkpoint of verl's holds, and the model that is put together from the shards of its ranks."""

import json
import socket
import subprocess
import sys

import pytest

RANK = """
import sys, torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

rank, ranks, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[4]
torch.distributed.init_process_group("gloo", init_method=sys.argv[3], rank=rank, world_size=ranks)
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.BatchNorm1d(7), torch.nn.Linear(7, 3, bias=False))
if rank == 0:
    torch.save(model.state_dict(), f"{folder}/whole.pt")
fully_shard(model, mesh=init_device_mesh("cpu", (2, ranks // 2), mesh_dim_names=("ddp", "fsdp")))
torch.save(model.state_dict(), f"{folder}/model_world_size_{ranks}_rank_{rank}.pt")
torch.distributed.barrier()
"""


@pytest.mark.slow
def test_the_parts_of_the_ranks_make_the_whole(tmp_path):
    """Two have shards, which 5, 7 and 3 rows do not divide into, two their copies; buffers are whole on each rank."""
    torch = pytest.importorskip("torch")
    from rewardlab_verl.job.merged_shards import shards, whole_weights

    ranks = 4
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        meet = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    commands = [[sys.executable, "-c", RANK, *map(str, (rank, ranks, meet, tmp_path))] for rank in range(ranks)]
    processes = [subprocess.Popen(command) for command in commands]
    assert [process.wait(120) for process in processes] == [0] * ranks
    (tmp_path / "fsdp_config.json").write_text(f'{{"world_size": {ranks}}}')
    found = whole_weights([torch.load(path, weights_only=False) for path in shards(tmp_path)])
    wanted = torch.load(tmp_path / "whole.pt")
    assert found.keys() == wanted.keys()
    assert all(found[name].equal(value) for name, value in wanted.items())


@pytest.fixture
def trained(jobs, model_folder, tmp_path):
    """Return the folder of a run of sft, two steps with a checkpoint each, with settings of the engine."""
    pytest.importorskip("verl", reason="needs the environment of requirements-verl-cpu.txt")

    def train(**settings):
        recipe, rows = tmp_path / "recipe.yaml", tmp_path / "rows.jsonl"
        rows.write_text("".join(f'{{"prompt": "{number}+1?", "response": "{number + 1}"}}\n' for number in range(16)))
        recipe.write_text(
            f"""
            version: 1
            model: {model_folder("llama")}
            dataset: {{use: data/jsonl, with: {{path: {rows}}}}}
            stages: [{{use: sft, steps: 2, batch_size: 8, micro_batch_size: 8, save_every: 1}}]
            backend: {{use: verl, gpus_per_node: 1, precision: fp32}}
            """
        )
        engine = json.dumps({**jobs.ON_CPU, **settings})
        return jobs.run(tmp_path, recipe, f"backend.engine={engine}").succeeded().directory

    return train


@pytest.mark.verl
@pytest.mark.nightly
def test_the_model_of_the_shards_is_the_one_that_verl_writes(trained, tmp_path):
    """Both stand in a checkpoint by `checkpoint_models`."""
    from rewardlab_verl.job.merged_shards import write_model
    from safetensors.torch import load_file

    checkpoint = trained(checkpoint_models=True) / "checkpoints" / "0-sft" / "global_step_2"
    write_model(checkpoint, tmp_path / "whole")
    wanted, found = (load_file(of / "model.safetensors") for of in (checkpoint / "huggingface", tmp_path / "whole"))
    assert found.keys() == wanted.keys()
    assert all(found[name].equal(value) for name, value in wanted.items())


@pytest.mark.verl
@pytest.mark.nightly
def test_the_model_of_a_stage_with_adapters_loads_without_them(trained, assert_adapters_are_merged):
    assert_adapters_are_merged(trained(lora={"rank": 4}) / "models" / "0-sft")
