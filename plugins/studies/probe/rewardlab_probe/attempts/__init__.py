"""The degenerate completions of a row: what a policy could try that deserves nothing.

degenerate       the attempts on each row, family by family
material         what they are made of: the row, its honest completion's form, a wrong guess
text_attempts    nothing, copies, padding, words, orders to a judge, dressings
answer_attempts  wrong answers in the form of the right one
near_answers     wrong answers made of the right one
listed_answers   the same of lists, sets, intervals and JSON
formulas         formulas that a game of numbers forbids
programs         programs that return nothing, fail, leave, peek, or are a little wrong
payloads         orders, forged results, openings without anything behind them
dressings        what judges like although it says nothing
reward_words     what the reward's own code looks for
tables           the texts of these as data, in the files beside it
"""
