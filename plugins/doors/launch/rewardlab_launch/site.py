"""The site file: where jobs run, and with which servers. A recipe says what is trained, and knows nothing of it."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, NonNegativeInt, PositiveInt, model_validator
from rewardlab import Config

from rewardlab_launch.site_values import (
    KEY_OF_SERVER,
    OPTIONS_OF_JOB,
    OPTIONS_OF_RAY,
    PORT,
    Name,
    Text,
    Variable,
    Walltime,
    WholePath,
    without_mistake,
    without_options,
    without_secrets,
)


class Health(Config):
    """How a server says that it is up."""

    path: Annotated[str, Field(pattern="^/[A-Za-z0-9._/-]*$")] = "/health"
    """answered with 200 once the model is loaded; vLLM and SGLang have it"""
    timeout: PositiveInt = 1800
    """seconds for loading the model"""


class SiteService(Config):
    """A judge, a translator or a policy behind servers that live as long as the job."""

    server: Literal["vllm", "sglang", "command"] = "vllm"
    """what serves the model; command: `command`"""
    model: Text | None = None
    """the model, as the server loads it"""
    command: tuple[Text, ...] = ()
    """the words of another server's command; {port} in them is its port"""
    arguments: tuple[str, ...] = ()
    """more of the server's arguments, such as [--max-model-len, "16384"]"""
    variable: Variable
    """the environment variable by which the recipe reads the address: base_url: "${oc.env:VARIABLE}\""""
    gpus: NonNegativeInt = 1
    """GPUs of each replica, on one node: the model is divided between them"""
    cpus: PositiveInt = 8
    """cores of each replica"""
    replicas: PositiveInt = 1
    """servers with the same model, which share the questions"""
    restarts: NonNegativeInt = 10
    """how often a server that dies is started again"""
    pool: Name | None = None
    """the node pool of `compute.pools` (absent: the trainer's)"""
    port: Annotated[int, Field(ge=1024, le=45000)] = 8000
    """of the first server on a node; the others have the next ones, and a job on shared nodes counts from its number"""
    image: Text | None = None
    """the container of the server (absent: `compute.image`)"""
    health: Health = Field(default_factory=Health)
    """how a server says that it is up"""

    @model_validator(mode="after")
    def _has_what_it_serves(self) -> "SiteService":
        if self.server == "command" and not self.command:
            raise ValueError("server: command needs `command`, the words that start the server")
        if self.server != "command" and (self.command or self.model is None):
            raise ValueError(f"server: {self.server} needs a `model`, and no `command`")
        if self.server == "command" and not any(PORT in word for word in (*self.command, *self.arguments)):
            raise ValueError(f"`command` has no {PORT}, so its servers would not listen where they are asked")
        if self.server != "command":
            without_options(self.arguments, {"--port": "port", "--host": "port"})
        if any(map(KEY_OF_SERVER.match, (*self.command, *self.arguments))):  # the message must not repeat it
            raise ValueError(
                "a key would stand in a script and in the list of processes; name VLLM_API_KEY in compute.secrets, "
                "or start the server by a script of your own"
            )
        return self


class NodePool(Config):
    """Nodes of one kind."""

    gpus: NonNegativeInt
    """GPUs of a node"""
    cpus: PositiveInt | None = None
    """cores of a node that a job takes (absent: what the scheduler gives)"""
    memory: str | None = None
    """memory of a node that a job takes, as the scheduler writes it"""


