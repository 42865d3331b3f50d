"""`rewardlab new recipe`: a recipe to start from.

In goes a file of rows, or the name of a recipe that comes with rewardlab. Out comes a recipe file that passes `check`.

    writing    a recipe for somebody's rows: which columns are the fields, which rewards fit them
    column_guess  which columns are probably which fields, by names and values
    text       that recipe as text, with comments that say what was guessed
    copying    a shipped recipe with its side files
"""
