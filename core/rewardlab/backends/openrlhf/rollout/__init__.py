"""What runs inside of OpenRLHF's rollout engines: the group barrier, and how it reaches the actors that score."""
