"""What is wrong with a site, a recipe, or the two together is said at once, with its place, before anything is made."""

import os

import pytest
from helpers.each_case import each_case


@pytest.fixture
def refused(main, write, sites):
    """A function: the messages of a launch with some of a site's text replaced, and overrides of the recipe."""

    def launch(scheduler, old="", new="", *words):
        assert old in sites.SITES[scheduler], old
        write("site.yaml", sites.SITES[scheduler].replace(old, new, 1))
        code, out, err = main("launch", sites.RECIPE, *words, "--on", scheduler, "--site", "site.yaml", "--dry-run")
        assert code == 2, out
        assert not out
        return err

    return launch


@pytest.mark.slow
@each_case(
    "scheduler, old, new, said",
    [
        ("slurm", "account: rl", "acount: rl", "site.yaml:12: compute.acount: no such option; did you mean 'account'?"),
        ("slurm", "account: rl", "context: rl", "compute.context: kuberay has it, and --on slurm has not"),
        ("slurm", "version: 1", "version: 2", "site.yaml:2: version"),
        ("slurm", '"24:00:00"', '"24h"', "'24h' is no time such as 24:00:00"),
        ("slurm", "pool: small", "pool: smal", "judge.pool: no pool 'smal' in compute.pools; did you mean 'small'"),
        ("slurm", "replicas: 10", "gpus: 8", "a node of pool 'small' has 4 GPUs, and a replica needs 8 on one"),
        ("slurm", "replicas: 10", "cpus: 48", "a node of pool 'small' has 32 cores, fewer than a replica needs"),
        ("slurm", "large: {gpus: 8", "large: {gpus: 4", "a node has 4 GPUs, and the recipe's backend takes 8 of each"),
        ("slurm", "output: /shared/runs", "output: runs", "'runs' is not a whole path"),
        ("slurm", "variable: JUDGE_URL", "variable: JUDGE", "reads no ${oc.env:JUDGE}, so nothing would ask this"),
        ("slurm", "gpt-4o-mini]", "qwen]", "judge 'main' asks for the model 'gpt-4o-mini', and this serves qwen"),
        ("slurm", "model: Qwen/Qwen3-8B", "server: command", "server: command needs `command`"),
        ("slurm", "secrets: {JUDGE_API_KEY: /home/me/.keys/judge, ", "secrets: {", "JUDGE_API_KEY, and no node has it"),
        ("slurm", "account: rl", "ray: 2.9.0", "Ray 2.9.0, and the recipe's engine is made for Ray 2.55.0"),
        ("slurm", "account: rl", 'account: "rl\\nrm -rf"', "compute.account"),
        ("slurm", "replicas: 10", "health: {path: '/$(date)'}", "services.judge.health.path"),
        ("slurm", "HF_HOME: /shared/hf", "HF_TOKEN: hf_abc", "HF_TOKEN is a secret by its name"),
        ("slurm", "workdir: /shared/data", "pool: big", "job.pool: no pool 'big' in compute.pools"),
        ("slurm", "HF_HOME: /shared/hf", "hf_token: hf_abc", "hf_token is a secret by its name"),
        ("slurm", "{HF_HOME:", "{JUDGE_URL:", "judge.variable: compute.environment has JUDGE_URL, too"),
        ("slurm", "secrets: {", "secrets: {HF_HOME: /x, ", "compute.secrets.HF_HOME: compute.environment has it, too"),
        (
            "slurm",
            "[--served-model-name",
            "[--api-key=sk-1, --served-model-name",
            "name VLLM_API_KEY in compute.secrets",
        ),
        ("slurm", "  judge:", "  trainer:", "services.trainer: this is the name of the job's own part"),
        ("slurm", "output: /shared/runs", "output: /shared/100%", "has a sign that schedulers do not take as it is"),
        ("slurm", "{/shared: /shared}", "{/data: /shared}", "without an image nothing is mounted"),
        ("slurm", '"24:00:00"', '"24:00"', "'24:00' is no time such as 24:00:00"),
        ("slurm", '"24:00:00"', '"1-12"', "'1-12' is no time such as 24:00:00"),
        ("slurm", '"24:00:00"', "1440", "compute.walltime"),
        ("slurm", '"24:00:00"', '"00:00:30"', "'00:00:30' is less than a minute"),
        ("slurm", "large: {gpus: 8", "7b: {gpus: 8", "is no name that all schedulers take"),
        ("slurm", "--constraint=nvlink", "constraint=nvlink", "'constraint=nvlink' is no option of sbatch"),
        ("slurm", "--constraint=nvlink", "--time=1", "the job has --time by itself; say it by compute.walltime"),
        ("slurm", "--constraint=nvlink", "--tim=1", "--tim=1': the job has --time by itself; say it by"),
        ("slurm", "--constraint=nvlink", "--acc=rl", "the job has --account by itself; say it by compute.account"),
        ("slurm", "--constraint=nvlink", '"--gpus-per 4"', "the job has --gpus-per-node by itself; say it by gpus"),
        ("slurm", "--constraint=nvlink", "--ntasks=4", "the job has --ntasks by itself; leave it out"),
        ("slurm", "[--served-model-name", "[--por=9, --served-model-name", "--port by itself; say it by port"),
        ("slurm", "[--served-model-name", "[--api-k=x, --served-model-name", "a key would stand in a script"),
        (
            "slurm",
            "environment: {HF_HOME: /shared/hf}",
            "environment: {folder: /x}",
            "compute.environment.folder: folder is a variable of the",
        ),
        (
            "slurm",
            "environment: {HF_HOME: /shared/hf}",
            "environment: {SLURM_JOB_ID: '1'}",
            "SLURM_JOB_ID is a variable of the job's own",
        ),
        (
            "slurm",
            "environment: {HF_HOME: /shared/hf}",
            "environment: {UID: '1'}",
            "UID is a variable of the job's own scripts; take another",
        ),
        ("slurm", "variable: JUDGE_URL", "variable: attempts_most", "services.judge.variable: attempts_most is a"),
        ("kuberay", "JUDGE_API_KEY:", "words:", "compute.secrets.words: words is a variable of the job's own scripts"),
        ("slurm", "--constraint=nvlink", '"-t 1"', "the job has -t by itself; say it by compute.walltime"),
        ("slurm", "--constraint=nvlink", "-N4", "the job has -N by itself; say it by the recipe's backend"),
        ("slurm", "--constraint=nvlink", "-G4", "the job has -G by itself; say it by gpus"),
        (
            "slurm",
            "[--served-model-name",
            '["", "=", --port 1, --served-model-name',
            "--port by itself; say it by port",
        ),
        ("slurm", "--constraint=nvlink", '"--gres gpu:4"', "the job has --gres by itself; say it by gpus"),
        ("slurm", "memory: 200G", "memory: 200Gi", "compute.pools.small.memory"),
        ("slurm", "[--served-model-name", "[--port=9000, --served-model-name", "--port by itself; say it by port"),
        ("slurm", "model: Qwen/Qwen3-8B", "server: command\n    command: [serve]", "`command` has no {port}"),
        ("slurm", "account: rl", "ray_options: [--port=1]", "the job has --port by itself; leave it out"),
        ("slurm", "{gpus: 8,", "{exclusive: false, gpus: 8,", "openrlhf runs on Ray, which starts beside no other Ray"),
        ("slurm", "qos: long", "image: a.org/rl:1", "it writes a registry so: a.org#rl:1"),
        ("slurm", "qos: long", "image: rl:1\n  runtime: apptainer", "takes a file, /images/rl.sif, or an address"),
        ("kuberay", "memory: 900Gi", "memory: 900GB", "compute.pools.large.memory"),
        ("skypilot", "memory: 900+", "memory: 900Gi", "compute.pools.large.memory"),
        ("kuberay", "JUDGE_API_KEY: judges/main", "JUDGE_API_KEY: judges", "compute.secrets.JUDGE_API_KEY"),
        ("kuberay", "image: registry", "host: registry", "compute.host: slurm has it, and --on kuberay has not"),
        ("kuberay", "{/shared: runs}", "{/other: runs}", "/shared/runs is below none of compute.mounts"),
        ("kuberay", "workdir: /shared/data", "resume: {walltime: '24:00:00'}", "only Slurm accounts for"),
        ("skypilot", "accelerator: H100, ", "", "`gpus` needs the kind of GPU: accelerator: H100"),
        ("skypilot", "output: /shared/runs", "output: /shared/data/runs", "in a bucket, where files have neither"),
    ],
)
def test_a_mistake_gets_one_error_with_its_place(refused, scheduler, old, new, said):
    assert said in refused(scheduler, old, new)


