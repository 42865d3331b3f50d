"""The site file: where jobs run, and with which servers. A recipe says what is trained, and knows nothing of it."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, NonNegativeInt, PositiveInt, model_validator
from rewardlab import Config

from rewardlab_launch.site_values import KEY_OF_SERVER, Name, Text, Variable, Walltime, WholePath, without_secrets


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
    port: Annotated[int, Field(ge=1024, le=65000)] = 8000
    """of the first server on a node; the others have the next ones"""
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
    memory: Text | None = None
    """memory of a node that a job takes, as the scheduler writes it: 500G with Slurm, 500Gi with Kubernetes"""


class SlurmPool(NodePool):
    """Nodes of a partition."""

    partition: Text | None = None
    """the partition (absent: the cluster's own choice)"""
    exclusive: bool = True
    """take whole nodes: the end of a job's Ray stops every Ray of the user on a node"""
    extra: tuple[Text, ...] = ()
    """further lines for sbatch, such as --constraint=h100"""


class KubeRayPool(NodePool):
    """Nodes that pods are placed on."""

    node_selector: dict[str, str] = Field(default_factory=dict)
    """labels that a node must have"""
    tolerations: tuple[dict[str, Any], ...] = ()
    """taints that pods tolerate, as Kubernetes writes them"""
    gpu: Text = "nvidia.com/gpu"
    """the resource that a GPU is"""


class SkyPilotPool(NodePool):
    """Machines that SkyPilot looks for."""

    accelerator: Text | None = None
    """the kind of GPU, such as H100"""
    spot: bool = False
    """take machines that can be lost at any time"""
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
    pools: dict[Name, SlurmPool] = Field(min_length=1)
    """kinds of nodes by name; the first is the trainer's unless `job.pool` says otherwise"""
    mounts: dict[WholePath, WholePath] = Field(default_factory=dict)
    """path in the job -> path on the nodes; with an image a mount of the container, else the same path"""
    secrets: dict[Variable, WholePath] = Field(default_factory=dict)
    """variable -> the file on the cluster that holds its value, which nobody but you may read"""

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
