from helpers.each_case import each_case
from rewardlab.text import counted


@each_case("count, says", [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (2000, "2,000 rows")])
def test_one_is_singular(count, says):
    assert counted(count, "row") == says
