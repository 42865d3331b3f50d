"""The options of the data steps."""

from typing import Annotated, Any, Literal

from pydantic import Field, PositiveInt, model_validator
from rewardlab import Config
from rewardlab_pairwise.pairwise_reward import misfit

from rewardlab_rubric.options import BinaryOptions, Field_, PairOptions, PointwiseOptions, Profile, Strategy
from rewardlab_rubric.rubrics import field_of

Share = Annotated[float, Field(ge=0, le=1)]
REWARDS = {"pointwise": PointwiseOptions, "binary": BinaryOptions, "pairwise": PairOptions}
LIKE_THE_REWARD = ("rubric", "profile", "layout", "template", "strategy", "language", "texts")
JUDGED = {"pointwise": ("response",), "binary": ("response",), "pairwise": ("response_1", "response_2")}
"""the fields of rows with the texts to judge, unless the recipe says"""


class DistilledOptions(Config):
    """Options of rubric/distilled."""

    teacher: Field_
    """the name of the judge that thinks and scores, as declared under `judges`"""
    asks: Literal["pointwise", "binary", "pairwise"] = "pointwise"
    """which reward's question the teacher gets: rubric/pointwise, rubric/binary or rubric/pairwise"""
    rubric: str | dict[str, Any] | list[Any] | None = None
    """as that reward's `rubric`"""
    profile: Profile = "strict"
    """how the teacher's reply is read; as that reward's"""
    layout: Literal["r3", "mr3"] | None = None
    """the sections of the prompt; as that reward's"""
    ties: bool = False
    """of pairs: whether the packaged rubric has Tie and Both Bad; as that reward's"""
    template: str | None = None
    """a file with your own prompt; as that reward's"""
    strategy: Strategy | Literal["translated"] = "eng-eng"
    """the language of the question and of the teacher's thoughts; as that reward's. translated: the teacher thinks in
    English, and `translator` puts thoughts and explanation into the row's language; the row has tgt-tgt's question"""
    translator: Field_ | None = None
    """translated: the name of the judge that translates, as declared under `judges`"""
    translating: dict[str, Any] = Field(default_factory=dict)
    """translated: sampling parameters of the translator's questions, such as {temperature: 0}"""
    candidates: PositiveInt = 1
    """translated: translations asked of each text; the one that is whole and most in the language is taken"""
    least_share: Share = 0.5
    """of the words of a trace that must be in the language that the strategy asks for; a row with less is dropped.
    Short traces, and languages that lingua does not know, are not looked at. 0: nor any other"""
    language: Field_ = "language"
    """the field with the row's language; as that reward's"""
    texts: str | None = None
    """the texts of more languages; as that reward's"""
    judged: list[Field_] | None = None
    """the fields with the text to be judged, of pairs both; null: response, of pairs response_1 and response_2"""
    positions: Literal["source", "hashed"] = "source"
    """of pairs, which text the teacher is shown first. source: the one that `judged` names first. hashed: in
    half of the rows, by a hash of their ids, the other one; the field of the right score then names the other side"""
    gold: Field_ | None = "score"
    """the field with the right score, if a row has one; it must be a level of the rubric. null: rows have none"""
    draws: PositiveInt = 1
    """replies asked for each row, which become a row each"""
    also: list[Strategy] = Field(default_factory=list)
    """other strategies that the teacher is asked by, too; their scores stand in `judged_eng-eng`, `judged_tgt-eng` and
    `judged_tgt-tgt`, for rubric/agreeing"""
    form: Literal["r3", "qwen3"] = "r3"
    """the response to train on. r3: `<think>trace</think>answer`. qwen3: with the line breaks of Qwen3's template"""
    leave_out: list[Literal["trace", "explanation"]] = Field(default_factory=list)
    """parts that the response is to lack: the thoughts, or the answer's explanation"""
    max_dropped: Share = 0.2
    """a larger share of replies without a verdict or without thoughts than this, once there are 50, stops the job"""

    @property
    def reward(self) -> Any:
        """The options of the reward that asks the same question."""
        return self.reward_by(self.asked_by)

    @property
    def asked_by(self) -> Strategy:
        """The strategy by which the teacher is asked."""
        return "eng-eng" if self.strategy == "translated" else self.strategy

    def reward_by(self, strategy: Strategy) -> Any:
        """Return the options of the reward that asks the same question by another strategy."""
        how = {name: getattr(self, name) for name in LIKE_THE_REWARD} | {"strategy": strategy}
        if strategy == "eng-eng":
            how["texts"] = None
        if self.ties:
            how["ties"] = True
        return REWARDS[self.asks](judge=self.teacher, **how)

    @property
    def asked(self) -> list[Any]:
        """The options of the rewards that ask the same questions, one for each strategy."""
        translated: list[Strategy] = ["tgt-tgt"] if self.strategy == "translated" else []
        return [self.reward_by(strategy) for strategy in dict.fromkeys([self.asked_by, *self.also, *translated])]

    @property
    def needs(self) -> list[str]:
        """The fields that each row must have."""
        field = field_of(self.rubric)
        named = [*self.texts_judged, *([] if field is None else [field])]
        return [*named, self.language] if {self.strategy, *self.also} - {"eng-eng"} else named

    @property
    def texts_judged(self) -> tuple[str, ...]:
        """The fields that hold the texts to be judged."""
        return JUDGED[self.asks] if self.judged is None else tuple(self.judged)

    @model_validator(mode="after")
    def _check(self) -> "DistilledOptions":
        self.asked  # noqa: B018 - it checks rubric, profile and template
        if (self.strategy == "translated") != (self.translator is not None):
            raise ValueError("strategy translated and translator go together; give both, or leave both out")
        if self.asked_by in self.also or len(set(self.also)) < len(self.also):
            raise ValueError(f"also names a strategy twice, or {self.asked_by}, which is asked by anyway")
        if self.positions == "hashed" and self.asks != "pairwise":
            raise ValueError(f"positions: hashed goes with pairs; {self.asks} questions show one text")
        wanted = len(JUDGED[self.asks])
        if len(self.texts_judged) != wanted:
            raise ValueError(f"judged has {len(self.texts_judged)} fields; {self.asks} questions show {wanted}")
        return self


