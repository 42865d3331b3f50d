"""What is made of a recipe and a site: scripts that shellcheck takes, and manifests that fit others' own schemas."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from helpers.each_case import each_case

RAYJOB = Path(__file__).parent / "interfaces" / "rayjob.json"
SHELLCHECK = shutil.which("shellcheck", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
SKY = os.environ.get("REWARDLAB_SKY_PYTHON")
PARSED = """
import sys
from sky.utils.dag_utils import load_dag_from_yaml

dag = load_dag_from_yaml(sys.argv[1], secrets_overrides=[("JUDGE_API_KEY", "x"), ("TEACHER_API_KEY", "y")])
print(dag.name, dag.is_job_group(), dag.primary_tasks, *((task.name, task.num_nodes) for task in dag.tasks))
"""


@pytest.fixture
def files(main, write, sites, tmp_path):
    """A function: the files of a launch by name."""

    def launch(scheduler, *words, site=None):
        write("site.yaml", site or sites.SITES[scheduler])
        code, out, err = main(
            "launch", *(words or [sites.RECIPE]), "--on", scheduler, "--site", "site.yaml", "--name", "it"
        )
        assert code == 0, err
        assert "nothing is submitted" in out
        return {file.name: file.read_text() for file in (tmp_path / "launches" / "it").iterdir()}

    return launch


@pytest.mark.slow
@pytest.mark.skipif(SHELLCHECK is None, reason="shellcheck is not installed here")
def test_shellcheck_has_nothing_to_say_of_any_script(files, tmp_path):
    scored = ("quickstart", "rows.jsonl", "--command", "score", "--shards", "8")
    array = files("slurm", *scored, site=WITHOUT_SERVERS)
    made = files("slurm") | {f"array-{name}": text for name, text in array.items() if "shard" in name or "job" in name}
    for name, manifest in [("kuberay", files("kuberay")["job.yaml"]), ("skypilot", files("skypilot")["job.yaml"])]:
        for number, document in enumerate(yaml.safe_load_all(manifest)):
            texts = document.get("data", {}) | {f"run{number}.sh": document.get("run", "")}
            made |= {f"{name}-{key}": text for key, text in texts.items()}
    scripts = {name: text for name, text in made.items() if name.endswith((".sh", ".sbatch")) and text}
    assert len(scripts) == 10
    for name, text in scripts.items():
        (tmp_path / name).write_text(text)
    command = [SHELLCHECK, "--shell=bash", *(str(tmp_path / name) for name in scripts)]
    checked = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert checked.returncode == 0, checked.stdout


def test_slurm_gets_the_trainer_and_the_servers_as_parts_of_one_job(files):
    script = files("slurm")["job.sbatch"]
    lines = [line.removeprefix("#SBATCH ") for line in script.splitlines() if line.startswith("#SBATCH")]
    trainer, servers = lines[: lines.index("hetjob")], lines[lines.index("hetjob") + 1 :]
    assert {"--job-name=it", "--nodes=4", "--gpus-per-node=8", "--partition=h100", "--requeue", "--exclusive"} <= {
        *trainer
    }
    assert {"--signal=B:USR1@180", "--time=24:00:00", "--account=rl", "--qos=long", "--cpus-per-task=64"} <= {*trainer}
    assert {"--nodes=3", "--gpus-per-node=4", "--partition=a100", "--mem=200G", "--constraint=nvlink"} <= {*servers}
    assert "services=('judge JUDGE_URL /health 1800 1 0 4 10 1 32 8000')" in script
    assert "shared=''\n" in script
    assert "--mem=0" in trainer  # all of a node that is taken whole
    assert "attempts_most=6\n" in script
    assert "walltime_most_s=259200\n" in script
    assert "JUDGE_API_KEY=$(cat /home/me/.keys/judge) || exit 1\n" in script


def test_a_server_is_started_as_its_makers_say(files, sites):
    assert (
        'serve() { exec vllm serve Qwen/Qwen3-8B --host 0.0.0.0 --port "$1" --tensor-parallel-size 1 '
        in files("slurm")["serve-judge.sh"]
    )
    manifests = [*yaml.safe_load_all(files("kuberay")["job.yaml"])]
    assert (
        'python3 -m sglang.launch_server --model-path Qwen/Qwen3-8B --host 0.0.0.0 --port "$1" --tp 1 '
        in manifests[0]["data"]["serve-judge.sh"]
    )


@pytest.mark.usefixtures("trl")
def test_an_engine_without_ray_runs_its_command_alone(files, sites):
    made = files("slurm", "sp3f_4_nodes", "backend={use: trl}")
    assert "node.sh" not in made
    assert "main=command\nnodes=1\n" in made["job.sbatch"]


def test_a_container_has_the_mounts_of_the_site(files, sites):
    site = sites.SLURM.replace("account: rl", "account: rl\n  image: /images/rl.sqsh").replace(
        "host: login", "qos: x\n  host: login"
    )
    script = files("slurm", site=site.replace("  qos: x\n", ""))["job.sbatch"]
    assert "container=(--container-image=/images/rl.sqsh --container-mounts=/shared:/shared)" in script
    apptainer = site.replace("  qos: x\n", "").replace("rl.sqsh", "rl.sif\n  runtime: apptainer")
    script = files("slurm", site=apptainer)["job.sbatch"]
    assert "container=(apptainer exec --nv --bind /shared:/shared /images/rl.sif)" in script


def test_a_pool_says_the_kind_of_gpu_and_rays_count_the_cores_of_the_job(files, sites):
    site = sites.SLURM.replace("partition: h100", "gpu: h100, memory: 500G")
    made = files("slurm", site=site)
    assert "#SBATCH --gpus-per-node=h100:8\n" in made["job.sbatch"]
    assert "#SBATCH --mem=500G\n" in made["job.sbatch"]
    assert "ray_options=(--disable-usage-stats --num-cpus=64)\n" in made["node.sh"]
    site = site.replace("account: rl", "account: rl\n  ray_options: [--num-cpus=8]")
    assert "ray_options=(--disable-usage-stats --num-cpus=8)\n" in files("slurm", site=site)["node.sh"]


def test_an_array_has_a_task_for_each_shard(files):
    words = ("quickstart", "rows.jsonl", "--shards", "8", "--command")
    made = files("slurm", *words, "score", site=WITHOUT_SERVERS)
    assert "#SBATCH --array=1-8\n" in made["job.sbatch"]
    begins = "words=(rewardlab score /shared/it/launch/recipe.yaml rows.jsonl -o /shared/it/scores/score.jsonl)\n"
    assert begins in made["shard.sh"]
    assert 'words+=(--shard "${SLURM_ARRAY_TASK_ID}/$shards" --resume)\n' in made["shard.sh"]
    probed = files("slurm", *words, "probe", site=WITHOUT_SERVERS)["shard.sh"]
    assert "rows.jsonl -o /shared/it/scores/probe.jsonl)\n" in probed


WITHOUT_SERVERS = """
version: 1
compute: {walltime: "01:00:00", pools: {cpu: {gpus: 0, cpus: 4}}}
job: {output: /shared}
"""


def test_a_ray_job_fits_kuberays_schema_without_a_field_that_it_does_not_know(files):
    manifests = [*yaml.safe_load_all(files("kuberay")["job.yaml"])]
    assert [each["kind"] for each in manifests] == ["ConfigMap", "Service", "RayJob"]
    job = manifests[-1]
    jsonschema.Draft202012Validator(json.loads(RAYJOB.read_text())).validate(job)
    spec = job["spec"]
    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "team"
    assert (spec["shutdownAfterJobFinishes"], spec["ttlSecondsAfterFinished"], spec["backoffLimit"]) == (True, 3600, 3)
    assert spec["rayClusterSpec"]["rayVersion"] == "2.55.0"
    groups = {group["groupName"]: group for group in spec["rayClusterSpec"]["workerGroupSpecs"]}
    assert {name: group["replicas"] for name, group in groups.items()} == {"trainer": 3, "judge": 3}
    head = spec["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]
    [container] = head["containers"]
    assert container["resources"]["limits"] == {"nvidia.com/gpu": "8", "cpu": "64", "memory": "900Gi"}
    assert {"name": "shared-memory", "mountPath": "/dev/shm"} in container["volumeMounts"]
    assert {"name": "mount-0", "persistentVolumeClaim": {"claimName": "runs"}} in head["volumes"]
    environment = {each["name"]: each for each in container["env"]}
    assert environment["JUDGE_API_KEY"]["valueFrom"]["secretKeyRef"] == {"name": "judges", "key": "main"}
    assert environment["REWARDLAB_SERVERS"]["value"] == "JUDGE_URL /health 1800 it-judge:8000;"
    ray, server = groups["judge"]["template"]["spec"]["containers"]
    assert ray["name"] == "ray-worker"  # KubeRay starts Ray in the first
    assert server["readinessProbe"]["httpGet"] == {"path": "/health", "port": 8000}
    assert manifests[1]["spec"]["selector"].items() <= groups["judge"]["template"]["metadata"]["labels"].items()


def test_the_schema_knows_a_field_that_is_not_kuberays():
    """The test above could not fail if the schema took everything."""
    job = {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": {}, "spec": {"entrypiont": "true"}}
    with pytest.raises(jsonschema.ValidationError, match="entrypiont"):
        jsonschema.Draft202012Validator(json.loads(RAYJOB.read_text())).validate(job)


def test_skypilot_gets_a_job_group_whose_trainer_ends_it(files):
    header, trainer, judge = yaml.safe_load_all(files("skypilot")["job.yaml"])
    assert (header["execution"], header["primary_tasks"]) == ("parallel", ["trainer"])
    assert trainer["resources"]["accelerators"] == "H100:8"
    assert (trainer["num_nodes"], judge["num_nodes"]) == (4, 3)
    assert judge["resources"]["accelerators"] == "A100:4"
    assert trainer["secrets"] == {"JUDGE_API_KEY": None, "TEACHER_API_KEY": None}
    assert (trainer["volumes"], [*trainer["file_mounts"]]) == ({"/shared": "runs"}, ["/shared/data"])
    last = "judge-2.$SKYPILOT_JOBGROUP_NAME:8000;"
    assert last in trainer["run"]
    assert "judge-1.$SKYPILOT_JOBGROUP_NAME:8001 " + last in trainer["run"]
    assert "~/sky_templates/ray/start_cluster\n" in trainer["run"]


@pytest.mark.skipif(SKY is None, reason="$REWARDLAB_SKY_PYTHON has SkyPilot: nox -s skypilot")
@each_case("services", [True, False])
def test_skypilots_own_parser_takes_the_tasks(files, sites, tmp_path, services):
    site = yaml.safe_load(sites.SKYPILOT)
    if not services:
        del site["services"]
    files("skypilot", site=json.dumps(site))
    environment = {**os.environ, "HOME": str(tmp_path), "SKYPILOT_DISABLE_USAGE_COLLECTION": "1"}
    command = [SKY, "-c", PARSED, str(tmp_path / "launches" / "it" / "job.yaml")]
    parsed = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8")
    assert parsed.returncode == 0, parsed.stderr
    said = "it True ['trainer'] ('trainer', 4) ('judge', 3)" if services else "trainer False None ('trainer', 4)"
    assert said in parsed.stdout


@pytest.mark.usefixtures("trl")
def test_the_values_of_a_site_are_words_of_the_shell_and_nothing_else(files, tmp_path):
    """A value that tries to be shell is a value: the scripts are read by bash, and print what they were given."""
    evil = 'a\'; touch EVIL; $(touch EVIL) `touch EVIL` "${HOME}" \\ b'
    path = evil.replace("\\", "")
    server = {
        "server": "command",
        "command": ["printf", "%s|", evil, "{port}x{port}"],
        "variable": "JUDGE_URL",
        "gpus": 0,
    }
    compute = {"walltime": "01:00:00", "pools": {"cpu": {"gpus": 0}}, "environment": {"ODD": evil}}
    site = {"version": 1, "services": {"judge": server}, "compute": compute, "job": {"output": f"/{path}"}}
    made = files("slurm", "quickstart_judge", site=json.dumps(site))
    heads = {
        "command.sh": ("\n\n# ", 'printf \'%s|%s\' "$ODD" "$folder"'),
        "serve-judge.sh": ("\nrestarts=", "serve 8123"),
    }
    printed = {}
    for name, (end, shown) in heads.items():
        bash = ["bash", "-c", f"{made[name].partition(end)[0]}\n{shown}"]
        printed[name] = subprocess.run(bash, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True).stdout
    assert printed == {"command.sh": f"{evil}|/{path}/it", "serve-judge.sh": f"{evil}|8123x8123|"}
    assert not (tmp_path / "EVIL").exists()


def test_no_name_of_a_service_hides_a_script_of_the_job(files, sites):
    site = sites.SLURM.replace("  judge:", "  command:")
    made = files("slurm", site=site)
    assert {"command.sh", "serve-command.sh"} <= {*made}
    assert "words=(rewardlab run" in made["command.sh"]


def test_what_skypilot_writes_on_a_node_is_what_was_meant(files, sites, tmp_path):
    """Its lines that write files are run, with a folder that has a space and a line that would end a text early."""
    site = yaml.safe_load(sites.SKYPILOT)
    site["compute"]["environment"]["ODD"] = "a\nEND\nb"
    site["compute"]["mounts"] = {str(tmp_path): "runs"}
    site["job"] = {"output": f"{tmp_path}/my runs"}
    _, trainer, _ = yaml.safe_load_all(files("skypilot", site=json.dumps(site))["job.yaml"])
    lines = trainer["run"].splitlines()
    writing = [line for line in lines[: lines.index("END_", 1) + 1] if "start_cluster" not in line]
    home = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "SKYPILOT_NODE_IPS": "x", "SKYPILOT_NODE_RANK": "0"}
    subprocess.run(["bash", "-c", "\n".join(writing)], env=home, check=True)
    assert "name: sp3f" in (tmp_path / "my runs" / "it" / "launch" / "recipe.yaml").read_text()
    assert "export ODD='a\nEND\nb'" in (tmp_path / "command.sh").read_text()


def test_kubernetes_reads_no_variable_in_a_value(files, sites):
    made = files("kuberay", site=sites.KUBERAY.replace("HF_HOME: /shared/hf", "ODD: 'a $(HOME) b'"))
    assert "value: a $$(HOME) b" in made["job.yaml"]
    assert "export ODD='a $(HOME) b'" in made["job.yaml"]
