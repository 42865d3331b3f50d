"""The biases of a recipe's judges: what they give for how an answer looks, who signs it, and where it stands.

In go a plan and rows with answers, with gold or without; out comes for each component that asks a judge the change of
its value by each rewrite of the rows' own answers, by place and by language.

    job             the measurement from the rows to its result
    rewrites        the rewrites of an answer, each for one bias
    rewritten_rows  the rows to judge: each answer as it is, and rewritten
    measures        the biases, with intervals and corrected p-values
    language_test   the p-value of one language among several
    report          the result as text and as JSON values
"""
