"""The example plugin that runs unit tests of generated code: what it scores, and what its sandbox keeps out."""

import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from helpers.paths import TESTS
from rewardlab import Completion, Sample
from rewardlab.registry import Registry
from rewardlab.testing import check_reward

EXAMPLE = TESTS.parent / "docs" / "examples" / "code"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")]


HOSTILE = [
    "import os\nos._exit(0)",
    "import sys\nsys.exit(0)",
    "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "while True: pass",
    "import time\ntime.sleep(60)",
    "kept = bytearray(10**10)",
    "x = 9 ** 9 ** 9",
    "import os\nwhile True: os.fork()",
    "import subprocess\nsubprocess.run(['true'], check=True)",
    "import threading\nthreading.Thread(target=print).start()\nimport os\nos.fork()",
    "import socket\nsocket.create_connection(('127.0.0.1', 1))",
    "with open('big', 'wb') as file:\n    file.write(bytes(10**8))",
    "import os\nassert [v for v in os.environ if 'KEY' in v]",
    "import os\nfor _ in range(3000):\n    os.mkdir('a' * 200)\n    os.chdir('a' * 200)\nassert False",
    "import sys\nsys.setrecursionlimit(10**9)\nf = lambda: f()\nf()",
]


@pytest.fixture(autouse=True)
def code(offer, tmp_path):
    """The plugin `code`, installed; the whole package stands beside its module."""
    folder = offer("code", "from rewardlab_code import *\nfrom rewardlab_code import rewardlab_rewards\n")
    shutil.copytree(EXAMPLE / "rewardlab_code", folder / "rewardlab_code")
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "rewardlab_code"]:
        del sys.modules[name]


@pytest.fixture
def built(code):
    """`built(seconds=1)`: code/tests with these options, in this process."""
    spec = Registry().find("reward", "code/tests")
    return lambda **options: spec.build(spec.config.model_validate({"seconds": 5, **options}), None)


def asked(code, *tests):
    """A sample with these tests, and a completion with this code."""
    sample = Sample(id="s", fields={"tests": list(tests) or ["pass"]})
    return sample, Completion(text=f"```python\n{textwrap.dedent(code)}\n```")


@pytest.fixture
def scored(built):
    """The Score of code for tests."""
    return lambda code, *tests: built().score([asked(code, *tests)])[0]


def test_the_recipe_of_the_docs(main, tmp_path):
    out = tmp_path / "out.jsonl"
    code, _, err = main("score", str(EXAMPLE / "recipe.yaml"), str(EXAMPLE / "rows.jsonl"), "-o", str(out))
    assert code == 0, err
    assert '"total": [1.0, 0.5, 0.0, 0.0]' in out.read_text()


@pytest.mark.nightly
def test_the_laws():
    check_reward("code/tests", tries=1, options={"seconds": 5})


def test_hostile_code_passes_nothing_and_is_ended(built, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "x")
    reward = built(seconds=1)
    scores = reward.score([asked(code) for code in HOSTILE])
    assert {code: score.value for code, score in zip(HOSTILE, scores, strict=True)} == dict.fromkeys(HOSTILE, 0.0)


def test_tests_have_a_process_each_and_their_share_is_the_value(scored):
    given = scored("seen = []", "seen.append(1)", "assert not seen", "assert seen")
    assert given.value == pytest.approx(2 / 3)


def test_a_row_without_tests_is_a_failure_and_no_low_score(scored):
    assert "no list of Python texts" in scored("pass", 3).error


def test_a_sandbox_that_does_not_hold_cannot_be_built(scored, monkeypatch):
    from rewardlab_code import sandbox

    monkeypatch.setitem(sandbox.PROOFS, "it has no network", ("pass", False))
    with pytest.raises(sandbox.SandboxError, match="not so that it has no network"):
        scored("pass")


def test_a_test_process_ends_with_the_process_that_started_it(tmp_path):
    said = tmp_path / "pid"
    program = f"""
        from rewardlab_code.sandbox import Limits, Sandbox
        code = "import os, time\\nopen({str(said)!r}, 'w').write(str(os.getpid()))\\ntime.sleep(1e6)"
        Sandbox(Limits(seconds=50, memory=1 << 30, file=1 << 20), "").passes(code, "", 50)
    """
    host = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], cwd=EXAMPLE)
    try:
        wait_for(lambda: said.exists() and said.read_text())
    finally:
        host.kill()
        host.wait()
    wait_for(lambda: not Path(f"/proc/{said.read_text()}/cmdline").exists() or not cmdline(said.read_text()))


def cmdline(pid):
    """What a process runs; nothing for a zombie, which nobody may reap in a container."""
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def wait_for(true, within=30):
    ends = time.monotonic() + within
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.05)
