"""`rewardlab appeals`: how often the rules are wrong from which appeals were made."""

from typing import Annotated

from pydantic import Field, model_validator
from rewardlab import CommandResult, Config, Flag, Positional, note
from rewardlab.commands import Say

from rewardlab_measure.rule_errors.appeals_of_file import counts_of_file
from rewardlab_measure.rule_errors.rates import Estimate, RuleCounts

SUMMARY = "estimate how often a rule is wrong, by the appeals from it"
Share = Annotated[float, Field(ge=0, le=1)]
MOST = 0.9


class Options(Config):
    """Estimate how often a rule is wrong, by the verdicts of a judge on what it rejected and accepted.

    ROWS is a run's folder, its ledger.jsonl, or the output of `score`, of a recipe with `rubric/appeal`. The false-
    negative rate is the share of right responses that the rule rejects, the false-positive rate the share of wrong ones
    that it accepts, each with its 95% interval; the second needs an `audit`.
    """

    rows: Annotated[str, Positional("ROWS.jsonl")]
    """a run's folder, or scores"""
    misses: Annotated[Share, Flag(metavar="RATE")] = 0.0
    """the share of right responses that the judge calls wrong"""
    accepts: Annotated[Share, Flag(metavar="RATE")] = 0.0
    """the share of wrong responses that the judge calls right"""
    say: Say = note
    """called with each note"""

    @model_validator(mode="after")
    def _tells_something(self) -> "Options":
        if self.misses + self.accepts > MOST:
            raise ValueError(
                f"--misses and --accepts: of a judge that errs so often nothing is learnt; at most {MOST:g} in all"
            )
        return self


def run(options: Options) -> CommandResult:
    """Return the rates of each component with appeals; data: {"components": {name: counts and rates}}."""
    counts = counts_of_file(options.rows, options.say)
    text = "\n".join(line for name, of_one in counts.items() for line in _lines(name, of_one, options))
    data = {name: of_one.as_dict(options.misses, options.accepts) for name, of_one in counts.items()}
    return CommandResult(text=text, data={"components": data})


def _lines(name: str, counts: RuleCounts, options: Options) -> list[str]:
    rejected, accepted = counts.rejected, counts.accepted
    negative, positive = counts.rates(options.misses, options.accepts)
    return [
        f"{name}: the rule rejected {rejected.all + rejected.wrong:,} and accepted {accepted.all + accepted.wrong:,} "
        f"responses; the judge looked at {rejected.asked:,} and {accepted.asked:,} of them",
        f"  false negatives {_rate(negative)}",
        f"  false positives {_rate(positive)}",
    ]


def _rate(estimate: Estimate | None) -> str:
    if estimate is None:
        return "unknown: no verdict says anything of them"
    return f"{estimate.value:.1%} [{estimate.low:.1%}, {estimate.high:.1%}]"
