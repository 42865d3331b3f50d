"""Logs of other evaluation tools as rows to score.

In goes what lm-evaluation-harness or inspect_ai logged. Out come rows, or what is wrong with a sample.

    lm_eval_samples  what lm-evaluation-harness logged, as rows
    inspect_log      what inspect_ai logged, as rows
    inspect_file     the file of such a log, sample by sample
    log_form         how logs become rows: the answer's column, and fields that file names say
"""
