"""A search for completions that score and are wrong: edits of edits, ideas of a model, and the shortest that wins.

search     the search: bounded in completions that are scored, the same for a seed
exploit    a start and edits of it, which make a text of any row
edits      the edits: of a whole completion, and of its answer
answers    the edits of an answer: its numbers, words and members
wrong      whether a text is surely wrong: by the row's gold, or by a component that knows the truth
ideas      ideas of a judge of the recipe, as templates for any row
shortest   the shortest text that still wins
"""
