"""The stages of a recipe that train, and their settings, the same for every engine."""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from rewardlab.recipe.agent import Agent
from rewardlab.recipe.evaluation import Chat, StageEvaluation, TokenSampling, Validation
from rewardlab.recipe.presets import with_preset
from rewardlab.recipe.use import DatasetUse
from rewardlab.specs import Config

Algorithm = Literal["grpo", "dr_grpo", "rloo", "reinforce_baseline", "ppo"]


class Divergence(Config):
    """Thresholds of divergence, beside a loss, gradient norm or KL divergence that is NaN or infinite."""

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


CISPO_CLIP = (1.0, 4.0)
"""the ratio is at most 5 and at least 0, its own least: the bounds of ScaleRL (2510.13786)"""


class _Training(Config):
    learning_rate: PositiveFloat = 1e-5
    """AdamW's learning rate, after warm-up"""
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    """the learning rate after warm-up: constant, or down to 0 at the stage's last step, straight or by a cosine"""
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
    and verl by `engine.tokens_per_gpu`)"""
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
    """the response if metrics show that the training diverged: warn and go on; go on, and end the run with exit code 1;
    or stop at once with exit code 1 and the last checkpoint. A NaN loss always stops"""
    divergence: Divergence = Field(default_factory=Divergence)
    """when training counts as diverged"""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """further settings of this stage by the engine's own names; none that the recipe says elsewhere. Of trl: the fields
    of SFTConfig, DPOConfig or GRPOConfig (openrlhf and verl have theirs under `backend.engine`)"""

    @model_validator(mode="after")
    def _ends_above_its_minimum(self) -> Self:
        if self.min_learning_rate and self.schedule != "cosine":
            raise ValueError("min_learning_rate is the final rate of a cosine; set schedule: cosine, or leave it out")
        if self.min_learning_rate > self.learning_rate:
            raise ValueError(f"min_learning_rate is above learning_rate, {self.learning_rate:g}")
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


class SftStage(_Training):
    """Supervised fine-tuning on rows with `response`."""

    use: Literal["sft"]
    """the kind of the stage"""
    dataset: DatasetUse | None = None
    """absent: the recipe's dataset"""
    batch_size: PositiveInt = 16
    """rows a step"""
    max_tokens: PositiveInt | None = None
    """tokens of the longest row, prompt and response; longer ones are cut here (absent: the model's context)"""


class DpoStage(_Training):
    """Direct preference optimisation on rows with `chosen` and `rejected`."""

    use: Literal["dpo"]
    """the kind of the stage"""
    dataset: DatasetUse | None = None
    """absent: the recipe's dataset"""
    batch_size: PositiveInt = 16
    """pairs a step"""
    beta: PositiveFloat = 0.1
    """price of leaving the reference model, which is the model as this stage finds it"""
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

    sync_every: PositiveInt | None = None
    """steps after which the reference moves towards the policy (absent: it stays the model that the stage finds)"""
    mixup_alpha: Annotated[float, Field(gt=0, le=1)] = 0.6
    """with sync_every: the share of the policy in the reference's weights then; 1: it becomes the policy"""

    @model_validator(mode="after")
    def _moves_what_is_there(self) -> Self:
        if self.sync_every is not None and not self.coef:
            raise ValueError("sync_every moves the reference, which there is only with a coef")
        if self.sync_every is None and "mixup_alpha" in self.model_fields_set:
            raise ValueError("mixup_alpha goes with sync_every, which says when the reference moves")
        return self

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
    """lambda of generalized advantage estimation, in [0, 1]: 1 has no bias, less has less variance"""
    gamma: Annotated[float, Field(gt=0, le=1)] = 1.0
    """the factor by which a reward counts for the token before it, in (0, 1]: 1 discounts nothing"""


def _needs_algorithm_or_preset(schema: dict[str, Any]) -> None:
    schema["required"].remove("algorithm")
    schema["if"], schema["then"] = {"not": {"required": ["preset"]}}, {"required": ["algorithm"]}


