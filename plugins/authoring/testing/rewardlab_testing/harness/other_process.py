"""A component in another process or a Ray actor, built from JSON and asked in JSON as a host does it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rewardlab.workers import START_LIMIT, PluginRaisedError, WorkerProcess, host_sys_path, message_line

from rewardlab_testing.harness import in_other_process, spec_location
from rewardlab_testing.harness.component_under_test import SEED, ComponentUnderTest
from rewardlab_testing.harness.dataset_rows import row_as_json
from rewardlab_testing.outcomes.outcome import NothingToTry, UnmetNeed

LIMIT = 300.0
"""seconds for an answer, once the component is built"""

Json = Any


def call_in_process(tested: ComponentUnderTest, call: str, payload: Json) -> Json:
    """Return what `call` ("module:function") gives as function(component, payload) in a spawned process, as JSON.

    The process has this one's interpreter and sys.path but another hash salt; it finds the spec again and builds it
    from the trial's options as JSON. Raises UnmetNeed if the spec or the example's judges cannot be had there, and
    WorkerError if building or asking fails.
    """
    hello = {
        "file": in_other_process.__file__,
        "settings": _settings(tested, call),
        "context": _context(tested),
    }
    child = WorkerProcess(tested.use, hello, variables={"PYTHONHASHSEED": str(_other_salt())})
    try:
        child.get_ready()
        answer = child.ask(message_line({"questions": [payload], "limit": LIMIT}), LIMIT)
    finally:
        child.end()
    if "raised" in answer:
        raise PluginRaisedError(answer["raised"])
    return _read(tested, answer["answers"][0])


def call_in_ray_actor(tested: ComponentUnderTest, call: str, payload: Json) -> Json:
    """Return what `call` gives in a Ray actor, as `call_in_process` does for a process.

    The actor belongs to the Ray that this process is connected to, or else to one that is started for it. Raises
    NothingToTry if Ray is not installed.
    """
    ray = _import_ray()
    settings, context = _settings(tested, call), _context(tested)
    with _connected(ray):
        actor = ray.remote(num_cpus=0)(in_other_process.RayActor).remote()
        try:
            asked = actor.answer.remote(host_sys_path(), settings, context, payload)
            answer = ray.get(asked, timeout=START_LIMIT + LIMIT)
        except ray.exceptions.RayTaskError as error:
            raise PluginRaisedError(f"{tested.use}: in a Ray actor: {error.cause or error}") from error
        finally:
            ray.kill(actor)
    return _read(tested, answer)


def _import_ray() -> Any:
    try:
        import ray
    except ImportError:
        raise NothingToTry("Ray is not installed here") from None
    return ray


@contextmanager
def _connected(ray: Any) -> Iterator[None]:
    """Connect to a Ray of our own, unless this process is connected already; a Ray started here is shut down here."""
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a test says nowhere what it runs on
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        yield
    finally:
        ray.shutdown()


def _settings(tested: ComponentUnderTest, call: str) -> dict[str, Json]:
    if tested.judges and tested.example_index is None:
        raise UnmetNeed("judges given to a test cannot be made in another process; declare them by Laws(examples=...)")
    place, source = tested.opener.place, getattr(tested.example, "source", None)
    return {
        "location": spec_location.location_of(tested.spec, tested.use, tested.plugin is not None),
        "options": tested.options.model_dump(mode="json", by_alias=True, round_trip=True),
        "example": tested.example_index,
        "source": source and list(map(row_as_json, source)),
        "workers": {
            "python": place.python,
            "device": place.device,
            "threads": place.threads,
            "size": tested.opener.size,
            "timeout": tested.opener.timeout,
            "memory": place.memory,
        },
        "call": call,
    }


def _context(tested: ComponentUnderTest) -> dict[str, Json]:
    context = tested.context()
    return {"seed": SEED, "cache_dir": str(context.cache_dir), "device": context.device}


def _other_salt() -> int:
    """Return a salt for hashes that differs from this process's, where that was set."""
    return 2 if os.environ.get("PYTHONHASHSEED") == "1" else 1


def _read(tested: ComponentUnderTest, answer: Json) -> Json:
    if "not_found" in answer:
        raise UnmetNeed(f"{tested.use} {spec_location.REMEDY} ({answer['not_found']})")
    return answer["answer"]
