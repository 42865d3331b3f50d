"""Scoring on many machines: each shard of a file is scored by itself, and merged; or actors on Ray score its rows.

shard_files    the shards of one output: found by their names, compared, and complete
merged_scores  what `score` wrote of each shard, as one machine writes it
kept_scores    components' scores of a shard's groups, for commands whose result needs all of them
elsewhere      a scorer that scores nothing itself: it asks whoever does
kept_shard     a shard of such a command
run_shards     shards of evaluations and data steps, which keep answers
ray_hosts      actors on Ray, at a ray_address: host_actor runs in each, actor_pool gives them what to do,
               and head_watch looks whether Ray's head is there
ray_scorer     such hosts that score
"""
