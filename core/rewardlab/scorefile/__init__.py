"""`rewardlab score`: rewards for a file of completions, streaming, in order, and resumable after any kind of end."""
