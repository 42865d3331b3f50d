"""The recipe: what a YAML file may say, as pydantic models. Cross-checks that need plugins are in `plan`."""

import math
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    Tag,
    field_validator,
    model_validator,
)

from rewardlab.errors import nearest
from rewardlab.recipe.probe_families import FAMILIES, Family
from rewardlab.recipe.use import ComponentUse, DatasetUse, JudgeUse, Share, Use
from rewardlab.specs import Config

VERSION = 1
SET_FIELD = "eval_set"
"""the field in which a prompt to evaluate on has the name of its set"""

MISSING_FIELD = "eval_missing"
"""the field in which a prompt has the number of completions that a served policy did not give"""

SetName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
"""of an evaluation set; part of the names of metrics"""


class RewardSection(Config):
    """The components and how they make one number."""

    components: dict[str, ComponentUse] = Field(min_length=1)
    """a name of your choice: a reward"""
    total: str
    """names, numbers, + - * /, min max clip, parentheses"""
    normalize: list[str | Use] = Field(default_factory=list)
    """normalizers, in order; only with dr_grpo, which takes the group's mean off, if none of them takes one"""
    correctness: str | None = None
    """the component that says whether an answer is right, for filtering and curricula"""


class TinyModel(Config):
    """A small Llama with random weights and a byte-level tokenizer trained on the sft rows, built on this machine."""

    use: Literal["tiny"]
    """the only model that is built here"""
    hidden_size: PositiveInt = 128
    """width of the model: numbers for each token in each layer; a multiple of `heads`"""
    layers: PositiveInt = 2
    """transformer layers"""
    heads: PositiveInt = 4
    """attention heads of a layer"""
    intermediate_size: PositiveInt = 384
    """width of a layer's feed-forward part"""
    vocabulary: PositiveInt = 1000
    """most tokens of the tokenizer, which is trained on the rows; 256 of them are the bytes"""
    context: PositiveInt = 2048
    """tokens of the longest sequence, prompt and completion together"""


class Chat(Config):
    """How a prompt becomes text."""

    system: str | None = None
    """a system message put before every prompt without one"""
    template: str | None = None
    """a Jinja chat template in place of the tokenizer's own"""
    thinking: bool | None = None
    """`enable_thinking` of the chat template"""


class Evaluation(Config):
    """Sampling from the model on held-out prompts and scoring with the recipe's reward."""

    dataset: DatasetUse | None = None
    """absent: the held-out rows of the recipe's dataset"""
    sets: dict[SetName, DatasetUse | None] = Field(default_factory=dict)
    """in place of `dataset` several, each with a name of your choice; null: the held-out rows of the recipe's"""
    samples: PositiveInt = 8
    """completions a prompt"""
    prompts: PositiveInt | None = None
    """maximum number of prompts, taken evenly over the sets and the values of `by`"""
    temperature: NonNegativeFloat | None = None
    """absent: the rl stage's, and 1 in a stage eval (of a served policy its judge's or the server's); 0: greedy"""
    benchmark: str | None = None
    """a name for the results"""
    by: list[str] = Field(default_factory=lambda: ["language"])
    """fields that split the results, in every file, table and tracker"""

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if self.dataset is not None and self.sets:
            raise ValueError("`dataset` and `sets` exclude each other; make the dataset one of the sets")
        if "from" in self.sets:  # where a place in the file ends with it, that is a dataset's source
            raise ValueError("a set cannot be called `from`; call it something else")
        return self

    @property
    def split_by(self) -> list[str]:
        """The fields by which results are split: `by`, after the prompt's set if there are several sets."""
        return [SET_FIELD, *self.by] if self.sets else self.by


