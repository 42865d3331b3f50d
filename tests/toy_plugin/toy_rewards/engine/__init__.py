"""A whole backend, small enough to be read at once: a softmax policy over a few fixed answers, trained in plain Python.

options           what a recipe may say under `backend: {use: toy}`
backend           what the rest of the library asks of an engine
check, describe   what a recipe may ask for, and what will be done
policy            the policy of a stage: training, sampling, saving
answer_weights    the model: probabilities of answers, a step of policy gradient, and its file
"""
