# One shard, in the step of its task.

words+=(--shard "${SLURM_ARRAY_TASK_ID}/$shards")
if [ -e "${output%.*}.$SLURM_ARRAY_TASK_ID-of-$shards.${output##*.}" ]; then words+=(--resume); fi
cd "$workdir" || exit 1
exec "${words[@]}"
