"""For all tests: hypothesis without its explain phase, an interrupt that interrupts, and an interpreter with COMET.

The explain phase traces every line of what is tested: slow, and on Python 3.11 a trace function and an eval breaker
that another thread keeps set make the interpreter go round at a function's first instruction for ever (seen once).
"""

import gc
import os
import signal
import sys
from pathlib import Path

# bytecode is kept, else each process rewrites all tests' assertions, and hypothesis's, and each one compiles the core
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

import pytest  # noqa: E402
from hypothesis import HealthCheck, Phase, settings  # noqa: E402

pytest_plugins = ("helpers.fixtures",)

settings.register_profile(
    "quick",
    parent=settings.get_profile(settings.get_current_profile_name()),
    phases=[phase for phase in Phase if phase is not Phase.explain],
    max_examples=15,  # other ones each time
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.register_profile("thorough", parent=settings.get_profile("quick"), max_examples=500)  # `nox -s nightly`
settings.load_profile("quick")

os.environ.setdefault("REWARDLAB_PROGRESS_S", "0")  # what is printed is compared, however long a machine takes for it

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in what a script starts with `&`: tests would wait for ever
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as under nohup
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """The quick suite takes all cores; slow tests, which measure and kill, and a few files run in one process."""
    named = [Path(argument.partition("::")[0]) for argument in config.option.file_or_dir]
    few = bool(named) and all(path.suffix == ".py" for path in named)
    return min(8, os.cpu_count() or 1) if "not slow" in config.option.markexpr and not few else 0


def pytest_collection_finish() -> None:
    """Thousands of collected tests live as long as the session; the collector need not pass over them each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # else a tenth of the time goes to collections


@pytest.fixture(scope="session")
def comet_python() -> str:
    """An interpreter that has COMET: $REWARDLAB_COMET_PYTHON, else of the managed environment, which is built."""
    if own := os.environ.get("REWARDLAB_COMET_PYTHON"):
        return own
    from rewardlab import Config, installed
    from rewardlab.workers import interpreter_of

    python = interpreter_of(installed().find("reward", "comet/answer"), Config(), installed().plugin("comet"))
    assert python is not None
    return python
