"""The actors that score for a whole rl stage: one coordinator, and the scorers, which share it.

service, service_settings               starting and ending the actors; their settings
scorer_placement, scorer_nodes          the nodes and GPUs that Ray gives the scorers
coordinator                             the one process that orders prompts and writes the ledger
asked_judges                            what all scorers have asked the judges
reading_order                           which prompt a ticket of the engine stands for
recorder, evaluation_passes, step_log   groups noted as they come: ledger, evaluations, curves
training_steps                          which step trains on a group if only the order of groups decides it
metrics                                 their counts for Prometheus
outage_watch                            the user is told of an actor that is out of reach
journal, recorded_groups                what an actor that Ray restarts has to know again
scorer_actor, rewards                   scoring groups, and the rewards that the engine receives
script_scorer                           the same for a script of an engine's own, which needs no coordinator
policy_judge                            the judge policy/self
"""
