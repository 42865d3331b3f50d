"""Scoring: from a group of completions to component scores, a total and a shaped reward for each completion.

In go a plan, whose rewards and judges the scorer builds, and groups: complete, as streams, or collected in a pool. Out
come scored groups, and records of what each component did in them. Whatever a reward does wrong becomes a failed score;
what must end the job is raised.

    own_scorer           the scorer of a process, another one in each fork
    recipe_reward        the reward of a recipe for programs: rows in, scored groups out
    given_rows           rows that a program hands over, as groups
    completion_table     scored groups as a data frame, a row a completion
    scored_completion    one completion with each component's value, reason and contribution
    scorer               the scorer of a plan: builds its rewards and judges, scores groups
    lanes                how a reward runs, what goes into one call, and the check of what it gives
    watched_calls        rewards whose calls are told where they last long, by a process that sees them: call_watcher
    shared_lane          the lane of a component that two scorers have in common
    row_check            a row made into a group, or why it cannot be scored
    row_window           rows scored at the same time, with results in order
    pool                 the completions of one prompt, handed over one by one by a trainer
    group_sampler        curricula that choose the group from a larger pool
    deadline             the deadline for scoring a group
    composition          from component scores to totals and shaped rewards, with the policies for missing values
    group_numbers        what a step's means and missing values need of a scored group
    missing_guard        stops a job in which too many scores are missing
    attribution          what each component contributed to a reward
    attribution_records  records of that: from scored groups, from ledgers, from the output of `score`
"""
