"""Model against model: how often a judge prefers the answers of one to those of another (SP3F, figure 6).

In go files of answers, one a model, and a recipe with a reward that compares the answers of a group. Answer i of one
model meets answer i of the other, in a group of two that the recipe scores as `rewardlab score` does. Out come win
rates with bootstrap intervals.

    answer_file  the rows of one model's answers, looked up by id
    pairs        rows of two models' answers to one prompt, as `score` reads them
    job          the comparison of all models, resumable
    pages        the win rates as text, Markdown and LaTeX, and as JSON values
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.analysis.win_rates.job import WinRate, WinRatesJob, WinRatesResult
    from rewardlab.analysis.win_rates.pages import format_win_rates, win_rates_as_dict
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "job": ["WinRate", "WinRatesJob", "WinRatesResult"],
            "pages": ["format_win_rates", "win_rates_as_dict"],
        },
    )

__all__ = ["WinRate", "WinRatesJob", "WinRatesResult", "format_win_rates", "win_rates_as_dict"]