@pytest.mark.usefixtures("trl")
@each_case(
    "scheduler, override, said",
    [
        ("slurm", "backend.address=http://head:8265", "the job brings a Ray cluster of its own; leave the address out"),
        ("slurm", "stages.3.loss=constant", "OpenRLHF cannot divide by a constant length"),
        ("kuberay", "backend={use: trl}", "the engine trl needs no cluster, and a RayJob is one; take slurm or sky"),
        ("slurm", "backend={use: trl, processes: 16}", "a node has 8 GPUs, and the recipe's backend takes 16 of each"),
        ("slurm", "backend={use: trl, accelerate: {num_machines: 2}}", "trl on 2 machines is started by `accelerate`"),
        ("slurm", "judges.main.with.model=${oc.env:WHICH}", "it reads WHICH, which no node has"),
        (
            "kuberay",
            "stages.3.dataset={use: data/jsonl, with: {path: /me/r.jsonl}}",
            "the rows /me/r.jsonl are below none",
        ),
    ],
)
def test_a_recipe_that_the_job_cannot_run_is_refused(refused, scheduler, override, said):
    assert said in refused(scheduler, "", "", override)


def test_what_this_shell_has_is_not_what_the_job_has(main, write, sites, monkeypatch):
    """The recipe's default counts, as on the node; here the variable would name a model that nothing serves."""
    write("site.yaml", sites.SLURM)
    words = ("launch", sites.RECIPE, "judges.main.with.model=${oc.env:WHICH,gpt-4o-mini}", "--on", "slurm")
    monkeypatch.setenv("WHICH", "another")
    assert main(*words, "--site", "site.yaml", "--dry-run")[0] == 0
    assert os.environ["WHICH"] == "another"


