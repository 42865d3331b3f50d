"""Every law of datasets, under every example."""

import pytest
from rewardlab.testing import check_dataset


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["jsonl", "mix", "hub", "arithmetic", "expert", "split", "overlap"])
def test_every_law_holds(name):
    for tried in check_dataset(f"data/{name}"):
        assert {
            outcome.law: outcome.why for outcome in tried.outcomes if outcome.state not in ("held", "nothing")
        } == {}
