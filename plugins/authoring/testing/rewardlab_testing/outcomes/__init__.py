"""What laws demand, and what came of them.

law_words  the laws of each kind of component in words
outcome    the outcome of a law, and the exceptions by which laws report theirs
messages   outcomes and failing examples as text for people
"""
