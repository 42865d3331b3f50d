"""Starting and ending the actors of one rl stage: a coordinator, and as many scorers as the recipe says."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from rewardlab.errors import JobError, RewardlabError, one_line
from rewardlab.judging import Usage, format_summary
from rewardlab.scoring import ScoredGroup

from rewardlab_ray.job_options import Scorers
from rewardlab_ray.messages import FinishedGroup, GroupPlace, GroupRewards
from rewardlab_ray.ray_actors import CALLS_AT_ONCE, NAMESPACE, WITHOUT_TORCH, coordinator_name, scorer_name
from rewardlab_ray.scoring.asked_judges import asked_judges, settled_usage
from rewardlab_ray.scoring.coordinator import Coordinator
from rewardlab_ray.scoring.metrics import CoordinatorMetrics, ScorerMetrics
from rewardlab_ray.scoring.outage_watch import OutageWatch
from rewardlab_ray.scoring.scorer_actor import ScorerActor
from rewardlab_ray.scoring.scorer_placement import ScorerPlacement
from rewardlab_ray.scoring.service_settings import ServiceSettings

__all__ = ["Service", "ServiceSettings", "start_service"]

RESTARTS = 3
START_LIMIT_S = 1800.0
"""for building rewards, which may load models"""
END_LIMIT_S = 60.0
"""for an actor's last call"""


def _go_home(settings: ServiceSettings) -> None:
    """Let the recipe's relative paths begin in this actor's process where they begin for its author."""
    if settings.home.is_dir():  # if a node lacks it, no path of the recipe can be relative
        os.chdir(settings.home)


class CoordinatorActor(Coordinator):
    """The coordinator as a Ray actor, which counts for Prometheus."""

    def __init__(self, settings: ServiceSettings) -> None:
        _go_home(settings)
        super().__init__(settings)
        self._metrics = CoordinatorMetrics(settings.job)

    async def record(self, place: GroupPlace, group: FinishedGroup) -> GroupRewards | None:
        """Record as the coordinator does, and count the group."""
        earlier = await super().record(place, group)
        self._metrics.recorded(place.evaluation, (await self.open_step())[0])
        return earlier

    async def fail(self, message: str) -> None:
        """Note why the job has to end, and say that it has."""
        self._metrics.failed()
        await super().fail(message)

    async def waiting(self) -> None:
        """Return at once, and show the counts: the driver asks every second."""
        self._metrics.show()


class PlacedScorer(ScorerActor):
    """A scorer as a Ray actor, which counts for Prometheus."""

    def __init__(self, settings: ServiceSettings, device: str, number: int) -> None:
        _go_home(settings)
        super().__init__(settings, device, number)
        self._metrics = ScorerMetrics(settings.job, number)

    async def waiting(self) -> tuple[int, int]:
        """Return what waits, as the scorer does, and show it."""
        groups, calls = await super().waiting()
        self._metrics.waiting(groups, calls)
        return groups, calls

    def scored(self, group: ScoredGroup, asked: Mapping[str, Usage]) -> None:
        """Count a group that is scored."""
        self._metrics.scored(group, asked)


