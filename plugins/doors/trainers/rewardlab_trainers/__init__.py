"""The reward of a recipe in trainers of other makers: a module for each, over one door.

recipe_door     the reward, what a trainer is refused before it generates anything, and what all adapters share
slime           slime and miles: `--custom-rm-path`, with or without `--group-rm`
verifiers       verifiers 0.4: a function that a configuration plugs; rewardlab_verifiers is a judge for it
tinker          tinker-cookbook: `compute_group_rewards` of a group of trajectories
nemo_rl         NeMo-RL: an environment of one turn
skyrl           SkyRL: a generator around its own
openenv         OpenEnv: a rubric
rllm            rLLM: an evaluator, found by its entry point
"""
