"""What Prometheus reads of a stage's actors: Ray shows their counts at a node's metrics port.

It runs in the environments of both engines, whose Rays are of two versions.
"""

import json
import re
import shutil
import socket
import tempfile
import time
from importlib.util import find_spec
from urllib.request import urlopen

import pytest

pytest.importorskip("ray", reason="needs the environment of a backend on Ray")

import ray
from rewardlab import Completion, Sample
from rewardlab_ray.job_options import Scorers
from rewardlab_ray.messages import GroupPlace
from rewardlab_ray.rendered_rows import Row, write_rows
from rewardlab_ray.scoring.service import ServiceSettings, start_service

pytestmark = [pytest.mark.slow, pytest.mark.openrlhf, pytest.mark.verl]
ENGINE = "openrlhf" if find_spec("rewardlab_openrlhf") else "verl"
RECIPE = f"""
version: 1
judges: {{main: {{use: openai/chat, with: {{model: m, base_url: "URL", max_tokens: 16}}}}}}
reward:
  components:
    boxed: {{use: format/boxed}}
    judged: {{use: pairwise/win_rate, with: {{judge: main}}}}
  total: boxed + judged
stages:
- {{use: rl, algorithm: grpo, batch_size: 2, group_size: 4}}
backend: {{use: {ENGINE}}}
"""
TEXTS = ("\\boxed{1}", "two", "three four", "\\boxed{2}")
EXPECTED = {
    ("groups_total", "outcome=scored"): 2,
    ("scores_total", "component=boxed"): 8,
    ("scores_total", "component=judged"): 8,
    ("judge_calls_total", "judge=main"): 24,
    ("recorded_groups_total", "phase=training"): 2,
    ("step", ""): 2,
    ("job_failed", ""): 0,
}
GAUGES = {key: EXPECTED[key] for key in (("step", ""), ("job_failed", ""))}


@pytest.fixture
def port(monkeypatch):
    """The metrics port of a Ray of this test's own."""
    folder = tempfile.mkdtemp(prefix="rl_", dir="/tmp")  # Ray's sockets lie in it: their paths may not be long
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        _temp_dir=folder,
        _metrics_export_port=port,
        log_to_driver=False,
    )
    yield port
    ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def service(port, toy, tmp_path, judge_server):
    folder = tmp_path / "run" / "engine" / "0-rl"
    folder.mkdir(parents=True)
    recipe = tmp_path / "run" / "recipe.resolved.yaml"
    samples = [Sample(id=f"s{n}", prompt=({"role": "user", "content": f"{n} + 1?"},)) for n in range(4)]
    write_rows(folder / "samples.jsonl", (Row(sample=sample, prompt="?") for sample in samples))
    write_rows(folder / "evaluation_samples.jsonl", ())
    (folder / "order.json").write_text(json.dumps(list(range(4))))
    with judge_server.Serving(judge_server.JudgeServer()) as server:
        recipe.write_text(RECIPE.replace("URL", server.url))
        settings = {"job": "metered/0-rl/0", "run": tmp_path / "run", "recipe": recipe, "stage": 0, "attempt": 0}
        settings = ServiceSettings(**settings, folder=folder, home=tmp_path)
        service = start_service(settings, Scorers(replicas=1, num_cpus=0.1))
        yield service
        service.close()


def counts(port):
    """(name, label=value) -> the sum of it, of what the port shows of the job."""
    found = {}
    for line in urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30).read().decode().splitlines():
        if (matched := re.fullmatch(r"ray_rewardlab_(\w+)\{(.*)\} (\S+)", line)) and 'run="metered/0-rl/0"' in line:
            for label in ["", *(f"{name}={value}" for name, value in re.findall(r'(\w+)="([^"]*)"', matched[2]))]:
                key = matched[1], label
                found[key] = found.get(key, 0) + float(matched[3])
    return found


def test_the_actors_counts_are_at_rays_port(service, port):
    for row in range(2):
        place = GroupPlace(key=f"g{row}", row=row, evaluation=False, step=1, size=4, position=row)
        for index, text in enumerate(TEXTS):
            ray.get(service.scorers[0].put.remote(place, index, Completion(text=text, token_count=3)))
        ray.get(service.scorers[0].finish.remote(place.key), timeout=120)
    seen = {}
    for _ in range(120):  # Ray hands counts over every few seconds, and a gauge's value to one who reads it alone
        time.sleep(1)
        seen |= {key: count for key, count in counts(port).items() if key in EXPECTED}
        if seen == EXPECTED:
            break
    assert seen == EXPECTED
    later = {}
    for _ in range(60):
        time.sleep(1)
        later |= {key: count for key, count in counts(port).items() if key in GAUGES}
        if later == GAUGES:
            break
    assert later == GAUGES, "what has not changed is shown again"
