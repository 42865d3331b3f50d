"""Alarms: signs in the numbers of a training's steps that something is wrong, and who says so.

alarm_kinds, score_conditions, divergence_conditions, series   the signs, and the numbers that they look at
alarm_settings, alarm_policy   what a recipe makes of them
alarm_watch, alarm_file, webhook   who looks while a stage runs, and who is told
trainer_log                    the numbers in the log of a training that another tool ran
alarms_afterwards              the alarms of a run, with those that nobody watched for
"""
