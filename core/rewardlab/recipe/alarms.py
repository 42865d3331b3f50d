"""The alarms of a recipe: which of them end a stage, which are silent, and the thresholds of all of them."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, get_args
from urllib.parse import urlsplit

from pydantic import Field, PositiveFloat, PositiveInt, field_validator, model_validator

from rewardlab.specs import Config

AlarmName = Literal[
    "divergence",
    "flat_groups",
    "dead",
    "saturated",
    "reward_hacking",
    "length",
    "position_bias",
    "missing",
    "unparsable",
    "entropy",
]
ALARM_NAMES: tuple[AlarmName, ...] = get_args(AlarmName)

Share = Annotated[float, Field(gt=0, le=1)]


class AlarmLevels(Config):
    """Thresholds at which alarms go off; the defaults are meant for every run."""

    steps: Annotated[int, Field(ge=5)] = 10
    """logged steps that are looked at together, and compared with up to twice as many before them"""
    drift: PositiveFloat = 4.0
    """standard errors by which a mean must have moved, for reward_hacking, length, missing and unparsable"""
    flat_groups: Share = 0.9
    """share of groups without any difference in their totals"""
    dead: Share = 0.2
    """share of groups that a component must have told apart before, so that it is dead if it tells none apart"""
    length: Annotated[float, Field(gt=1)] = 1.25
    """times its length before that completions have grown to"""
    position_bias: Share = 0.2
    """a judge's preference for a position, either way: 2 * (share of questions that the answer shown first wins) - 1"""
    missing: Share = 0.05
    """share of completions without a value by which it must have grown"""
    unparsable: Share = 0.2
    """share of a judge's replies without a verdict by which it must have grown; answers that become alike get more of
    these"""
    entropy: Share = 0.1
    """share of the entropy of the first steps that is left"""
    groups: PositiveInt = 40
    """least groups that flat_groups, entropy and a collapsed reward look at, in more steps if a step has few"""


class Alarms(Config):
    """The response to alarms, which say that a training goes wrong: each is reported unless it stands here."""

    stop: list[AlarmName] = Field(default_factory=list)
    """alarms that end the stage, with exit code 1 and the last checkpoint"""
    ignore: list[AlarmName] = Field(default=["saturated"])
    """alarms that nobody hears of; `saturated` unless you say otherwise, since a format that is learned saturates"""
    levels: AlarmLevels = Field(default_factory=AlarmLevels)
    """thresholds at which they go off; for divergence see `divergence` of a stage"""
    webhook: str | None = None
    """an http or https URL that gets each alarm as JSON, with a `text` as Slack wants it; `"${oc.env:NAME}"` keeps it
    out of files"""

    @model_validator(mode="before")
    @classmethod
    def _a_stop_is_heard_of(cls, written: Any) -> Any:
        """An alarm that is to stop is not among those that are ignored unless somebody says otherwise."""
        stops = (
            isinstance(written, Mapping) and isinstance(written.get("stop"), list) and "saturated" in written["stop"]
        )
        return {"ignore": [], **written} if stops else written

    @field_validator("webhook")
    @classmethod
    def _is_url(cls, webhook: str | None) -> str | None:
        if webhook is None:
            return None
        url = urlsplit(webhook)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError("not a URL; it must begin with http:// or https://")
        if "@" in url.netloc:
            raise ValueError("a URL with a name and password is not sent; put a token into its path, as Slack does")
        _ = url.port  # raises ValueError for one that is none
        return webhook

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if both := sorted({*self.stop} & {*self.ignore}):
            raise ValueError(f"{', '.join(both)}: `stop` and `ignore` exclude each other; leave one of them out")
        return self
