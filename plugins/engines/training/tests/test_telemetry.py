"""Nothing of a run leaves the machine but what the recipe names."""

import pytest
from rewardlab_training.backend import OFF, telemetry_variables

HOOK = """
import os, sys

REACHING = ("socket.getaddrinfo", "socket.connect")

def note(line):
    with open(os.environ["HEARD"], "a") as file: file.write(line + "\\n")

note("listening")
sys.addaudithook(lambda event, told: note(f"{event} {told}") if event in REACHING else None)
"""
RECIPE = """
version: 1
model: {use: tiny, hidden_size: 32, heads: 2, intermediate_size: 64}
dataset: {use: toy/counting, with: {rows: 32}}
reward: {components: {brevity: {use: toy/brevity, with: {words: 3}}}, total: brevity}
stages:
  - {use: sft, steps: 1, batch_size: 4, learning_rate: 1.0e-3}
"""


def test_what_the_environment_says_stays(monkeypatch):
    for name in OFF:
        monkeypatch.delenv(name, raising=False)
    assert telemetry_variables() == OFF
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "1")
    assert telemetry_variables() == OFF | {"RAY_USAGE_STATS_ENABLED": "1"}


@pytest.mark.slow
def test_a_run_on_this_machine_asks_no_network(rewardlab, toy_environment, write, tmp_path):
    write("r.yaml", RECIPE)
    write("hooks/sitecustomize.py", HOOK)
    write("heard.txt", "")
    paths = f"{tmp_path / 'hooks'}:{toy_environment['PYTHONPATH']}"
    # what TRL sends it does not send where CI is set; the endpoint is one that answers nobody
    more = {"PYTHONPATH": paths, "HEARD": str(tmp_path / "heard.txt"), "CI": "", "HF_ENDPOINT": "http://127.0.0.1:9"}
    done = rewardlab("run", "r.yaml", env=more)
    assert done.returncode == 0, done.stderr
    assert set((tmp_path / "heard.txt").read_text().splitlines()) == {"listening"}
