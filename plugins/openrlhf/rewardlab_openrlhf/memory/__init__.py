"""The memory that a stage takes of a GPU, and the batch sizes that follow: an arithmetic, which measures nothing.

model_sizes     a model's sizes from its config.json, if that can be read without the hub
token_costs     bytes of a token in one pass: logits, and activations
micro_batches   the default of micro-batches, from what a token costs
batches         the split of a step over the trainer's ranks
stage_memory    bytes of each role: policy, reference, critic, rollout engines
memory_lines    that in words, and what cannot fit

docs/cluster.md has the formulas and their sources.
"""
