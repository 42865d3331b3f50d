"""Evaluations in a recipe: what is sampled, from which policy, on which rows; and the rows that choose a checkpoint."""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    NonNegativeFloat,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from rewardlab.recipe.agent import Agent
from rewardlab.recipe.use import DatasetUse, Share
from rewardlab.specs import Config

SET_FIELD = "eval_set"
"""the field in which a prompt to evaluate on has the name of its set"""
MISSING_FIELD = "eval_missing"
"""the field in which a prompt has the number of completions that a served policy did not give"""
SetName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
"""the name of an evaluation set; part of the names of metrics"""


OF_THE_RENDERING = {
    "enable_thinking": "write chat.thinking",
    "chat_template": "write chat.template",
    **dict.fromkeys(
        ("messages", "conversation", "tools", "documents", "add_generation_prompt", "continue_final_message"),
        "that is what a prompt is made of",
    ),
    **dict.fromkeys(
        ("tokenize", "padding", "truncation", "max_length", "tokenizer_kwargs", "return_tensors", "return_dict"),
        "prompts are rendered as texts",
    ),
}
"""names that are no variables of a chat template's own -> why"""


def _refuse_of_the_rendering(variables: dict[str, Any]) -> dict[str, Any]:
    for name in variables:
        if name in OF_THE_RENDERING:
            raise ValueError(f"{name} cannot be given here: {OF_THE_RENDERING[name]}")
    return variables


class Chat(Config):
    """The way in which a prompt becomes text."""

    system: str | None = None
    """a system message put before every prompt without one"""
    template: str | None = None
    """a Jinja chat template in place of the tokenizer's own"""
    thinking: bool | None = None
    """`enable_thinking` of the chat template"""
    arguments: Annotated[dict[str, Any], AfterValidator(_refuse_of_the_rendering)] = Field(default_factory=dict)
    """further variables that the chat template reads, such as {reasoning_effort: low}"""

    @property
    def variables(self) -> dict[str, Any]:
        """The variables that the chat template gets beside the messages."""
        thinking = {} if self.thinking is None else {"enable_thinking": self.thinking}
        return {**thinking, **self.arguments}


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


class TokenSampling(Config):
    """The sampling of tokens, in an evaluation as in training."""

    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    """sample from the likeliest tokens that together have this probability; 1: from all"""
    top_k: PositiveInt | None = None
    """sample from this many of the likeliest tokens (absent: from all)"""
    min_p: Annotated[float, Field(ge=0, le=1)] = 0.0
    """sample from the tokens that have at least this share of the likeliest one's probability; 0: from all"""
    repetition_penalty: PositiveFloat = 1.0
    """above 1, tokens that the prompt or the completion has already are less likely; 1: no penalty"""
    stop: list[Annotated[str, Field(min_length=1)]] = Field(default_factory=list)
    """texts that end a completion, which keeps them; evaluations in a stage rl sample as it does, too"""


class StageEvaluation(Evaluation):
    """An evaluation within a stage rl, which samples as the stage does but for what it says itself."""

    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    """absent: the stage's"""
    top_k: PositiveInt | None = None
    """absent: the stage's; null: from all tokens"""
    min_p: Annotated[float, Field(ge=0, le=1)] | None = None
    """absent: the stage's"""
    repetition_penalty: PositiveFloat | None = None
    """absent: the stage's"""

    def sampling(self, stage: TokenSampling) -> TokenSampling:
        """Return how tokens are drawn in the evaluation of a stage that draws them as `stage` says."""
        names = TokenSampling.model_fields
        own = {name: getattr(self, name) for name in self.model_fields_set if name in names}
        given = {name: value for name, value in own.items() if value is not None or name == "top_k"}
        return TokenSampling(**{name: getattr(stage, name) for name in names} | given)


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


class EvalStage(Evaluation, TokenSampling):
    """Evaluate the model as it is at this point, or another policy."""

    use: Literal["eval"]
    """the kind of the stage"""
    policy: PolicyUse | None = None
    """the model to evaluate (absent: the model as it is at this point)"""
    max_new_tokens: PositiveInt = 1024
    """tokens of the longest completion; of a served policy sent as `max_tokens`, if it is given here or its judge
    has no limit of its own"""
    chat: Chat = Field(default_factory=Chat)
    """how prompts become text; few-shot examples stand in a row's prompt, as earlier turns"""
    agent: Agent | None = None
    """tools and turns; the tokens of results count in max_new_tokens (absent: a completion is one answer)"""

    @model_validator(mode="after")
    def _plays_with_its_own_policy(self) -> Self:
        if self.agent is not None and self.served is not None:
            raise ValueError("agent is for a policy that the engine loads; a server is asked for one answer")
        return self

    @property
    def served(self) -> str | None:
        """The name of the judge that is evaluated; None if an engine samples."""
        return None if self.policy is None else self.policy.judge
