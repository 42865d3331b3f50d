"""A stage as a job of an engine on Ray: the machine where `rewardlab run` was typed starts it, a driver runs it.

engine, backend                               in what engines differ, and how the library sees one
planned_stage                                 what a dry run can know of a stage
stage_run                                     on the starting machine: a stage from its rows to its results
check_machine                                 checking this machine before a run begins
local_job, cluster_job, outer_job             the driver as a process here, or as a job of a Ray cluster
stage_log, log_lines, outage_lines, repeated_lines  the driver's output as the user reads it
alarms                                        the alarms, by the numbers in that output
restarts, lost_process                        which ends of a job are a loss, and starting it again
stage_driver                                  the driver: what is the same of it for all engines
connection, check_nodes, cluster_nodes        the Ray that it is connected to, and the nodes there
scored_training, ranks                        an engine with actors that score; one with a process for each GPU
"""
