"""The laws as assertions, for plugin authors' own tests.

checks           check_reward and its like: one call for each component
ranked_examples  examples of a reward, made of the completions of known rank that a test hands in
"""
