"""The layout of a stage: which of its processes gets which GPUs.

stage_layout   the GPUs of trainer, reference, critic, rollout engines and scorers, or what does not divide
"""

from rewardlab_openrlhf.layout.stage_layout import Layout, LayoutError, layout_of, split_size

__all__ = ["Layout", "LayoutError", "layout_of", "split_size"]
