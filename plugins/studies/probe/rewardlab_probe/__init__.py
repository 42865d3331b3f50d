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
    code_texts     the texts and patterns in the code of a function
    corruptions    the material of degenerate completions: sentences, words, guesses
    measure        the rewards of a row's honest and degenerate completions, scored in groups
    verdicts       which degenerate completions win, and which component is to blame
    search         a search for more that win: edits of edits, ideas of a judge, the shortest text
    checks         the floor, and what is said of the checks of OpenEnv's RFC 008
    report         the result as text and as JSON values
    callables      the same of any grader that is a Python function, in a process of its own
    findings       what is wrong, in one sentence each
    report_files   the findings as SARIF and JUnit's XML
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab_probe.callables.callable_probe import CallableReport as CallableReport
    from rewardlab_probe.callables.callable_probe import probe_callable as probe_callable
    from rewardlab_probe.callables.callable_report import callable_as_dict as callable_as_dict
    from rewardlab_probe.callables.callable_report import format_callable as format_callable
    from rewardlab_probe.callables.signatures import SIGNATURES as SIGNATURES
    from rewardlab_probe.findings import Finding as Finding

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
