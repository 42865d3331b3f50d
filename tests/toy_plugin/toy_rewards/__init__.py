"""A plugin with one component of each kind, written as a third party would: with public names of `rewardlab` alone."""

from rewardlab import (
    BackendSpec,
    Config,
    CurriculumSpec,
    DatasetSpec,
    JudgeSpec,
    NormalizerSpec,
    RewardSpec,
    hookimpl,
)
from rewardlab.laws import Laws

from toy_rewards.engine.options import Options as EngineOptions

SHORT_IS_GOOD = "the empty answer is the shortest one; something else in the total has to ask for more"


class BrevityOptions(Config):
    """Options of the rewards for short answers."""

    words: int = 50
    """answers of up to this many words get 1"""


class FaultyOptions(Config):
    """Options of the rewards that go wrong on demand."""

    how: str = "raise"
    """raise | nan | infinite | out_of_range | short_list | no_list | hang | abstain | text | exit | fail"""
    when: str = "BAD"
    """completions with this text go wrong"""
    seconds: float = 3600.0
    """how long `hang` hangs"""


class PreferOptions(Config):
    """Options of toy/prefer."""

    judge: str


class CountingOptions(Config):
    """Options of toy/counting."""

    rows: int = 4


@hookimpl
def rewardlab_rewards():
    faulty = {"config": FaultyOptions, "build": "toy_rewards.rewards:FaultyReward"}
    return [
        RewardSpec(
            name="brevity",
            summary="short answers",
            config=BrevityOptions,
            runs="inline",
            build="toy_rewards.rewards:Brevity",
            laws=Laws(examples="toy_rewards.examples:of_brevity", off={"empty": SHORT_IS_GOOD}),
        ),
        RewardSpec(
            name="thread",
            summary="short answers, in a thread",
            config=BrevityOptions,
            build="toy_rewards.rewards:Brevity",
        ),
        RewardSpec(
            name="worker",
            summary="short answers, in a worker",
            config=BrevityOptions,
            runs="worker",
            build="toy_rewards.rewards:Brevity",
        ),
        RewardSpec(
            name="letters",
            summary="share of letters, as a coroutine",
            runs="async",
            build="toy_rewards.rewards:Letters",
        ),
        RewardSpec(
            name="batch",
            summary="short answers, across groups",
            scope="batch",
            config=BrevityOptions,
            build="toy_rewards.rewards:Brevity",
        ),
        RewardSpec(
            name="model",
            opens_workers=True,
            summary="short answers, by a model in a process that components share",
            scope="batch",
            runs="async",
            config=BrevityOptions,
            build="toy_rewards.rewards:BrevityByModel",
        ),
        RewardSpec(
            name="longest",
            summary="1 for the longest answers of a group",
            scope="group",
            build="toy_rewards.rewards:Longest",
        ),
        RewardSpec(
            name="prefer",
            summary="1 where a judge says yes",
            scope="group",
            runs="async",
            config=PreferOptions,
            judges=("judge",),
            build="toy_rewards.rewards:Prefer",
            laws=Laws(examples="toy_rewards.examples:of_prefer"),
        ),
        RewardSpec(name="faulty", summary="goes wrong on demand, inline", runs="inline", **faulty),
        RewardSpec(
            name="faulty_worker", summary="goes wrong on demand, in a worker", runs="worker", timeout=2.0, **faulty
        ),
    ]


@hookimpl
def rewardlab_judges():
    return [
        JudgeSpec(
            name="polite",
            summary="says yes to whoever says please",
            reads="parts",
            local=True,
            build="toy_rewards.rewards:PoliteJudge",
            laws=Laws(examples="toy_rewards.examples:of_polite"),
        )
    ]


@hookimpl
def rewardlab_datasets():
    return [
        DatasetSpec(
            name="counting",
            summary="how much is n + 1",
            config=CountingOptions,
            provides=("answer",),
            build="toy_rewards.data:CountingRows",
            laws=Laws(examples="toy_rewards.examples:of_counting"),
        )
    ]


@hookimpl
def rewardlab_curricula():
    return [CurriculumSpec(name="reversed", summary="last row first", build="toy_rewards.data:ReverseOrder")]


@hookimpl
def rewardlab_normalizers():
    return [
        NormalizerSpec(
            name="halved", summary="half of each total's distance to the mean", build="toy_rewards.rewards:HalfDistance"
        )
    ]


@hookimpl
def rewardlab_backends():
    return [
        BackendSpec(
            name="toy",
            summary="policy gradient on a few fixed answers, in Python",
            config=EngineOptions,
            build="toy_rewards.engine.backend:ToyBackend",
            trains_longer=True,
        )
    ]