class RlStage(_Training, TokenSampling):
    """Reinforcement learning with the recipe's reward."""

    model_config = ConfigDict(json_schema_extra=_needs_algorithm_or_preset)

    use: Literal["rl"]
    """the kind of the stage"""
    dataset: DatasetUse | None = None
    """absent: the recipe's dataset"""
    preset: Literal["dapo", "dr_grpo", "gspo", "cispo"] | None = None
    """a paper's settings under one name: `run --dry-run` shows the keys that it stands for; what the stage says itself
    goes before them"""
    algorithm: Algorithm
    """how rewards become advantages, and nothing else: grpo (r - mean) / std in the group, dr_grpo r - mean, rloo r -
    mean of the others, reinforce_baseline r - mean whitened over the batch, ppo has a critic"""
    loss: Literal["token_mean", "seq_mean", "constant", "cispo"] | None = None
    """how token losses are averaged (absent: the backend's nearest to the algorithm's paper). cispo: by tokens, and the
    clip bounds the weight of a token's log-probability in place of its gradient"""
    importance_sampling_level: Literal["token", "sequence"] = "token"
    """unit of the probability ratio: each token, or the whole completion (its geometric mean over tokens, GSPO)"""
    entropy_coef: NonNegativeFloat = 0.0
    """weight of the policy's mean entropy by token, which the loss rewards; 0: none"""
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
    """lower and upper distance of the probability ratio from 1 (absent, with `loss: cispo`: [1, 4], so at most 5)"""
    dual_clip: Annotated[float, Field(gt=1)] | None = None
    """most that a ratio counts where the advantage is negative, which `clip` alone does not bound there (absent: it is
    not bounded; 3 in the paper of dual clip, 1912.09729)"""
    kl: Kl = Field(default_factory=Kl)
    """a penalty for leaving the model as this stage finds it (absent: none)"""
    agent: Agent | None = None
    """tools and turns; their tokens count in max_new_tokens, and do not teach (absent: a completion is one answer)"""
    temperature: PositiveFloat = 1.0
    """temperature of sampling; 1 samples as the model predicts, less gives more similar completions"""
    max_prompt_tokens: PositiveInt | None = None
    """longer prompts, in tokens, are left out and counted (absent: all train)"""
    max_new_tokens: PositiveInt = 1024
    """tokens of the longest completion; a longer one is cut, see on_truncated"""
    eval_every: PositiveInt | None = None
    """steps between evaluations"""
    evaluation: StageEvaluation | None = Field(None, alias="eval")
    """evaluate before the first and after the last step, and every `eval_every`"""
    eval_before: bool = True
    """with `eval`: evaluate before the first step; later evaluations are compared with this"""
    on_truncated: Literal["keep", "mask", "zero"] = "keep"
    """completions cut at max_new_tokens: score as they are, leave out of the loss, or give a total of 0"""
    critic: CriticSettings = Field(default_factory=CriticSettings)
    """critic of ppo"""

    @model_validator(mode="before")
    @classmethod
    def _has_the_keys_of_its_preset(cls, stage: Any) -> Any:
        return with_preset(stage)

    @model_validator(mode="after")
    def _clips_what_the_loss_has(self) -> Self:
        if self.loss == "cispo" and "clip" not in self.model_fields_set:
            object.__setattr__(self, "clip", list(CISPO_CLIP))
        if self.loss == "cispo" and self.importance_sampling_level == "sequence":
            raise ValueError(
                "loss cispo weighs single tokens, so importance_sampling_level: sequence does not go with it"
            )
        return self

    @model_validator(mode="after")
    def _clips_twice_beyond_the_clip(self) -> Self:
        if self.dual_clip is None:
            return self
        if self.loss == "cispo":
            raise ValueError("dual_clip does not go with loss cispo, whose clip bounds every ratio already")
        if self.dual_clip <= 1 + self.clip[1]:
            raise ValueError(
                f"dual_clip, {self.dual_clip:g}, is a ratio beyond the clip's upper end, {1 + self.clip[1]:g}"
            )
        return self

    @property
    def evaluation_sampling(self) -> TokenSampling:
        """The sampling of tokens in its evaluation."""
        return self if self.evaluation is None else self.evaluation.sampling(self)

    @property
    def updates(self) -> int:
        """The optimizer updates of one step, over all passes."""
        return self.updates_per_batch * self.epochs_per_batch
