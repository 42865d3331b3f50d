"""60 pairs by somebody who had not seen the probe, and of pairs a part of one file: the other files are as frozen."""

from hack_pairs.frozen import frozen_set
from hack_pairs.seventh import coding, figures, games, picks, prose, structured

SEVENTH = frozen_set("seventh", [figures, picks, structured, coding, prose, games])