class SlurmPool(NodePool):
    """Nodes of a partition."""

    partition: Text | None = None
    """the partition (absent: the cluster's own choice)"""
    gpu: Annotated[str, Field(pattern="^[A-Za-z0-9_.-]+$")] | None = None
    """the kind of GPU, where the cluster wants it said, such as h100"""
    memory: Annotated[str, Field(pattern="^[0-9]+[KMGT]?$")] | None = None
    """memory of a node, such as 500G (absent: all of a node that is `exclusive`)"""
    exclusive: bool = True
    """take whole nodes: the end of a job's Ray stops every Ray of the user on a node"""
    extra: tuple[Text, ...] = ()
    """further options of sbatch, such as --constraint=nvlink or --reservation=rl"""

    @model_validator(mode="after")
    def _adds_what_no_key_says(self) -> "SlurmPool":
        for option in self.extra:
            if not option.startswith("-"):
                raise ValueError(f"extra: {option!r} is no option of sbatch, such as --constraint=nvlink")
        of_gpus = dict.fromkeys(("--gres", "--gpus", "-G", "--gpus-per-node"), "gpus") if self.gpus else {}
        without_options(self.extra, OPTIONS_OF_JOB | of_gpus)
        return self


class KubeRayPool(NodePool):
    """Nodes that pods are placed on."""

    node_selector: dict[str, str] = Field(default_factory=dict)
    """labels that a node must have"""
    tolerations: tuple[dict[str, Any], ...] = ()
    """taints that pods tolerate, as Kubernetes writes them"""
    gpu: Text = "nvidia.com/gpu"
    """the resource that a GPU is"""
    memory: Annotated[str, Field(pattern="^[0-9]+([.][0-9]+)?([KMGTPE]i|[kMGTPE])?$")] | None = None
    """memory of a node that a pod takes, such as 500Gi"""


class SkyPilotPool(NodePool):
    """Machines that SkyPilot looks for."""

    accelerator: Text | None = None
    """the kind of GPU, such as H100"""
    spot: bool = False
    """take machines that can be lost at any time"""
    memory: Annotated[str, Field(pattern="^[0-9]+([.][0-9]+)?([KMGTP]B)?[+x]?$")] | None = None
    """memory of a machine in GB; 900+ is at least 900"""
    disk_gb: PositiveInt | None = None
    """the disk of a machine"""

    @model_validator(mode="after")
    def _names_its_gpus(self) -> "SkyPilotPool":
        if self.gpus and self.accelerator is None:
            raise ValueError("`gpus` needs the kind of GPU: accelerator: H100")
        return self


class Compute(Config):
    """What every scheduler is told."""

    walltime: Walltime
    """the limit of one attempt, such as 24:00:00"""
    image: Text | None = None
    """the container that has rewardlab, its plugins and the engine (absent: the nodes' own environment)"""
    setup: tuple[Text, ...] = ()
    """lines of shell before anything else on each node, such as `. /shared/env/bin/activate`"""
    environment: Annotated[dict[Variable, str], AfterValidator(without_secrets)] = Field(default_factory=dict)
    """variables of every process of the job; no secrets"""
    ray: Text | None = None
    """the version of Ray on the nodes (absent: the one that the engine is made for)"""


class SlurmCompute(Compute):
    """A cluster with Slurm."""

    host: Text | None = None
    """the login node, for ssh (absent: sbatch is called here)"""
    account: Text | None = None
    """whom the job is charged to"""
    qos: Text | None = None
    """the quality of service"""
    ray_wait: PositiveInt = 900
    """seconds for the Rays of all nodes to come up; Ray's own 30 are too few for many"""
    ray_options: tuple[Text, ...] = ()
    """more options of `ray start` on each node, such as [--temp-dir=/scratch/ray]"""
    runtime: Literal["pyxis", "apptainer"] = "pyxis"
    """what runs the image: srun itself, by the plugin pyxis, or apptainer on each node"""
    pools: dict[Name, SlurmPool] = Field(min_length=1)
    """kinds of nodes by name; the first is the trainer's unless `job.pool` says otherwise"""
    mounts: dict[WholePath, WholePath] = Field(default_factory=dict)
    """path in the job -> path on the nodes; with an image a mount of the container, else the same path"""
    secrets: dict[Variable, WholePath] = Field(default_factory=dict)
    """variable -> the file on the cluster that holds its value, which nobody but you may read"""

    @model_validator(mode="after")
    def _starts_what_it_says(self) -> "SlurmCompute":
        without_options(self.ray_options, OPTIONS_OF_RAY)
        if self.image is not None:
            without_mistake(self.image, self.runtime)
        return self

    @model_validator(mode="after")
    def _can_be_mounted(self) -> "SlurmCompute":
        for here, there in self.mounts.items():
            if self.image is None and here != there:
                raise ValueError(f"without an image nothing is mounted, and {here} in `mounts` is not {there}")
            if {",", ":"} & {*here, *there}:
                raise ValueError(f"mounts: {here} -> {there}: a container's mounts have no comma and no colon in them")
        return self


