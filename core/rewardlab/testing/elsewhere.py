"""A component in another process or a Ray actor, as a host would have it there: built from JSON, asked in JSON."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rewardlab.testing import found_again, there
from rewardlab.testing.outcome import NothingToTry, Untried
from rewardlab.testing.rows_read import row_as_json
from rewardlab.testing.trial import SEED, Trial
from rewardlab.worker import as_line, command_of, path_of
from rewardlab.worker_child import START_LIMIT, Child, PluginRaised

LIMIT = 300.0
"""seconds for an answer, once the component is built"""

Json = Any


def answered_elsewhere(tested: Trial, call: str, payload: Json) -> Json:
    """What `call` ("module:function") gives as function(component, payload) in a spawned process, as JSON.

    The process has this one's interpreter and sys.path and another salt of hashes, finds the spec again, and builds it
    from the trial's options as JSON. Untried where the spec or the example's judges cannot be had there; a WorkerError
    where building or asking fails.
    """
    hello = {
        "path": path_of(None),
        "file": there.__file__,
        "settings": _settings(tested, call),
        "context": _context(tested),
        "limit": START_LIMIT,
    }
    child = Child(tested.use, ["env", f"PYTHONHASHSEED={_other_salt()}", *command_of(None)], 1, as_line(hello))
    try:
        child.get_ready()
        answer = child.ask(as_line({"questions": [payload], "limit": LIMIT}), LIMIT)
    finally:
        child.end()
    if "raised" in answer:
        raise PluginRaised(answer["raised"])
    return _read(tested, answer["answers"][0])


def answered_on_ray(tested: Trial, call: str, payload: Json) -> Json:
    """As `answered_elsewhere`, in an actor of the Ray that this process is connected to, else of one of its own.

    NothingToTry where Ray is not installed.
    """
    ray = _ray()
    settings, context = _settings(tested, call), _context(tested)
    with _connected(ray):
        actor = ray.remote(num_cpus=0)(there.OnRay).remote()
        try:
            asked = actor.answer.remote(path_of(None), settings, context, payload)
            answer = ray.get(asked, timeout=START_LIMIT + LIMIT)
        except ray.exceptions.RayTaskError as error:
            raise PluginRaised(f"{tested.use}: in a Ray actor: {error.cause or error}") from error
        finally:
            ray.kill(actor)
    return _read(tested, answer)


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise NothingToTry("Ray is not installed here") from None
    return ray


@contextmanager
def _connected(ray: Any) -> Iterator[None]:
    """What is started here ends here."""
    if ray.is_initialized():
        yield
        return
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a test tells nobody what it runs on
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        yield
    finally:
        ray.shutdown()


def _settings(tested: Trial, call: str) -> dict[str, Json]:
    if tested.judges and tested.place is None:
        raise Untried("judges given to a test cannot be made in another process; declare them by Laws(examples=...)")
    place, source = tested.opener.place, getattr(tested.example, "source", None)
    return {
        "place": found_again.told(tested.spec, tested.use, tested.plugin is not None),
        "options": tested.options.model_dump(mode="json", by_alias=True, round_trip=True),
        "example": tested.place,
        "source": source and list(map(row_as_json, source)),
        "workers": {
            "python": place.python,
            "device": place.device,
            "threads": place.threads,
            "size": tested.opener.size,
            "timeout": tested.opener.timeout,
        },
        "call": call,
    }


def _context(tested: Trial) -> dict[str, Json]:
    known = tested.context()
    return {"seed": SEED, "cache_dir": str(known.cache_dir), "device": known.device}


def _other_salt() -> int:
    """A salt for hashes that is not this process's, where that was chosen."""
    return 2 if os.environ.get("PYTHONHASHSEED") == "1" else 1


def _read(tested: Trial, answer: Json) -> Json:
    if "unfound" in answer:
        raise Untried(f"{tested.use} {found_again.REMEDY} ({answer['unfound']})")
    return answer["answer"]
