"""A component as laws ask it: built under the options of one example, and asked as a host does it.

component_under_test     the component, ready to be built as often as a law wants
reward_harness           a reward, whose answers are checked as a host checks them
judge_harness            a judge, likewise
dataset_rows             the rows of a dataset, and the source of a data step
deadline                 the time limit for plain functions that hang
hang                     the report of a reward that hangs, of which nothing more is asked
reward_in_environment    a reward that runs in workers of an environment of its own
other_process            the same component in another process or a Ray actor: the host's side
in_other_process         the other side
reward_in_other_process  what is asked of rewards there
spec_location            the place at which another process finds the spec again
"""
