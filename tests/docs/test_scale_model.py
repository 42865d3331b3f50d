"""benchmarks/scale.py: what its options change, and what each engine's model assumes."""

import pytest
from helpers.paths import ROOT


@pytest.fixture
def scale(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import scale

    return scale


@pytest.fixture
def job(scale):
    """`job("--tokens", "6000")`: a job of 256 GPUs with these options."""

    def made(*arguments, gpus=256, design=None, asynchronous=False):
        options = scale._options(list(arguments))
        design = design or scale.DESIGNS[options.engine][0]
        return scale.Job(
            options=options, costs=scale.Costs(), gpus=gpus, design=design, asynchronous=asynchronous
        )  # fmt: skip

    return made


def seconds(job):
    return {phase.name: phase.seconds for phase in job.phases}


@pytest.mark.parametrize("engine", ["openrlhf", "verl"])
def test_what_grows_with_tokens_does(job, scale, engine):
    for design in scale.DESIGNS[engine]:
        few, many = (job("--engine", engine, "--tokens", tokens, design=design) for tokens in ("2000", "6000"))
        growing = {"decode", "score", "controller", "forward", "update"} - (
            {"controller"} if design == scale.VECTORISED else set()
        )
        assert {name for name, took in seconds(many).items() if took > seconds(few)[name]} == growing
        working, worked = few.meanwhile(), many.meanwhile()
        assert {name for name in working if worked[name] == working[name]} == {"our coordinator"}
    assert many.options.max_tokens == 24_000


def test_a_gpu_decodes_by_its_places_and_tokens_a_second(scale):
    """So many tokens a second with all places taken, fewer in all and more for each with some."""
    options = scale._options(["--places", "32", "--tokens-a-second", "2400", "--alone", "150"])
    assert scale.decoded([1000] * 32, options) == pytest.approx(32 * 1000 / 2400)
    assert scale.decoded([1000] * 64, options) == pytest.approx(64 * 1000 / 2400)
    assert scale.decoded([1000], options) == pytest.approx(1000 / 150)
    half = scale.decoded([1000] * 16, options)
    assert 1000 / 150 < half < 32 * 1000 / 2400
    more_places = scale._options(["--places", "64", "--tokens-a-second", "4800", "--alone", "150"])
    assert scale.decoded([1000] * 64, more_places) == pytest.approx(scale.decoded([1000] * 32, options))
    last_alone = scale.decoded([2000, *[1000] * 31], options)
    assert last_alone == pytest.approx(32 * 1000 / 2400 + 1000 / 150)
    with pytest.raises(SystemExit):
        scale._options(["--alone", "50"])


def test_verl_announces_no_weights_from_one_rank_for_all(job):
    weights = {gpus: seconds(job("--engine", "verl", gpus=gpus))["weights"] for gpus in (64, 1024)}
    assert weights[64] == weights[1024]
    assert seconds(job(gpus=1024))["weights"] > 10 * seconds(job(gpus=64))["weights"]
    assert "the collector" not in job("--engine", "verl").meanwhile()


def test_a_cost_is_the_line_through_two_lengths(scale):
    cost = scale.Cost.through({4000: 9.0, 1000: 3.0})
    assert (cost.of(1000), cost.of(2500), cost.of(4000), cost.of(0)) == (3.0, 6.0, 9.0, 1.0)
    assert scale.Cost.through({1000: 1.0, 4000: 10.0}).of(500) == 0
