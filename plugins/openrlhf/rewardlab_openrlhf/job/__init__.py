"""A stage as a job: the machine where `rewardlab run` was typed starts it, and a driver runs it, here or on a cluster.

run                                 on the starting machine: the stages one after the other
check_local                         checking this machine
run_cluster                         running the driver on a Ray cluster
log, log_lines, repeated_lines      the driver's output as the user reads it
driver                              the process that runs one stage
check_nodes, cluster_nodes          checking the nodes of the cluster that the stage can be placed on
prepare                             the files that OpenRLHF reads
reinforcement, ranks                starting OpenRLHF: rl with its actors; sft and dpo with a process for each GPU
best_model, greedy_answers          `keep: best`: each checkpoint's answers, and the one that is handed on
checkpoint, adapters                reading a checkpoint's progress; merging LoRA adapters
"""
