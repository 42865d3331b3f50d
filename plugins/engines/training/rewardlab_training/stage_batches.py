"""The division of a step's rows, pairs or completions into optimizer updates, ranks and micro-batches."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from rewardlab.recipe import DpoStage, Finding, RlStage, SftStage


@dataclass(frozen=True, kw_only=True)
class StageBatches:
    """The batch sizes of a training stage, in rows (sft), pairs (dpo) or completions (rl).

    Args:
        step: of one step of the recipe.
        update: of one optimizer update, over all ranks.
        share: of that on each rank.
        micro: in one forward and backward pass of a rank.
        updates: optimizer updates in a step, over all passes.
    """

    unit: str
    step: int
    update: int
    updates: int
    share: int
    micro: int

    @classmethod
    def of(cls, stage: SftStage | DpoStage | RlStage, ranks: int = 1) -> Self:
        """Return the batch sizes of a stage without `findings`; a stage that says no micro-batch has whole shares."""
        if isinstance(stage, RlStage):
            unit, step, parts, updates = (
                "completions",
                stage.batch_size * stage.group_size,
                stage.updates_per_batch,
                stage.updates,
            )
        else:
            unit, step, parts, updates = "rows" if isinstance(stage, SftStage) else "pairs", stage.batch_size, 1, 1
        share = step // parts // ranks
        micro = stage.micro_batch_size or share
        return cls(unit=unit, step=step, update=step // parts, updates=updates, share=share, micro=micro)

    @property
    def accumulated(self) -> int:
        """The micro-batches of a rank whose gradients add up to one update."""
        return self.share // self.micro

    @classmethod
    def findings(cls, stage: SftStage | DpoStage | RlStage, ranks: int = 1, suffix: str = "") -> Iterator[Finding]:
        """Yield what does not divide; paths begin at the stage.

        All ranks must get equal shares: they wait for each other at each micro-batch, for ever.

        Args:
            suffix: what follows the number of ranks in a message.
        """
        sizes = cls.of(stage, ranks)
        unit = sizes.unit
        if isinstance(stage, RlStage):
            if sizes.step % stage.updates_per_batch:
                yield (
                    ("updates_per_batch",),
                    f"{stage.batch_size} prompts x {stage.group_size} = {sizes.step} completions do not divide into "
                    f"{stage.updates_per_batch} updates; {divisors(sizes.step)}",
                )
                return
            unit += " an update" if stage.updates_per_batch > 1 else ""
        if sizes.update % ranks:
            many = f"{sizes.update} {unit} do not divide over {ranks} ranks{suffix}"
            yield ("batch_size",), f"{many}; {divisors(sizes.update)}"
        elif sizes.share % sizes.micro:
            shares = f" are {sizes.share} on each of {ranks} ranks{suffix}, which" if ranks > 1 else ""
            into = f"do not divide into micro-batches of {sizes.micro}; {divisors(sizes.share)}"
            yield ("micro_batch_size",), f"{sizes.update} {unit}{shares} {into}"


def divisors(number: int) -> str:
    """Return the divisors of a positive number as text, the 16 smallest at most: "12 divides by 1, 2, 3, 4, 6, 12"."""
    numbers = [n for n in range(1, number + 1) if number % n == 0]
    return f"{number} divides by {', '.join(map(str, numbers[:16]))}"
