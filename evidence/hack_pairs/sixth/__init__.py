"""63 pairs by somebody who had seen neither the probe nor the pairs before: the other files are as they were frozen."""

from hack_pairs.frozen import frozen_set
from hack_pairs.sixth import coding, games, maths, short_answers, structured, text

SIXTH = frozen_set("sixth", [coding, games, maths, short_answers, structured, text])