class KubeRayCompute(Compute):
    """A Kubernetes cluster with the KubeRay operator."""

    context: Text | None = None
    """kubectl's context (absent: the current one)"""
    namespace: Annotated[str, Field(pattern="^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")] = "default"
    """where everything is made"""
    queue: Text | None = None
    """Kueue's queue, by which the job is admitted as a whole"""
    service_account: Text | None = None
    """of all pods"""
    image: Text
    """the container that has rewardlab, its plugins and the engine"""
    shared_memory: Text = "32Gi"
    """/dev/shm of each pod, in which Ray keeps objects"""
    keep_s: NonNegativeInt = 3600
    """seconds for which a job that has ended is kept, to be looked at"""
    pools: dict[Name, KubeRayPool] = Field(min_length=1)
    """kinds of nodes by name; the first is the trainer's unless `job.pool` says otherwise"""
    mounts: dict[WholePath, Text] = Field(default_factory=dict)
    """path in the job -> the persistent volume claim that is mounted there, for many pods at once"""
    secrets: dict[Variable, Annotated[str, Field(pattern=r"^[a-z0-9.-]+/[A-Za-z0-9._-]+$")]] = Field(
        default_factory=dict
    )
    """variable -> SECRET/KEY: a secret of Kubernetes, and its key"""


class SkyPilotCompute(Compute):
    """Whatever SkyPilot reaches."""

    infra: Text | None = None
    """where: kubernetes, aws/us-east-1 and so on (absent: SkyPilot's choice)"""
    pools: dict[Name, SkyPilotPool] = Field(min_length=1)
    """kinds of machines by name; the first is the trainer's unless `job.pool` says otherwise"""
    mounts: dict[WholePath, Text] = Field(default_factory=dict)
    """path in the job -> a volume by name, or a bucket such as s3://NAME"""
    secrets: dict[Variable, Variable] = Field(default_factory=dict)
    """variable -> the variable of this shell that holds its value when the job is submitted"""


class Resume(Config):
    """How a run that was cut off goes on: from its last checkpoint, in its own folder."""

    retries: NonNegativeInt = 3
    """attempts after the first"""
    walltime: Walltime | None = None
    """the most that all attempts together may take (absent: retries bound it)"""


class Job(Config):
    """Where a job keeps its files, and how it goes on."""

    output: WholePath
    """a folder that every node sees, which gets a folder of the job's name"""
    workdir: WholePath | None = None
    """the folder in which the command runs, from which the recipe's paths go (absent: the job's folder)"""
    pool: Name | None = None
    """the trainer's node pool (absent: the first)"""
    resume: Resume = Field(default_factory=Resume)
    """how a run that was cut off goes on"""
    grace: Annotated[int, Field(ge=60, le=3600)] = 180
    """seconds between the signal to save and the limit; Slurm sends it up to 60 s earlier"""


class Site(Config):
    """A site file: services, compute and job."""

    version: Literal[1]
    """of this form of the file"""
    services: dict[Name, SiteService] = Field(default_factory=dict)
    """servers that live as long as the job, by name"""
    compute: Any
    """the cluster"""
    job: Job
    """where the job keeps its files, and how it goes on"""


class SlurmSite(Site):
    """A site file for --on slurm."""

    compute: SlurmCompute


class KubeRaySite(Site):
    """A site file for --on kuberay."""

    compute: KubeRayCompute


class SkyPilotSite(Site):
    """A site file for --on skypilot."""

    compute: SkyPilotCompute
