"""Site files of tests: one for each scheduler, in which every key stands once."""

SLURM = """
version: 1
services:
  judge:
    model: Qwen/Qwen3-8B
    variable: JUDGE_URL
    replicas: 10
    pool: small
    arguments: [--served-model-name, gpt-4o-mini]
compute:
  host: login.example.org
  account: rl
  qos: long
  walltime: "24:00:00"
  pools:
    large: {gpus: 8, cpus: 64, partition: h100}
    small: {gpus: 4, cpus: 32, partition: a100, memory: 200G, extra: [--constraint=nvlink]}
  mounts: {/shared: /shared}
  setup: [". /shared/env/bin/activate"]
  environment: {HF_HOME: /shared/hf}
  secrets: {JUDGE_API_KEY: /home/me/.keys/judge, TEACHER_API_KEY: /home/me/.keys/teacher}
job:
  output: /shared/runs
  workdir: /shared/data
  resume: {retries: 5, walltime: "3-00:00:00"}
"""
KUBERAY = """
version: 1
services:
  judge:
    server: sglang
    model: Qwen/Qwen3-8B
    variable: JUDGE_URL
    replicas: 3
    pool: small
    arguments: [--served-model-name, gpt-4o-mini]
compute:
  image: registry.example.org/rewardlab-openrlhf:0.1.0
  namespace: rl
  queue: team
  service_account: trainer
  walltime: "24:00:00"
  pools:
    large: {gpus: 8, cpus: 64, memory: 900Gi, node_selector: {gpu: h100}}
    small: {gpus: 4, tolerations: [{key: gpu, operator: Exists}]}
  mounts: {/shared: runs}
  environment: {HF_HOME: /shared/hf}
  secrets: {JUDGE_API_KEY: judges/main, TEACHER_API_KEY: judges/teacher}
job:
  output: /shared/runs
  workdir: /shared/data
"""
SKYPILOT = """
version: 1
services:
  judge:
    model: Qwen/Qwen3-8B
    variable: JUDGE_URL
    gpus: 2
    replicas: 5
    pool: small
    arguments: [--served-model-name, gpt-4o-mini]
compute:
  infra: kubernetes
  image: example/rewardlab-openrlhf:0.1.0
  walltime: "24:00:00"
  pools:
    large: {gpus: 8, cpus: 64, memory: 900+, accelerator: H100, disk_gb: 500}
    small: {gpus: 4, accelerator: A100, spot: true}
  mounts: {/shared: runs, /shared/data: "s3://rows"}
  environment: {HF_HOME: /shared/hf}
  secrets: {JUDGE_API_KEY: JUDGE_API_KEY, TEACHER_API_KEY: MY_TEACHERS_KEY}
job:
  output: /shared/runs
  workdir: /shared/data
"""
SITES = {"slurm": SLURM, "kuberay": KUBERAY, "skypilot": SKYPILOT}
RECIPE = "sp3f_4_nodes"
