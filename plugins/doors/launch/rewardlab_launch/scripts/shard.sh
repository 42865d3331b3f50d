# One shard, in the step of its task; it begins, or goes on where it was.

words+=(--shard "${SLURM_ARRAY_TASK_ID}/$shards" --resume)
cd "$workdir" || exit 1
exec "${words[@]}"
