"""Score pairs of texts with a COMET checkpoint, without a trainer. Imports no rewardlab: it runs beside COMET."""