def test_variables_that_scripts_leave_as_they_are_can_be_given(main, write, sites):
    given = "{http_proxy: 'http://proxy:3128', CUDA_VISIBLE_DEVICES: '0,1', OMP_NUM_THREADS: '8'}"
    write("site.yaml", sites.SLURM.replace("{HF_HOME: /shared/hf}", given))
    code, _, err = main("launch", sites.RECIPE, "--on", "slurm", "--site", "site.yaml", "--dry-run")
    assert code == 0, err


def test_a_runs_folder_has_one_path_on_a_node_and_in_its_image(refused):
    """The job's own script is in no container, and writes there, too."""
    said = refused("slurm", "mounts: {/shared: /shared}", "image: /images/rl.sqsh\n  mounts: {/shared: /lustre/me}")
    assert "job.output: is /lustre/me/runs on the nodes, where the job's own scripts write, too" in said


def test_names_that_kubernetes_takes_are_taken(main, write, sites):
    write("site.yaml", sites.KUBERAY.replace("namespace: rl", "namespace: 3-team-of-research-into-rewards-and-more"))
    assert main("launch", sites.RECIPE, "--on", "kuberay", "--site", "site.yaml", "--dry-run")[0] == 0


def test_rows_in_a_store_need_no_mount(main, write, sites):
    write("site.yaml", sites.KUBERAY)
    words = ("launch", sites.RECIPE, "s3://bucket/rows", "--command", "score", "--on", "kuberay")
    assert main(*words, "--site", "site.yaml", "--dry-run")[0] == 0


def test_tasks_of_an_array_have_no_servers(refused):
    score = ("rows.jsonl", "--command", "score", "--shards", "8")
    assert "each of the tasks would start servers of its own" in refused("slurm", "", "", *score)


def test_every_mistake_is_named_at_once(refused):
    said = refused("slurm", "variable: JUDGE_URL\n    replicas: 10", "variable: JUDGE\n    gpus: 9")
    assert "a replica needs 9" in said
    both = refused("slurm", "variable: JUDGE_URL", "variable: JUDGE", "backend.address=http://head:8265")
    assert "nothing would ask this service" in both
    assert "leave the address out" in both


@each_case(
    "words, said",
    [
        ("sp3f", "a recipe needs --on"),
        ("status", "which job? rewardlab launch status NAME"),
        ("stop it --submit", "stop takes a job's name and nothing else"),
        ("sp3f --on slurm --site s.yaml --shards 4", "go with --command score"),
        ("sp3f --on slurm --site s.yaml --command score", "--command score needs a file of rows"),
        ("sp3f --on slurm --site s.yaml --submit --dry-run", "--submit goes neither with"),
        ("sp3f - --on slurm --site s.yaml --command score", "--command score needs a file of rows"),
        ("sp3f --on slurm --site s.yaml --name 7b", "is no name that all schedulers take"),
        ("sp3f r.jsonl --on kuberay --site s.yaml --command score --shards 2", "arrays of shards are Slurm's"),
        ("sp3f --on slurm --site s.yaml --name Üben", "is no name that all schedulers take"),
        ("status nothing", "no job 'nothing' was launched from here"),
    ],
)
def test_flags_that_do_not_go_together_are_refused(main, words, said):
    code, _, err = main("launch", *words.split())
    assert code == 2
    assert said in err


def test_a_site_file_that_cannot_be_read_is_named(main, write):
    write("site.yaml", "compute: [\n")
    assert (
        "no-site.yaml: the site file cannot be read"
        in main("launch", "sp3f", "--on", "slurm", "--site", "no-site.yaml")[2]
    )
    assert "site.yaml:2: column 1" in main("launch", "sp3f", "--on", "slurm", "--site", "site.yaml")[2]


def test_resolve_only_prints_the_site_with_its_defaults(main, write, sites):
    write("site.yaml", sites.SLURM)
    code, out, _ = main("launch", sites.RECIPE, "--on", "slurm", "--site", "site.yaml", "--resolve-only")
    assert code == 0
    write("site.yaml", out)
    assert main("launch", sites.RECIPE, "--on", "slurm", "--site", "site.yaml", "--resolve-only")[1] == out
    assert "grace: 180" in out
    assert "path: /health" in out
