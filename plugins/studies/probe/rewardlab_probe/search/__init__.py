"""A search for completions that score and are wrong: edits of edits, ideas of a model, and the shortest that wins.

search     the search: bounded in completions that are scored, the same for a seed
exploit    a start and edits of it, which make a text of any row
edit_schedule  how the completions are spent: kinds of edits as arms of a bandit
edits      the edits by kind: of a whole completion, its form, and its answer
other_values, prompt_edits       what stands beside the answer; what the prompt has
program_makers    programs made of what the prompt gives
wrong      whether a text is surely wrong: by the row's gold, or by a component that knows the truth
ideas      ideas of a judge of the recipe: texts for the rows searched, or templates for any
opinions   what a judge says of what wins: wrong or right
questions  so many questions to a judge
shown, reward_source   what a judge is shown of a row and of the reward; the source of a function
shortest   the shortest text that still wins
"""
