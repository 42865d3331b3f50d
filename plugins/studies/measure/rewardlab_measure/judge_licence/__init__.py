"""Judges measured for a licence, which `rewardlab run` asks for, and the pairs whose labels decide it soonest.

In go a plan whose judges have `require`, and the labels that it names; out come licence files beside cassettes
(`rewardlab_training.licences` reads them), and rows to be labelled next.

    job          the measurement of a recipe's judges
    measures     what a licence keeps: measures with the intervals that decide
    next_labels  which pairs to label next
    report       licences as text
"""
