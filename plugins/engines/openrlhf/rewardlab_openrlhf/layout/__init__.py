"""The layout of a stage: which of its processes gets which GPUs.

stage_layout   the GPUs of trainer, reference, critic, rollout engines and scorers, or what does not divide
"""

from rewardlab_openrlhf.layout.stage_layout import LayoutError, StageLayout, layout_of, split_size

__all__ = ["LayoutError", "StageLayout", "layout_of", "split_size"]
