"""When a comparison may stop: looks at a part of the rows, whose error is that of one test at the end.

Looks are O'Brien and Fleming's (1979), five of them: at a share f of the rows a difference counts if it is further from
0 than OBRIEN_FLEMING / sqrt(f) standard errors. The intervals of all looks hold the difference at once in 95% of cases
(repeated confidence intervals, Jennison and Turnbull, 1989), so that a stop because none is large errs no more often.
"""

from dataclasses import dataclass
from math import erfc, sqrt

LOOKS = 5
OBRIEN_FLEMING = 2.040
"""for five looks and an error of 5%, two-sided (Jennison and Turnbull, 2000, table 2.3)"""
INFLATION = 1.03
"""how many more rows the looks need at the most, for the power of one test (there, table 2.4: 1.026 and 1.028)"""


@dataclass(frozen=True, kw_only=True)
class Look:
    """A look at the first `rows` of all rows; `level` of the interval that it may trust."""

    rows: int
    level: float


def looks_at(rows: int) -> list[Look]:
    """Return the looks at so many rows, the last one at all of them."""
    ends = sorted({-(-rows * number // LOOKS) for number in range(1, LOOKS + 1)} - {0})
    return [Look(rows=end, level=1 - erfc(OBRIEN_FLEMING / sqrt(2 * end / rows))) for end in ends]
