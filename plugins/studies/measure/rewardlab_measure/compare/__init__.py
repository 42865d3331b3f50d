"""A comparison of two rewards, group by group: what each would teach that the other would not.

In go two sides, each a recipe's plan or a file that `score` wrote, and rows with completions. Out comes a `Comparison`:
measures by slice of the rows, the groups that differ most and what the judges cost, as text and as JSON values.

    sources         the two sides on the command line, and which overrides belong to which
    job             the comparison from the rows to its result
    rows            rows that both sides can read, checked before anything is scored
    side            a side of the comparison: a recipe that scores now, or a file that was scored before
    scored_file     the rows of a file that was scored before, looked up by id
    shared_judges   judges of both recipes, so that a question that both ask is paid once
    shared_settings judges and components that both recipes declare alike
    shared_executor the executor of a component that both recipes have, which scores a group once for both
    measures        two sides of one group: correlations, flips, variance, distance
    tally           the measures of many groups
    most_different  the few groups that are furthest apart
    truth           what people want of completions: a component of a side, or a column of the rows
    gain            how much of the truth a step along a reward's advantages teaches
    teaching        the question which side teaches more of a truth, and what the rows answer
    verdict         the answer with its interval, and how many prompts would say so
    looks           looks on the way, so that a comparison may stop once it is decided
    teaching_report the answer as text and as JSON values
    report          the result as text and as JSON values
    side_by_side    one group as text: a line a completion
"""