class Validation(Config):
    """Choose the best checkpoint of a stage by greedy answers to rows, scored by one component."""

    component: Annotated[str, Field(min_length=1)]
    """the component of the reward that scores them; whether it counts in `total` does not matter"""
    metric: Literal["mean", "kendall_tau"] = "mean"
    """mean: of its values. kendall_tau: rank correlation of the score that it read (`raw`) with the rows' `gold`"""
    gold: Annotated[str, Field(min_length=1)] = "score"
    """kendall_tau: the field with a row's right score, a number"""
    dataset: DatasetUse | None = None
    """absent: the held-out rows of the stage's dataset"""
    prompts: PositiveInt | None = None
    """most rows, taken evenly over their languages (absent: all)"""
    max_new_tokens: PositiveInt = 1024
    """tokens of the longest answer"""
    max_missing: Share = 0.05
    """share of answers without a score above which a checkpoint is not chosen"""


class Divergence(Config):
    """When a training counts as diverged, beside a loss, gradient norm or KL divergence that is NaN or infinite."""

    times: Annotated[float, Field(gt=1)] = 10.0
    """a loss or KL divergence of this many times its usual level is far above it"""
    least: PositiveFloat = 1.0
    """and none up to this is: the losses of policy gradients are next to 0"""
    window: PositiveInt = 50
    """logged steps whose median (of absolute values) is the usual level; steps far above it do not count for it"""
    history: PositiveInt = 5
    """least steps for a median; with fewer values, the largest one is the usual level"""
    lasting: PositiveInt = 3
    """logged steps in a row that must be far above: a spike passes"""
    collapse: PositiveInt = 10
    """steps in a row after which a reward has collapsed: its total is next to the least, or no group has any
    difference, well below the best that was there"""
    lost: Annotated[float, Field(gt=0, le=1)] = 0.9
    """next to the least: this share of the way from the best total (the highest mean of three steps) down is lost"""


class _Training(Config):
    learning_rate: PositiveFloat = 1e-5
    """AdamW's learning rate, after warm-up"""
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    """of the learning rate after warm-up: as it is, or down to 0 at the stage's last step, straight or by a cosine"""
    min_learning_rate: NonNegativeFloat = 0.0
    """the rate at the end of a cosine, instead of 0; the value model of ppo ends at the same share of its own rate"""
    warmup_steps: NonNegativeInt = 0
    """steps over which the learning rate rises from 0"""
    warmup_ratio: Annotated[float, Field(ge=0, le=1)] | None = None
    """in place of warmup_steps: the share of the stage's steps, rounded up"""
    weight_decay: NonNegativeFloat = 0.0
    """AdamW's weight decay: 0.01 takes 1% of the learning rate off a weight at each update"""
    adam_beta2: Annotated[float, Field(gt=0, lt=1)] = 0.999
    """AdamW's decay rate of the squared gradients; its beta1 is 0.9"""
    max_grad_norm: PositiveFloat = 1.0
    """longest gradient: a longer one is scaled down to this L2 norm"""
    micro_batch_size: PositiveInt | None = None
    """rows or completions in one forward pass; gradients add up over the batch (absent: the whole batch; with openrlhf
    as many as fit on a GPU)"""
    steps: PositiveInt | None = None
    """batches to train on; absent: `epochs` decide"""
    epochs: PositiveFloat = 1.0
    """passes over the data, if `steps` is absent"""
    save_every: PositiveInt | None = None
    """steps between checkpoints (absent: one at the end of the stage)"""
    keep: Literal["last", "best"] = "last"
    """which of its checkpoints is the stage's model: the last, or the best by `validation`, of equals the earlier"""
    validation: Validation | None = None
    """with `keep: best`: how the best one is chosen"""
    chat: Chat = Field(default_factory=Chat)
    """how the stage's prompts become text"""
    on_divergence: Literal["tell", "fail", "stop"] = "tell"
    """if the training's metrics show that it diverged: warn and go on; go on, and end the run with exit code 1; or stop
    at once with exit code 1 and the last checkpoint. A NaN loss always stops"""
    divergence: Divergence = Field(default_factory=Divergence)
    """when training counts as diverged"""

    @model_validator(mode="after")
    def _ends_above_its_minimum(self) -> Self:
        if self.min_learning_rate and self.schedule != "cosine":
            raise ValueError("min_learning_rate is the final rate of a cosine; set schedule: cosine, or leave it out")
        if self.min_learning_rate > self.learning_rate:
            raise ValueError(f"min_learning_rate is more than learning_rate, {self.learning_rate:g}")
        return self

    @model_validator(mode="after")
    def _keeps_what_is_measured(self) -> Self:
        if (self.keep == "best") != (self.validation is not None):
            raise ValueError("`keep: best` and `validation` go together; give both, or leave both out")
        if self.keep == "best" and self.save_every is None:
            raise ValueError("`keep: best` chooses among checkpoints; say how often there is one, `save_every: 100`")
        return self

    @model_validator(mode="after")
    def _warms_up_once(self) -> Self:
        if self.warmup_ratio is not None and self.warmup_steps:
            raise ValueError("warmup_steps and warmup_ratio exclude each other; leave one of them out")
        return self

    def warmup_of(self, steps: int) -> int:
        """Return over how many of the stage's steps the learning rate rises."""
        if self.warmup_ratio is None:
            return self.warmup_steps
        return math.ceil(round(self.warmup_ratio * steps, 6))  # .07 x 100 is 7, not 8


