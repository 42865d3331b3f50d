"""The page of `run --dry-run`: the exact commands, GPUs and memory of a recipe's stages, from no engine.

describe   the page, stage by stage
files      the files of a stage whose run does not exist yet
"""
