"""A stage as a job: the machine where `rewardlab run` was typed starts it, and a driver runs it.

run           on the starting machine: the driver's lines, the numbers of its steps, its end
check_local   checking this machine before a run begins
driver        the process that runs one stage
prepare       the files that verl reads
reinforcement starting verl's trainer beside the actors that score
adapters      LoRA adapters, merged into the model that a stage leaves
checkpoints   how far a stage is, and the model that it leaves
stage_log, step_watch  the driver's lines, and the numbers of each step from verl's file
"""
