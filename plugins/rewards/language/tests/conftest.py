import json
from pathlib import Path

import pytest
from rewardlab import Completion, Context, Sample, find
from rewardlab_language.languages import resolve
from rewardlab_language.rivals import contest
from rewardlab_language.share import ShareMeter

DATA = Path(__file__).parent / "data"
FOUR_SENTENCES = json.loads((DATA / "four_sentences.json").read_text())
SOLUTIONS = json.loads((DATA / "solutions.json").read_text())


@pytest.fixture(scope="session")
def four_sentences():
    """For each of the 75 languages, a short reasoning of four sentences that says the same in all."""
    return FOUR_SENTENCES


@pytest.fixture(scope="session")
def solutions():
    """For 25 languages, a longer solution with formulas and a name."""
    return SOLUTIONS


@pytest.fixture(scope="session")
def meter():
    """meter(tag): a meter for that language, against its fixed rivals; meter(tag, [..]): against those."""
    known = {}

    def make(tag, listed=None):
        key = (tag, tuple(listed) if listed else None)
        if key not in known:
            known[key] = ShareMeter(contest(resolve(tag), listed))
        return known[key]

    return make


@pytest.fixture(scope="session")
def share(meter):
    """share(text, tag): the share of the text's letters that are in the language."""
    return lambda text, tag: meter(tag).measure(text).value


@pytest.fixture(scope="session")
def fidelity():
    """fidelity(text, language, **options): the score that the reward gives to one completion."""
    spec = find("reward", "language/fidelity")
    built = {}

    def score(text, language, **options):
        key = json.dumps(options, sort_keys=True)
        if key not in built:
            built[key] = spec.build(spec.config(**options), Context())
        sample = Sample(id="1", fields={"language": language})
        return built[key].score([(sample, Completion(text=text))])[0]

    return score