class AgreeingOptions(Config):
    """Options of rubric/agreeing."""

    gold: Field_ = "score"
    """the field with the right score"""
    scores: list[Field_] = Field(default_factory=lambda: ["judged"])
    """fields with scores that must all be right for a row to stay; none: []"""
    judge: Field_ | None = None
    """a small model, asked the row's prompt `draws` times: rows that it mostly gets right teach little; null: none"""
    draws: PositiveInt = 5
    """how often it is asked"""
    params: dict[str, Any] = Field(default_factory=dict)
    """sampling parameters of its questions, such as {temperature: 0.7, top_p: 0.8}"""
    profile: Profile = "strict"
    """how its replies are read; see rubric/pointwise"""
    keep: dict[int, Share] | None = None
    """for each number of right draws, the share of rows that stays, such as {5: 0}; all other rows stay. null: all
    but those that it gets right at every draw, as R3 does"""

    rows: PositiveInt | None = None
    """how many rows stay: all with share 1, filled up from the others, drawn with their shares as weights. The source
    is read whole before the first row, and those that may stay are held in memory. null: each row stays by its own
    share"""
    whole: dict[Field_, Annotated[list[Any], Field(min_length=1)]] = Field(default_factory=dict)
    """with `rows`: field -> values, such as {source: [MATH-500]}; rows with one of them stay before any other, whatever
    their share, if it is not 0"""
    max_dropped: Share = 0.2
    """a larger share of rows that the small model's server refuses than this, once there are 50, stops the job"""

    @model_validator(mode="after")
    def _check(self) -> "AgreeingOptions":
        if self.judge is None and not self.scores:
            raise ValueError("neither scores nor judge: every row would stay; name at least one")
        if self.judge is None and self.keep is not None:
            raise ValueError("keep goes by how often the small model is right; name it as `judge`")
        if self.whole and self.rows is None:
            raise ValueError("whole goes with `rows`: without a number of rows none is drawn")
        beyond = [times for times in self.keep or {} if not 0 <= times <= self.draws]
        if beyond:
            raise ValueError(f"keep names {beyond[0]} of {self.draws} draws")
        return self

    @property
    def shares(self) -> dict[int, float]:
        """The share of rows that stays, by how often the small model is right, if the share is not 1."""
        return {self.draws: 0.0} if self.keep is None else dict(self.keep)


class PreferencesOptions(Config):
    """Options of rubric/preferences."""

    policy: Field_ | None = None
    """the judge that answers each row's prompt `candidates` times, as declared under `judges`; null: the rows have
    `completions`"""
    candidates: Annotated[int, Field(ge=2)] = 4
    """answers asked of the policy for each row; without a policy, about how many the rows have, for estimates"""
    params: dict[str, Any] = Field(default_factory=dict)
    """sampling parameters of its questions, such as {temperature: 1.0}"""
    judge: Field_
    """the judge that prefers"""
    asks: Literal["pointwise", "binary", "pairwise"] = "pairwise"
    """by which reward: rubric/pointwise, rubric/binary or rubric/pairwise"""
    options: dict[str, Any] = Field(default_factory=dict)
    """further options of that reward, such as {rubric: quality.yaml, strategy: tgt-eng}"""
    margin: Annotated[float, Field(gt=0, le=1)] = 0.1
    """the least difference of the two rewards; a row without one makes no pair"""
    parallel: Field_ | None = None
    """a field that is equal in rows that are translations of each other; null: no row is. The source is then read
    whole before the first row, and held in memory"""
    most_parallel: PositiveInt = 2
    """of rows that are translations of each other, how many are taken, drawn by the seed and the rows' ids"""
    max_dropped: Share = 0.5
    """a larger share of rows whose answers cannot be scored than this, once there are 50, stops the job"""

    @property
    def needs(self) -> list[str]:
        """The fields that each row must have."""
        named = ["completions"] if self.policy is None else []
        return [*named, *([] if self.parallel is None else [self.parallel]), *self.reward.needs]

    @property
    def asked(self) -> list[Any]:
        """The options of the one reward that asks."""
        return [self.reward]

    @property
    def reward(self) -> Any:
        """The options of the reward that compares the answers."""
        return REWARDS[self.asks](**{**self.options, "judge": self.judge})

    @model_validator(mode="after")
    def _check(self) -> "PreferencesOptions":
        if "judge" in self.options:
            raise ValueError("options has a judge; name it as `judge` of the step")
        reward = self.reward
        if self.asks == "pairwise" and self.policy and (problem := misfit(reward, self.candidates)) is not None:
            raise ValueError(f"options: {problem} (candidates)")
        return self
