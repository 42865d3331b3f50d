"""The published prompts of R3 and mR3, read from a user's copy of their repositories and never run.

`layout.py` has the options, `r3_prompts.py` the templates of R3, `mr3_prompts.py` those of mR3 with their texts.
"""
