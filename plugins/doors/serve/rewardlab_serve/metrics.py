"""Counts of the server for Prometheus: groups, components, requests and judges."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily
from rewardlab import ScoredGroup
from rewardlab.judging import Usage

SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000)


class Metrics:
    """The counts of one server, in a registry of their own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        registry, labels = self._registry, ["component", "outcome"]
        self._requests = Counter("rewardlab_requests", "Requests answered", ["door", "status"], registry=registry)
        self._groups = Counter("rewardlab_groups", "Groups by how they ended", ["outcome"], registry=registry)
        self._scores = Counter("rewardlab_scores", "Scores: value, failed or abstained", labels, registry=registry)
        self._masked = Counter("rewardlab_masked_completions", "Completions without a total", registry=registry)
        self._seconds = Histogram(
            "rewardlab_group_seconds", "From the first completion to the scores", buckets=SECONDS, registry=registry
        )
        self._under_way = Gauge("rewardlab_groups_under_way", "Groups that have no answer yet", registry=registry)

    def watch(self, under_way: Callable[[], float], usage: Callable[[], Mapping[str, Usage]]) -> None:
        """Read the groups under way and the judges' usage whenever somebody asks for the counts."""
        self._under_way.set_function(under_way)
        self._registry.register(_JudgeUsage(usage))

    def request(self, door: str, status: int) -> None:
        """Count a request that was answered."""
        self._requests.labels(door, status).inc()

    def scored(self, group: ScoredGroup, seconds: float) -> None:
        """Count a group's scores."""
        self._groups.labels("scored").inc()
        self._seconds.observe(seconds)
        self._masked.inc(sum(total is None for total in group.totals))
        for name, scores in group.components.items():
            for score in scores:
                outcome = "value" if score.value is not None else "failed" if score.error is not None else "abstained"
                self._scores.labels(name, outcome).inc()

    def failed(self, kind: str) -> None:
        """Count a group that got no answer."""
        self._groups.labels(kind).inc()

    def repeated(self) -> None:
        """Count a request that was answered from what is kept."""
        self._groups.labels("repeated").inc()

    def text(self) -> bytes:
        """Return all counts in Prometheus' text format."""
        return generate_latest(self._registry)


class _JudgeUsage:
    """The usage of judges, as a collector."""

    def __init__(self, usage: Callable[[], Mapping[str, Usage]]) -> None:
        self._usage = usage

    def collect(self) -> Iterator[CounterMetricFamily]:
        families: dict[str, CounterMetricFamily] = {}
        for judge, used in self._usage().items():
            for name, value in asdict(used).items():
                if name not in families:
                    families[name] = CounterMetricFamily(f"rewardlab_judge_{name}", f"Judges: {name}", labels=["judge"])
                families[name].add_metric([judge], value)
        yield from families.values()
