"""The GPUs of a stage's processes: trainer, reference, critic, rollout engines, scorers.

It follows OpenRLHF's placement: with `colocate` the trainer's ranks, the reference, the critic and the rollout engines
share one placement group, a GPU a bundle, so that ranks = engines x tensor_parallel. Without it the engines and the
critic have GPUs of their own, and the reference shares those of the ranks. Scorers that hold a model start first and
always have GPUs of their own, on as few nodes as hold them (scorer_nodes). sft and dpo have whole nodes, as many as
their batch divides over.
"""

from dataclasses import dataclass

from rewardlab.recipe import DpoStage, RecipePath, RlStage, SftStage
from rewardlab_ray.scoring.scorer_nodes import ScorerNode, scorer_nodes

from rewardlab_openrlhf.options import Engine, Options


class LayoutError(ValueError):
    """An error: the counts of a recipe do not fit each other; `path` is the place in the recipe to change."""

    def __init__(self, path: RecipePath, why: str) -> None:
        super().__init__(why)
        self.path = path


@dataclass(frozen=True, kw_only=True)
class StageLayout:
    """The GPUs of one stage. A rank is a process of the trainer, with one GPU."""

    nodes: int
    """nodes that the stage uses"""
    gpus: int
    """GPUs of these nodes"""
    ranks: int
    ring: int = 1
    """ranks that share each sequence"""
    colocated: bool = False
    engines: int = 0
    tensor_parallel: int = 1
    """GPUs of one engine"""
    critic: bool = False
    reference: bool = False
    scorers: int = 0
    """whole GPUs that scorers take"""
    held: int = 0
    """idle GPUs of the scorers' nodes that would only make a part of an engine"""

    @property
    def shards(self) -> int:
        """The number of parts into which the trainer splits a batch."""
        return self.ranks // self.ring

    @property
    def critic_gpus(self) -> int:
        """GPUs of the critic alone, which has as many ranks as the policy."""
        return self.ranks if self.critic and not self.colocated else 0

    @property
    def engine_gpus(self) -> int:
        """GPUs of the rollout engines alone."""
        return 0 if self.colocated else self.engines * self.tensor_parallel

    @property
    def idle(self) -> int:
        """GPUs that nobody uses."""
        return self.gpus - self.ranks - self.critic_gpus - self.engine_gpus - self.scorers

    @property
    def ranks_by_node(self) -> tuple[int, int]:
        """(nodes, ranks on each) in the form that OpenRLHF takes; only the product matters to its placement."""
        return (self.nodes, self.ranks // self.nodes) if self.ranks % self.nodes == 0 else (1, self.ranks)


def layout_of(backend: Options, stage: SftStage | DpoStage | RlStage) -> StageLayout:
    """Return the GPUs of a training stage. Raises LayoutError if there are too few or they do not divide."""
    each = backend.gpus_per_node
    if each is None:
        raise LayoutError(("backend", "gpus_per_node"), "missing; say how many GPUs each node has, such as 8")
    if each == 0:
        raise LayoutError(("backend", "gpus_per_node"), "OpenRLHF trains on GPUs; without one, use: trl")
    layout = _rl(backend, stage, each) if isinstance(stage, RlStage) else _sft_dpo(backend, stage, each)
    if layout.ranks % layout.ring:
        why = f"the trainer's {layout.ranks} ranks do not divide into rings of {layout.ring}"
        raise LayoutError(("backend", "engine", "ring_attention"), why)
    return layout


def _sft_dpo(backend: Options, stage: SftStage | DpoStage, each: int) -> StageLayout:
    """Return whole nodes, as many as the batch divides over; one if it divides over none, a batch finding."""
    ring = backend.engine.ring_attention
    for nodes in range(backend.nodes, 0, -1):
        ranks = nodes * each
        if ranks % ring == 0 and stage.batch_size % (ranks // ring * (stage.micro_batch_size or 1)) == 0:
            return StageLayout(nodes=nodes, gpus=ranks, ranks=ranks, ring=ring)
    return StageLayout(nodes=1, gpus=each, ranks=each, ring=ring)


def _rl(backend: Options, stage: RlStage, each: int) -> StageLayout:
    beside = _scorer_nodes(backend, each)
    gpus, scorers = backend.nodes * each, sum(node.gpus for node in beside)
    left, held = gpus - scorers, sum(node.held for node in beside)
    if left < 1:
        raise LayoutError(
            ("backend", "scorers", "num_gpus"),
            f"{backend.scorers.replicas} scorers take {scorers} of {gpus} GPUs and leave none to train on",
        )
    engine, critic = backend.engine, stage.algorithm == "ppo"
    if each % engine.tensor_parallel:
        why = (
            f"the {each} GPUs of a node do not divide into engines of {engine.tensor_parallel}; "
            "an engine's GPUs must be of one node"
        )
        raise LayoutError(("backend", "engine", "tensor_parallel"), why)
    if len(beside) > backend.nodes:
        replicas, gpus_of_one = backend.scorers.replicas, backend.scorers.num_gpus
        why = f"{replicas} scorers of {gpus_of_one:g} need {len(beside)} nodes of {each} GPUs"
        raise LayoutError(("backend", "scorers", "num_gpus"), why)
    if engine.colocate:
        engines, ranks = _shared(engine, left, scorers, held)
    else:
        engines, ranks = _separate(engine, left - held, scorers + held, critic)
    return StageLayout(
        nodes=backend.nodes,
        gpus=gpus,
        ranks=ranks,
        ring=engine.ring_attention,
        colocated=engine.colocate,
        engines=engines,
        tensor_parallel=engine.tensor_parallel,
        critic=critic,
        reference=stage.kl.coef > 0,
        scorers=scorers,
        held=held,
    )


def _shared(engine: Engine, left: int, scorers: int, held: int) -> tuple[int, int]:
    """Return (engines, ranks) on the same GPUs; `held` of those that are left make no whole engine on their nodes."""
    size = engine.tensor_parallel
    whole, rest = (left - held) // size, held or left % size
    if engine.engines is None and (rest or not whole):
        hint = f"; `engines: {whole}` leaves {rest} idle" if whole else ""
        raise LayoutError(("backend", "engine", "engines"), f"{left} GPUs do not divide into engines of {size}{hint}")
    engines = engine.engines or whole
    if engines > whole:
        why = f"{engines} engines of {size} take {engines * size} GPUs, and there are {left}{_scorers_note(scorers)}"
        raise LayoutError(("backend", "engine", "engines"), why)
    return engines, engines * size


def _separate(engine: Engine, left: int, scorers: int, critic: bool) -> tuple[int, int]:
    """Return (engines, ranks) on GPUs of their own; a critic takes as many as the policy."""
    size = engine.tensor_parallel
    engines = engine.engines or max(1, left // 2 // size)
    ranks = (left - engines * size) // (2 if critic else 1)
    if ranks < 1:
        takers = "a policy and a critic" if critic else "a policy"
        why = (
            f"{engines} engine(s) of {size} leave {max(0, left - engines * size)} of {left} GPUs"
            f"{_scorers_note(scorers)} to {takers} that does not share them; `colocate: true` shares"
        )
        raise LayoutError(("backend", "engine", "engines" if engine.engines else "colocate"), why)
    return engines, ranks


def split_size(backend: Options) -> int:
    """Return the GPUs that Ray must not split over nodes: an engine's, and 1 if there is only one node."""
    return backend.engine.tensor_parallel if backend.nodes > 1 else 1


def _scorer_nodes(backend: Options, each: int) -> list[ScorerNode]:
    """Return the nodes of scorers with GPUs. Raises LayoutError if a scorer cannot have its number of them."""
    gpus = backend.scorers.num_gpus
    if gpus > 1 and (gpus != int(gpus) or gpus > each):
        why = f"{gpus:g}: a part of one GPU, or whole ones of a node ({each})"
        raise LayoutError(("backend", "scorers", "num_gpus"), why)
    return scorer_nodes(backend.scorers, each, split_size(backend))


def _scorers_note(scorers: int) -> str:
    return f" besides the {scorers} of the scorers" if scorers else ""
