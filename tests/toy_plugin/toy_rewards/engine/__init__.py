"""A whole backend, small enough to be read at once: a softmax policy over a few fixed answers, trained in plain Python.

options           what a recipe may say under `backend: {use: toy}`
backend           what the rest of the library asks of an engine: check, describe, ready, trains_here, run
check, describe   what a recipe may ask for, and what will be done
policy            the model: sampling, a step of policy gradient, and its file
stages            one stage of a run, from the model before it to the model that it writes
train, evaluate   the rl stage, and the evaluations in it or of a stage of their own
"""
