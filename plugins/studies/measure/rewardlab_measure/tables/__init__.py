"""Tables of evaluated models, as papers print them: averages over languages, then over tasks, with intervals.

In go models, each a run, a file that `score` wrote, or averages that a paper printed. Out come tables of averages with
intervals, paired comparisons with corrected p-values, and sentences that say what they mean.

    sources      the models on the command line, and how their files are read
    readings     the answers of one model, prompt by prompt
    evaluation_files  files about an evaluation in a run's folder, beside the ledger
    measures     what is averaged: a component, the share that reaches a threshold, pass@k
    clusters     what counts as one: prompts of one problem
    prompts      the prompts that all models answered: task, language, cluster
    layout       which cells an average is made of, with merged languages
    language_groups  groups of languages from a file, such as resource tiers
    units        what is independent at a place: prompts, or clusters of them
    intervals    the intervals of averages of shares, of differences, and of other numbers
    student      Student's t
    sign_test    the p-value of paired differences by all their signs
    averages     averages of values of prompts, with their intervals and p-values
    model_averages  the averages of all models, and of the differences of pairs
    comparisons  paired comparisons, corrected for their number, in words
    job          the tables from the models to the result
    pages        the result as text, Markdown and LaTeX
    records      the result as CSV and JSON values
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab_measure.tables.averages import TableAverage as TableAverage
    from rewardlab_measure.tables.averages import clustered_average as clustered_average
    from rewardlab_measure.tables.student import student_quantile as student_quantile

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
