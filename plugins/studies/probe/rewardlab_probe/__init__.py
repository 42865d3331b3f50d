"""A probe of a reward: completions that deserve nothing, scored beside an honest one by a recipe's own reward.

In go a plan and rows with an honest completion each. Out comes a `ProbeResult`: which kinds of degenerate completions
win, and which component is to blame, as text and as JSON values.

    job            the probe from the rows to its result
    rows           rows to probe with: from a file or the recipe's dataset, each with an honest completion
    honest_row     a row with an honest completion
    english        whether a text is seen to be English
    families       what each kind of degenerate completion is, how it may score, and the check that it speaks to
    attempts       the degenerate completions of a row, in the form of its honest one
    response_form  the form of a response, and other texts put into the same form
    corruptions    the material of degenerate completions: sentences, words, guesses
    measure        the rewards of a row's honest and degenerate completions, scored in groups
    verdicts       which degenerate completions win, and which component is to blame
    checks         the floor, and what is said of the checks of OpenEnv's RFC 008
    report         the result as text and as JSON values
"""
