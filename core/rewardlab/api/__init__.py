"""What the commands do, from Python: one function a command, which `rewardlab` hands on.

In go recipes (a path, a name, a dict, the folder of a run), overrides, and rows (a path or dicts). Out comes a
`CommandResult`: what the command prints, as text and as JSON values, and whether its exit code is 0. Nothing is printed
but notes. `load_reward`, which scores, lies lower, in scoring/recipe_reward.py.

    recipe_check       every mistake in a recipe
    reward_probe       degenerate completions against honest ones
    reward_comparison  what two rewards would teach differently
    judge_measurement  judges against gold
    model_tables       evaluated models in tables, with intervals
    model_win_rates    how often each model's answers win
    recipe_run         a run of a recipe, to its end, with its report
    sample_conversion  samples of another evaluation tool as rows to score
    result             the result of a command
    given              rows that a program hands over, as the file that a job reads
"""
