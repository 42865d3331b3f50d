"""What a row of a micro-batch takes of a GPU, and the default of micro-batches: an arithmetic, which measures nothing.

model_sizes     a model's sizes from its config.json, where that can be read without the hub
token_costs     bytes of a token in one pass: logits, and activations
micro_batches   the default of micro-batches, from what a token costs

stage_memory beside this has the bytes of each role. docs/cluster.md has the formulas and their sources.
"""
