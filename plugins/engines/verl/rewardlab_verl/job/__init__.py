"""A stage as a job, as verl runs it; the rest of a job is that of every engine on Ray (rewardlab_ray.job).

engine         what distinguishes its jobs from those of another engine
driver         the process that runs one stage
prepare        the files that verl reads
reinforcement  starting verl's trainer beside the actors that score
adapters       LoRA adapters, merged into the model that a stage leaves
checkpoints    how far a stage is, and the model that it leaves
step_numbers   the numbers of each step, from verl's file
"""