@dataclass(frozen=True)
class Service:
    """The running actors of a stage. asked_before: what each judge had been asked when they started."""

    settings: ServiceSettings
    asked_before: Mapping[str, Usage]
    coordinator: Any
    scorers: list[Any]
    placement: ScorerPlacement
    watch: list[OutageWatch] = field(default_factory=list)

    def failure(self) -> str | None:
        """Return the first reason why the job has to end, also if the coordinator is dead; None without one."""
        import ray

        with suppress(ray.exceptions.RayError):
            return ray.get(self.coordinator.failure.remote(), timeout=END_LIMIT_S)
        return self.settings.read_failure()

    def is_lost(self) -> bool:
        """Return whether an actor is dead, which Ray restarts no more."""
        import ray

        try:
            ray.get([actor.waiting.remote() for actor in (self.coordinator, *self.scorers)], timeout=END_LIMIT_S)
        except ray.exceptions.ActorDiedError:
            return True
        except ray.exceptions.RayError:  # out of reach for a while
            return False
        return False

    def open_step(self) -> tuple[int, int] | None:
        """Return the step that the next group belongs to, and how many groups it has; None: out of reach."""
        import ray

        with suppress(ray.exceptions.RayError):
            step, groups = ray.get(self.coordinator.open_step.remote(), timeout=END_LIMIT_S)
            return step, groups
        return None

    def close(self) -> list[str]:
        """End all actors; return a line for each judge that was asked."""
        import ray

        for watch in self.watch:
            watch.close()
        gone = (ray.exceptions.RayActorError, ray.exceptions.GetTimeoutError)
        try:
            with suppress(*gone):
                ray.get([scorer.close.remote() for scorer in self.scorers], timeout=END_LIMIT_S)
            with suppress(*gone):
                ray.get(self.coordinator.close.remote(), timeout=END_LIMIT_S)
        except ray.exceptions.RayTaskError as error:  # raising it would hide why the job has ended
            return [f"warning: {error.cause}"]
        finally:
            for actor in (*self.scorers, self.coordinator):
                ray.kill(actor)
            self.placement.close()
        return self._judge_lines()

    def _judge_lines(self) -> list[str]:
        try:
            asked = settled_usage(self.settings.run / "judges", self.asked_before)
        except JobError as error:
            return [f"warning: {error}"]
        return format_summary({name: (usage, self.asked_before[name]) for name, usage in asked.items()})


def start_service(
    settings: ServiceSettings, scorers: Scorers, warm: bool = True, placement: ScorerPlacement | None = None
) -> Service:
    """Start the actors in the cluster that this process is connected to, and wait until they are ready.

    Where an actor cannot be built, its own UserError or JobError is raised.

    Args:
        warm: start the rewards' worker processes now.
        placement: the scorers' resources, which closing the service gives back (absent: any node).
    """
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    paths = {name: getattr(settings, name).absolute() for name in ("run", "recipe", "folder", "home")}
    settings = replace(settings, **paths, scorers=scorers.replicas)  # an actor starts in a folder of Ray's
    settings.failure.unlink(missing_ok=True)  # an earlier attempt's
    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    common = {"namespace": NAMESPACE, "max_restarts": RESTARTS, "max_task_retries": 0}
    common |= {"max_concurrency": CALLS_AT_ONCE, "runtime_env": WITHOUT_TORCH}
    coordinator = ray.remote(CoordinatorActor).options(
        name=coordinator_name(settings.job), num_cpus=0, scheduling_strategy=here, **common
    )
    placed = ray.remote(PlacedScorer)
    placement = placement or ScorerPlacement(scorers)
    asked_before = settled_usage(settings.run / "judges", asked_judges(settings.plan()))
    service = Service(settings, asked_before, coordinator.remote(settings), [], placement)
    device = "cuda" if scorers.num_gpus > 0 else "cpu"
    try:
        placement.wait(START_LIMIT_S)
        for number, resources in enumerate(placement.options()):
            name = scorer_name(settings.job, number)
            service.scorers.append(placed.options(name=name, **resources, **common).remote(settings, device, number))
        opening = [scorer.ready.remote(warm) for scorer in service.scorers]
        with _own_errors(scorers):
            ray.get(service.coordinator.ready.remote(), timeout=START_LIMIT_S)
            ray.get(opening, timeout=START_LIMIT_S)
        named = {f"scorer {number}": scorer for number, scorer in enumerate(service.scorers)}
        service.watch.append(OutageWatch(service.coordinator, named))
    except BaseException:
        service.close()
        raise
    return service


@contextmanager
def _own_errors(scorers: Scorers) -> Iterator[None]:
    """Raise what an actor raised, without Ray's wrapping."""
    import ray

    try:
        yield
    except ray.exceptions.RayTaskError as error:
        cause = error.cause
        raise cause if isinstance(cause, RewardlabError) else JobError(one_line(cause)) from error
    except ray.exceptions.RayActorError as error:
        raise JobError(f"an actor that scores could not start: {one_line(error)}") from error
    except ray.exceptions.GetTimeoutError as error:
        raise JobError(
            f"the actors that score were not ready within {START_LIMIT_S:g} s; has the cluster room for "
            f"{scorers.replicas} of them, each with {scorers.num_cpus:g} CPUs and {scorers.num_gpus:g} GPUs?"
        ) from error
