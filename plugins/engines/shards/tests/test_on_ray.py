"""`--on ray`: hosts of a real cluster of two nodes score the rows; the file is that of one machine after any kill."""

import json
import re
import secrets
import signal
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest

pytest.importorskip("ray", reason="needs the environment of requirements-verl-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.verl, pytest.mark.xdist_group("hosts of Ray")]

LIMIT = 240


@pytest.fixture
def folder(tmp_path):
    return written(tmp_path)


@pytest.fixture(scope="module")
def one_machine(nodes, tmp_path_factory):
    """What one machine writes of the rows; a pause of their reward is not seen in it."""
    folder = written(tmp_path_factory.mktemp("alone"))
    done = run(folder, nodes, "score", "r.yaml", "rows.jsonl", "-o", "out.jsonl")
    assert done.returncode == 0, done.stderr
    return (folder / "out.jsonl").read_bytes()


def written(folder):
    """Return the folder, with the rows and a recipe in it."""
    write_recipe(folder)
    with open(folder / "rows.jsonl", "w") as file:
        for number in range(600):
            row_id = ({"id": number}, {"id": f"n{number}"}, {})[number % 3]
            texts = ["x" * (number % 40 + index) for index in range(1 + number % 3)]
            file.write(json.dumps(row_id | {"prompt": f"question {number % 7}", "completions": texts}) + "\n")
    return folder


def write_recipe(folder, **options):
    component = {"use": "cases/length", "with": options}
    (folder / "r.yaml").write_text(
        json.dumps({"version": 1, "reward": {"components": {"length": component}, "total": "length"}})
    )


def command(*words):
    return [sys.executable, "-m", "rewardlab.cli", *words]


def run(folder, nodes, *words, **variables):
    given = nodes.of_drivers | variables
    return subprocess.run(command(*words), cwd=folder, env=given, capture_output=True, text=True, timeout=LIMIT)


def begun(folder, nodes, *words):
    """Return the process of a command, once it has written some rows."""
    process = subprocess.Popen(command(*words), cwd=folder, env=nodes.of_drivers, stderr=subprocess.PIPE, text=True)
    out = folder / "out.jsonl"
    while process.poll() is None and not (out.exists() and out.stat().st_size):
        time.sleep(0.05)
    return process


def hosts():
    """Return the processes of hosts."""
    named = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if "ray::HostActor" in " ".join(process.cmdline()):
                named.append(process)
    return named


def test_hosts_write_what_one_machine_writes_for_a_driver_outside_of_the_cluster(folder, nodes, one_machine):
    done = run(folder, nodes, "score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--on", nodes.cluster.client)
    assert done.returncode == 0, done.stderr
    assert "scores on 2 hosts of Ray" in done.stderr
    assert (folder / "out.jsonl").read_bytes() == one_machine


@pytest.mark.nightly  # the hosts and the roads to them are those of `score`
def test_judge_and_probe_say_what_they_say_on_one_machine(folder, nodes):
    judges = {"main": {"use": "pairwise/overlap"}}
    wins = {"use": "pairwise/win_rate", "with": {"judge": "main", "privileged": "reference"}}
    components = {"wins": wins, "length": {"use": "cases/length"}}
    recipe = {"version": 1, "judges": judges, "reward": {"components": components, "total": "wins + length"}}
    (folder / "j.yaml").write_text(json.dumps(recipe))
    with open(folder / "pairs.jsonl", "w") as file:
        for number in range(8):
            row = {"id": number, "prompt": "?", "reference": f"It is {number}.", "completions": [f"It is {number}."]}
            file.write(json.dumps(row | {"chosen": f"it is {number}", "rejected": "I like trains"}) + "\n")
    for command in ("judge", "probe"):
        alone, on_ray = (
            run(folder, nodes, command, "j.yaml", "pairs.jsonl", "--json", *more) for more in ([], ["--on", "ray"])
        )
        assert alone.stdout
        assert (on_ray.returncode, on_ray.stdout) == (alone.returncode, alone.stdout), on_ray.stderr


def write_evaluation(folder, url, judge="helper"):
    asked = {"use": "openai/chat", "with": {"model": "m", "base_url": url}, "concurrency": 8, "retries": 0}
    rubric = {"description": "Is it safe?", "scoring": {"true": "It is.", "false": "It is not."}}
    safe = {"use": "rubric/binary", "with": {"judge": judge, "rubric": rubric}}
    (folder / "rows.jsonl").write_text(
        "".join(json.dumps({"id": n, "prompt": f"{n} + {n}?", "answer": str(2 * n)}) + "\n" for n in range(12))
    )
    dataset = {"use": "data/jsonl", "with": {"path": str(folder / "rows.jsonl")}}
    stage = {"use": "eval", "samples": 2, "dataset": dataset, "policy": {"judge": "served", "max_missing": 0}}
    reward = {"components": {"length": {"use": "cases/length"}, "safe": safe}, "total": "length + safe"}
    recipe = {"version": 1, "judges": {"served": asked, "helper": asked}, "reward": reward, "stages": [stage]}
    (folder / "e.yaml").write_text(json.dumps(recipe | {"backend": {"use": "trl"}}))


def evaluated(folder):
    names = ["ledger.jsonl", "evaluation/0-eval-results.json", "evaluation/0-eval-results.rows.jsonl"]
    return [re.sub(r'"(attempt|seconds)": ?[\d.e-]+', "", (folder / name).read_text()) for name in names]


@pytest.mark.nightly  # test_data_on_ray.py has judges with a part of the limits on each host, too
def test_an_evaluation_of_a_served_policy_is_scored_by_hosts(folder, nodes, judge_server):
    """The policy is asked by the driver; the reward's judge by hosts, each with its part of the limits."""

    def answer(request):
        if "Is it safe?" in str(request):
            return json.dumps({"explanation": "It is.", "score": True})
        return "one" + " two" * (len(request["messages"][-1]["content"]) % 3)

    with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as server:
        write_evaluation(folder, server.url)
        alone = run(folder, nodes, "eval", "e.yaml", "--run-dir", "one")
        assert alone.returncode == 0, alone.stdout + alone.stderr
        asked = server.answered
        on_ray = run(folder, nodes, "eval", "e.yaml", "--run-dir", "two", "--on", "ray")
        assert on_ray.returncode == 0, on_ray.stdout + on_ray.stderr
        assert "scores on 2 hosts of Ray" in on_ray.stdout
        assert abs(server.answered - 2 * asked) <= 4  # calls that try the judges
        assert evaluated(folder / "two") == evaluated(folder / "one")
        assert {
            re.sub("@[0-9a-f]+", "", file.name) for file in (folder / "two" / "judges").glob("helper*.answers.jsonl")
        } == {
            "helper.1-of-2.answers.jsonl",
            "helper.2-of-2.answers.jsonl",
        }
        write_evaluation(folder, server.url, judge="served")
        both = run(folder, nodes, "eval", "e.yaml", "--run-dir", "three", "--on", "ray")
        assert (both.returncode, "the reward asks the policy 'served'" in both.stderr) == (2, True), both.stderr


def test_a_driver_that_is_killed_goes_on(folder, nodes, one_machine):
    write_recipe(folder, pause=0.01)
    words = ["score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--on", "ray"]
    process = begun(folder, nodes, *words)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = run(folder, nodes, *words, "--resume")
    assert done.returncode == 0, done.stderr
    assert (folder / "out.jsonl").read_bytes() == one_machine


@pytest.mark.parametrize("address", [pytest.param("ray", marks=pytest.mark.nightly), "ray,hosts=1"])
def test_a_host_that_is_killed_is_replaced(folder, nodes, one_machine, address):
    """Of two, another takes the rest of the rows; one alone can only go on."""
    write_recipe(folder, pause=0.01)
    process = begun(folder, nodes, "score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--on", address)
    hosts()[0].kill()
    _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, errors
    assert "has died; others take its rows" in errors
    assert (folder / "out.jsonl").read_bytes() == one_machine


@pytest.mark.nightly  # test_actor_pool.py has a host that never opens again
def test_a_host_that_cannot_open_the_reward_again_ends_the_job(folder, nodes, one_machine):
    shut = folder / "shut"
    write_recipe(folder, pause=0.02, shut=str(shut))
    process = begun(folder, nodes, "score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--on", "ray")
    shut.touch()
    for host in hosts():
        host.kill()
    _, errors = process.communicate(timeout=LIMIT)
    assert (process.returncode, f"{shut} is there" in errors) == (1, True), errors
    assert "to go on: rewardlab score" in errors
    shut.unlink()
    done = run(folder, nodes, "score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--on", "ray", "--resume")
    assert done.returncode == 0, done.stderr
    assert (folder / "out.jsonl").read_bytes() == one_machine


@pytest.mark.nightly
def test_a_node_that_is_lost_costs_nothing_but_time(folder, nodes, one_machine):
    write_recipe(folder, pause=0.01)
    process = begun(folder, nodes, "score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--on", "ray")
    nodes.cluster.lose_node()
    nodes.cluster.add_node()
    _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, errors
    assert (folder / "out.jsonl").read_bytes() == one_machine


def test_a_row_that_ends_every_host_is_named(folder, nodes):
    row = {"id": "bad", "prompt": "?", "completions": ["exit the process"]}
    with open(folder / "rows.jsonl", "a") as file:
        file.write(json.dumps(row) + "\n")
    write_recipe(folder, ends="exit the process")
    done = run(folder, nodes, "score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--on", "ray")
    assert done.returncode == 1
    assert "hosts died when they had it" in done.stderr
    assert "bad" in done.stderr


def test_a_reward_that_ends_every_host_as_it_opens_is_one_error(folder, nodes):
    write_recipe(folder, fatal=True)
    done = run(folder, nodes, "score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--on", "ray")
    assert (done.returncode, "a host of Ray died before it scored anything" in done.stderr) == (1, True), done.stderr
    assert "bug" not in done.stderr


def test_a_key_reaches_the_hosts_and_stands_in_no_log_of_ray(folder, nodes, judge_server):
    key = secrets.token_hex(16)
    with judge_server.Serving(judge_server.JudgeServer(keys=[key])) as server:
        asked = {"model": "m", "base_url": server.url, "api_key_env": "JUDGE_API_KEY"}
        recipe = {
            "version": 1,
            "judges": {"main": {"use": "openai/chat", "with": asked, "retries": 0}},
            "reward": {
                "components": {"wins": {"use": "pairwise/win_rate", "with": {"judge": "main", "privileged": None}}},
                "total": "wins",
            },
        }
        (folder / "r.yaml").write_text(json.dumps(recipe))
        row = {"prompt": "?", "completions": ["it is one", "it is two"]}
        (folder / "rows.jsonl").write_text(json.dumps(row) + "\n")
        words = ["score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--on", "ray"]
        done = run(folder, nodes, *words, JUDGE_API_KEY=key)
        assert done.returncode == 0, done.stderr
        assert server.answered
    logs = [*nodes.cluster.folder.glob("session_*/logs/**/*")]
    assert any(log.name.startswith("runtime_env_agent") for log in logs)
    assert not [log for log in logs if log.is_file() and key.encode() in log.read_bytes()]


def test_what_does_not_fit_is_refused_before_anything_is_written(folder, nodes):
    done = run(folder, nodes, "score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--on", "ray,hosts=9,gpus=1")
    assert done.returncode == 2, done.stderr
    assert "9 hosts of 1 CPUs and 1 GPUs each do not fit into its nodes" in done.stderr
    assert not list(folder.glob("out*"))
