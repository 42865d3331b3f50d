"""Read a judge's reply: the score in its text, by one of several readers, or the expected score by its tokens.

`reading.py` reads by a profile: as the published code does (`official.py`), or so that nothing misleads (`strict.py`).
`prose.py` has the score of a reply without JSON, and `plain_forms.py` the level that a score means ("4/5", "score_4").
`expected.py` has the probability of each level.
"""
