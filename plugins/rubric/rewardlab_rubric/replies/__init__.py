"""Read a judge's reply: the score in its text, by one of several readers, or the expected score by its tokens.

`reading.py` reads by a profile: as the published code does (`official.py`), or so that nothing misleads (`strict.py`).
`expected.py` has the probability of each level.
"""
