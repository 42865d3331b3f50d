"""The figures of the page, as plain data: pure functions of columns, and sums over the lines of a ledger.

curves            what each step gave: means, quantiles, means by field, and shares of groups
slices            averages by field, with intervals clustered by problem
changes           what a stage changed, on the same problems, with intervals
data              problems of each part, and those that are trained on and evaluated
coverage          what became of the completions that there should be, which adds up
groups            groups in which all completions got the same
lengths           length against reward
movement_section  what moved the reward: the share of its variance that each component made
agreement         each component against correctness
judges            questions to judges, their cost and consistency, by language, and who won
asked_again       how steady judges are that are asked again, and how those of a panel agree
rule_errors       how often rules are wrong from which there are appeals
people            components against people, and people against each other
counted_info      what rewards put into `info`, counted
"""
