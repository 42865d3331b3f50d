import asyncio
import json
import subprocess
from pathlib import Path

import pytest
from rewardlab import Completion, Context, Sample, find
from rewardlab.workers import Workers

BUILDER = Path(__file__).parents[4] / "tests" / "tiny_models" / "comet.py"
SPEC = find("reward", "comet/answer")


def items(*pairs):
    """Return a batch of items from pairs (reference, prediction); the prediction is the body of the answer."""
    return [
        (Sample(fields={"reference": reference}), Completion(text=f"<think>...</think><answer>{prediction}</answer>"))
        for reference, prediction in pairs
    ]


@pytest.fixture(scope="session")
def tiny(comet_python, tmp_path_factory):
    """The folder of a tiny real checkpoint with random weights."""
    folder = tmp_path_factory.mktemp("comet") / "tiny"
    subprocess.run([comet_python, str(BUILDER), str(folder)], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def workers():
    with Workers() as workers:
        yield workers


@pytest.fixture(scope="session")
def opened(tiny, comet_python, workers):
    """opened(**options): the reward over the tiny checkpoint, in COMET's environment; one process for all tests."""

    def build(**options):
        place = workers.of(use="comet/answer", python=comet_python)
        options = {"checkpoint": str(tiny)} | options
        return SPEC.build(SPEC.config(**options), Context(workers=place))

    return build


@pytest.fixture
def scored(opened):
    """scored((reference, prediction), ..., **options): the Score of each."""
    return lambda *pairs, **options: asyncio.run(opened(**options).score(items(*pairs)))


@pytest.fixture(scope="session")
def beside_comet(comet_python, tiny):
    """The output of beside_comet.py in COMET's environment, which loads the library once for all of it."""
    script, worker = Path(__file__).with_name("beside_comet.py"), Path(__file__).parents[1] / "rewardlab_comet"
    command = [comet_python, "-P", "-W", "ignore", str(script), str(tiny), str(worker)]
    shown = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    return json.loads(shown.stdout.splitlines()[-1])
