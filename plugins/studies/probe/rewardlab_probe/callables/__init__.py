"""A probe of a callable: any grader that is a Python function, asked in a process of its own, without a plugin.

callable_probe   from a callable and rows to a report
signatures       how trainers and benchmarks call a grader, seen from the names of its parameters
grader_process   the process in which it is asked, with deadlines, and what becomes of it
callable_worker  the program's part in that process
scored_rows      the scores of a row's honest and degenerate completions
further_checks   the same twice, other orders, other notations, 100 kB
behaviour        what its calls did beside returning a score
troubles         calls that got no score
reproduction     a line that shows what is wrong
callable_report  the report as text and as JSON values
"""
