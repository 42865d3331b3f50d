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


def _examples(name):
    """Return a function that imports the examples of that name when the laws need them."""

    def load():
        from toy_rewards import examples

        return getattr(examples, name)()

    return load


def _build_brevity(options, context):
    from toy_rewards.rewards import Brevity

    return Brevity(options.words)


def _build_faulty(options, context):
    from toy_rewards.rewards import FaultyReward

    return FaultyReward(options)


def _build_longest(options, context):
    from toy_rewards.rewards import Longest

    return Longest()


def _build_prefer(options, context):
    from toy_rewards.rewards import Prefer

    return Prefer(context.judges[options.judge])


def _build_letters(options, context):
    from toy_rewards.rewards import Letters

    return Letters()


def _build_model(options, context):
    from toy_rewards.rewards import BrevityByModel

    return BrevityByModel(options.words, context.workers)


@hookimpl
def rewardlab_rewards():
    faulty = {"config": FaultyOptions, "build": _build_faulty}
    return [
        RewardSpec(
            name="brevity",
            summary="short answers",
            config=BrevityOptions,
            runs="inline",
            build=_build_brevity,
            laws=Laws(examples=_examples("of_brevity"), off={"empty": SHORT_IS_GOOD}),
        ),
        RewardSpec(name="thread", summary="short answers, in a thread", config=BrevityOptions, build=_build_brevity),
        RewardSpec(
            name="worker",
            summary="short answers, in a worker",
            config=BrevityOptions,
            runs="worker",
            build=_build_brevity,
        ),
        RewardSpec(name="letters", summary="share of letters, as a coroutine", runs="async", build=_build_letters),
        RewardSpec(
            name="batch",
            summary="short answers, across groups",
            scope="batch",
            config=BrevityOptions,
            build=_build_brevity,
        ),
        RewardSpec(
            name="model",
            opens_workers=True,
            summary="short answers, by a model in a process that components share",
            scope="batch",
            runs="async",
            config=BrevityOptions,
            build=_build_model,
        ),
        RewardSpec(name="longest", summary="1 for the longest answers of a group", scope="group", build=_build_longest),
        RewardSpec(
            name="prefer",
            summary="1 where a judge says yes",
            scope="group",
            runs="async",
            config=PreferOptions,
            judges=("judge",),
            build=_build_prefer,
            laws=Laws(examples=_examples("of_prefer")),
        ),
        RewardSpec(name="faulty", summary="goes wrong on demand, inline", runs="inline", **faulty),
        RewardSpec(
            name="faulty_worker", summary="goes wrong on demand, in a worker", runs="worker", timeout=2.0, **faulty
        ),
    ]


@hookimpl
def rewardlab_judges():
    def build(options, context):
        from toy_rewards.rewards import PoliteJudge

        return PoliteJudge()

    return [
        JudgeSpec(
            name="polite",
            summary="says yes to whoever says please",
            reads="parts",
            local=True,
            build=build,
            laws=Laws(examples=_examples("of_polite")),
        )
    ]


@hookimpl
def rewardlab_datasets():
    def build(options, context):
        from toy_rewards.data import CountingRows

        return CountingRows(options.rows)

    return [
        DatasetSpec(
            name="counting",
            summary="how much is n + 1",
            config=CountingOptions,
            provides=("answer",),
            build=build,
            laws=Laws(examples=_examples("of_counting")),
        )
    ]


@hookimpl
def rewardlab_curricula():
    def build(options, context):
        from toy_rewards.data import ReverseOrder

        return ReverseOrder()

    return [CurriculumSpec(name="reversed", summary="last row first", build=build)]


@hookimpl
def rewardlab_normalizers():
    def build(options, context):
        from toy_rewards.rewards import HalfDistance

        return HalfDistance()

    return [NormalizerSpec(name="halved", summary="half of each total's distance to the mean", build=build)]


@hookimpl
def rewardlab_backends():
    def build(options):
        from toy_rewards.engine.backend import ToyBackend

        return ToyBackend(options)

    return [
        BackendSpec(
            name="toy",
            summary="policy gradient on a few fixed answers, in Python",
            config=EngineOptions,
            build=build,
            trains_longer=True,
        )
    ]
