"""A stage as a job, as OpenRLHF runs it; the rest of a job is that of every engine on Ray (rewardlab_ray.job).

engine                              what distinguishes its jobs from those of another engine
driver                              the process that runs one stage
prepare                             the files that OpenRLHF reads
reinforcement, engine_trainer       starting OpenRLHF: rl with its actors; sft and dpo with a process for each GPU
best_model, greedy_answers          `keep: best`: each checkpoint's answers, and the one that is handed on
checkpoint, adapters                reading a checkpoint's progress; merging LoRA adapters
"""