class _Sampling(Config):
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    """sample from the likeliest tokens that together have this probability; 1: from all"""
    top_k: PositiveInt | None = None
    """sample from this many of the likeliest tokens (absent: from all)"""
    stop: list[Annotated[str, Field(min_length=1)]] = Field(default_factory=list)
    """texts that end a completion, which keeps them; evaluations in a stage rl sample as it does, too"""


class DataStage(Config):
    """Write a dataset to a file."""

    use: Literal["data"]
    """which stage this is"""
    dataset: DatasetUse
    """the dataset to write, usually a data step with a `from`"""
    to: str
    """a JSONL file; rows that it already has (by id) are kept"""


class SftStage(_Training):
    """Supervised fine-tuning on rows with `response`."""

    use: Literal["sft"]
    """which stage this is"""
    dataset: DatasetUse | None = None
    """absent: the recipe's dataset"""
    batch_size: PositiveInt = 16
    """rows a step"""
    max_tokens: PositiveInt | None = None
    """tokens of the longest row, prompt and response; longer ones are cut here (absent: the model's context)"""


class DpoStage(_Training):
    """Direct preference optimisation on rows with `chosen` and `rejected`."""

    use: Literal["dpo"]
    """which stage this is"""
    dataset: DatasetUse | None = None
    """absent: the recipe's dataset"""
    batch_size: PositiveInt = 16
    """pairs a step"""
    beta: PositiveFloat = 0.1
    """how much it costs to leave the reference model, which is the model as this stage finds it"""
    max_tokens: PositiveInt | None = None
    """tokens of the longest row, prompt and response; longer ones are cut here (absent: the model's context)"""


class Kl(Config):
    """A penalty for leaving the reference model, which is the model as this stage finds it."""

    coef: NonNegativeFloat = 0.0
    """weight of the penalty; 0: none, and no reference model is loaded"""
    into: Literal["loss", "reward"] = Field(default="loss", alias="in")
    """where it is applied: as a term of the loss, or subtracted from the reward of each token"""
    estimator: Literal["k1", "k2", "k3"] = "k3"
    """of the divergence at a token, from d = log p - log p_reference: k1 is d, k2 is d^2 / 2, k3 is exp(-d) - 1 + d,
    the one of trl (absent with `in: reward`: k1, whose gradient is the divergence's there)"""

    @model_validator(mode="after")
    def _fits_the_place(self) -> Self:
        if self.into == "reward" and "estimator" not in self.model_fields_set:
            object.__setattr__(self, "estimator", "k1")
        return self


class CriticSettings(Config):
    """The value model of algorithm ppo, which starts from the policy's weights."""

    learning_rate: PositiveFloat = 9e-6
    """AdamW's learning rate for the value model"""
    warmup_steps: NonNegativeInt = 0
    """optimizer updates before its rate is full"""
    value_clip: PositiveFloat = 0.5
    """most that a value may move in one step from what it was when the completion was sampled"""
    lambda_: Annotated[float, Field(ge=0, le=1)] = Field(default=1.0, alias="lambda")
    """of generalized advantage estimation, in [0, 1]: 1 has no bias, less has less variance"""
    gamma: Annotated[float, Field(gt=0, le=1)] = 1.0
    """the factor by which a reward counts for the token before it, in (0, 1]: 1 discounts nothing"""


