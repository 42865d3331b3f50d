"""How well a judge agrees with gold, with itself, and with logic; and the pairs that test it."""
