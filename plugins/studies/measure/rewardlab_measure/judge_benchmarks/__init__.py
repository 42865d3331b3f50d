"""Judges measured on published benchmarks: RewardBench, RM-Bench, MM-Eval and others, with their official scores.

In go a plan and rows in a published form, from files or the hub. Out come the official score, accuracy and correlations
for each component, of all cases, by section, language, resource level and the benchmark's own slices. Each benchmark is
a YAML file in formats/, or one of the user's.

    benchmark_format   the format of a benchmark: columns, forms of rows, the official score
    benchmark_question the question of a benchmark, put to the components of a recipe
    benchmark_rows     the cases of a benchmark, from files or the hub
    row_cases          the cases of a row
    row_forms          which published form a row has
    row_columns        the columns of a row, or what is wrong with them
    outcomes           whether the judge was right about a case
    official_scores    the official score and the measures of each slice
    resource_classes   the resource level of a language
    job                the measurement, with one seed or several
    report             the result as text
"""