class RlStage(_Training, _Sampling):
    """Reinforcement learning with the recipe's reward."""

    use: Literal["rl"]
    """which stage this is"""
    dataset: DatasetUse | None = None
    """absent: the recipe's dataset"""
    algorithm: Literal["grpo", "dr_grpo", "rloo", "reinforce_baseline", "ppo"]
    """how rewards become advantages, and nothing else: grpo (r - mean) / std in the group, dr_grpo r - mean, rloo r -
    mean of the others, reinforce_baseline r - mean whitened over the batch, ppo has a critic"""
    loss: Literal["token_mean", "seq_mean", "constant"] | None = None
    """how token losses are averaged (absent: the backend's nearest to the algorithm's paper)"""
    group_size: PositiveInt = 8
    """completions a prompt"""
    batch_size: PositiveInt = 32
    """prompts a step"""
    updates_per_batch: PositiveInt = 1
    """optimizer updates that a step's completions are split into"""
    epochs_per_batch: PositiveInt = 1
    """passes over a step's completions, each of `updates_per_batch` updates; the clip bounds the change by later
    ones"""
    clip: Annotated[list[PositiveFloat], Field(min_length=2, max_length=2)] = Field(default_factory=lambda: [0.2, 0.2])
    """lower and upper distance of the probability ratio from 1"""
    kl: Kl = Field(default_factory=Kl)
    """a penalty for leaving the model as this stage finds it (absent: none)"""
    temperature: PositiveFloat = 1.0
    """of sampling; 1 samples as the model predicts, less gives more similar completions"""
    max_prompt_tokens: PositiveInt | None = None
    """longer prompts, in tokens, are left out and counted (absent: all train)"""
    max_new_tokens: PositiveInt = 1024
    """tokens of the longest completion; a longer one is cut, see on_truncated"""
    eval_every: PositiveInt | None = None
    """steps between evaluations"""
    evaluation: Evaluation | None = Field(None, alias="eval")
    """evaluate before the first and after the last step, and every `eval_every`"""
    eval_before: bool = True
    """with `eval`: evaluate before the first step; later evaluations are compared with this"""
    on_truncated: Literal["keep", "mask", "zero"] = "keep"
    """completions cut at max_new_tokens: score as they are, leave out of the loss, or give a total of 0"""
    zero_variance_groups: Literal["keep", "drop"] = "keep"
    """groups whose rewards are all equal, so that they teach nothing (with a group sampler: at its cap). keep: they
    stay in the loss, their tokens count in its mean and `kl` acts on them. drop: they are left out"""
    critic: CriticSettings = Field(default_factory=CriticSettings)
    """of ppo"""

    @property
    def updates(self) -> int:
        """The optimizer updates of one step, over all passes."""
        return self.updates_per_batch * self.epochs_per_batch


class PolicyUse(Config):
    """The policy that a stage `eval` samples from: a server, asked as judges are, or a model that the engine loads."""

    judge: Annotated[str, Field(min_length=1)] | None = None
    """the recipe's name of a judge that reads messages, such as an openai/chat of any OpenAI-compatible server; its
    limits, retries, budget and cassette count, and no engine is needed"""
    model: Annotated[str, Field(min_length=1)] | None = None
    """a folder or hub name of a causal language model, for engines that can load one"""
    max_missing: Share = 0.05
    """share of completions that the server may fail to give; more of them end the stage, and a resume asks for those
    alone. A missing completion is not an empty one: it is left out of all means, counted and reported"""

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if (self.judge is None) == (self.model is None):
            raise ValueError("name either a judge (a served model) or a model (a folder or hub name)")
        if self.model is not None and "max_missing" in self.model_fields_set:
            raise ValueError("max_missing is for a served model; one that the engine loads misses nothing")
        return self


