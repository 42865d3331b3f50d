"""The `openrlhf` backend: OpenRLHF on Ray, with rewards that see whole groups.

check, describe    what a recipe may ask for, and what will be done
compile/           a stage -> the exact arguments of OpenRLHF
job/               a stage as a job: started here or on a cluster, driven there
scoring/           the actors that score for the whole job
rollout/           what runs inside of OpenRLHF's rollout engines
"""
