"""Model against model: how often a judge prefers the answers of one to those of another (SP3F, figure 6).

In go files of answers, one a model, and a recipe with a reward that compares the answers of a group. Answer i of one
model meets answer i of the other, in a group of two that the recipe scores as `rewardlab score` does. Out come win
rates with bootstrap intervals.

    answer_file  the rows of one model's answers, looked up by id
    pairs        rows of two models' answers to one prompt, as `score` reads them
    job          the comparison of all models, resumable
    pages        the win rates as text, Markdown and LaTeX, and as JSON values
"""