class EvalStage(Evaluation, _Sampling):
    """Evaluate the model as it is at this point, or another policy."""

    use: Literal["eval"]
    """which stage this is"""
    policy: PolicyUse | None = None
    """the model to evaluate (absent: the model as it is at this point)"""
    max_new_tokens: PositiveInt = 1024
    """tokens of the longest completion; of a served policy sent as `max_tokens`, if it is given here or its judge
    has no limit of its own"""
    chat: Chat = Field(default_factory=Chat)
    """how prompts become text; few-shot examples stand in a row's prompt, as earlier turns"""

    @property
    def served(self) -> str | None:
        """The name of the judge that is evaluated; None if an engine samples."""
        return None if self.policy is None else self.policy.judge


def scores(stage: Any) -> bool:
    """Return whether completions are scored in a stage."""
    return isinstance(stage, RlStage | EvalStage) or getattr(stage, "validation", None) is not None


Stage = Annotated[DataStage | SftStage | RlStage | DpoStage | EvalStage, Field(discriminator="use")]


def needs_engine(stage: Stage) -> bool:
    """Return whether a stage is the engine's; data stages and evaluations of a served policy run without one."""
    return not (isinstance(stage, DataStage) or (isinstance(stage, EvalStage) and stage.served is not None))


class BackendUse(Config):
    """The engine that trains, by name; beside `use` stand the engine's own settings."""

    model_config = ConfigDict(extra="allow")

    use: Annotated[str, Field(min_length=1)] | None = None
    """a plugin that is a backend; `rewardlab plugins` lists the installed ones (absent: the default one)"""

    @property
    def settings(self) -> dict[str, Any]:
        """Return what the recipe says beside `use`, for the backend's own config to validate."""
        return dict(self.model_extra or {})


class Probe(Config):
    """For `rewardlab probe`."""

    known: dict[Family, str] = Field(default_factory=dict)
    """a degenerate completion that may win by this reward: why"""

    @field_validator("known", mode="before")
    @classmethod
    def _are_families(cls, known: Any) -> Any:
        for name in known if isinstance(known, dict) else ():
            if name not in FAMILIES:
                raise ValueError(f"no degenerate completion {name!r}{nearest(name, FAMILIES)}")
        return known


def _model_tag(value: Any) -> str:
    return "tiny" if isinstance(value, dict | TinyModel) else "name"


def _whole_number(version: Any) -> Any:
    if isinstance(version, bool):  # which Python takes for 0 and 1
        raise ValueError(f"expected 1, found {str(version).lower()}")
    return version


class Recipe(Config):
    """A whole recipe. `score` needs only version, judges and reward."""

    version: Annotated[Literal[1], BeforeValidator(_whole_number)]
    """of the recipe format"""
    name: str | None = Field(None, pattern=r"^[^/\s][^/\n]*$")
    """of the run directory (absent: the file's name)"""
    seed: NonNegativeInt = 0
    """decides everything that is drawn: weights, orders, samples, held-out rows of steps"""
    model: (
        Annotated[Annotated[str, Tag("name")] | Annotated[TinyModel, Tag("tiny")], Discriminator(_model_tag)] | None
    ) = None
    """a folder or hub name of a causal language model, or {use: tiny}"""
    dataset: DatasetUse | None = None
    """the rows for stages without a dataset of their own"""
    curriculum: Use | None = None
    """the order in which stages read their rows (absent: a shuffle by `seed`, another one for each pass)"""
    sampler: Use | None = None
    """a group sampler: how many completions of a prompt an `rl` stage collects, and which of them it trains on (absent:
    `group_size`, all of them)"""
    judges: dict[str, JudgeUse] = Field(default_factory=dict)
    """a name of your choice: a judge"""
    reward: RewardSection | None = None
    """how a completion is scored; `rl`, `eval` and `rewardlab score` need it"""
    stages: list[Stage] = Field(default_factory=list)
    """what to do, in order: each stage starts from the model that the last one wrote"""
    backend: BackendUse = Field(default_factory=BackendUse)
    """the engine that trains, with its settings beside `use`; `rewardlab plugins trl` lists those of trl"""
    probe: Probe = Field(default_factory=Probe)

    """for `rewardlab probe`: degenerate completions that are known to win; a resume does not compare it"""
