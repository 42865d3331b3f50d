"""Trackers: TensorBoard, Weights & Biases, MLflow and trackio get a stage's numbers and samples while it runs.

In goes the folder of a run, in which every engine writes the same records. Out come the same names in every tracker:
train/reward/total, train/loss, eval/reward/total. No tracker can end a run: one that fails is warned of and left out.

    following      the stage's records, read while it runs, and told to trackers by a thread
    stage_records  what is new in the logs, the evaluations and the ledger of a stage
    trackers       the four of them, each as an object with log, table and close
"""
