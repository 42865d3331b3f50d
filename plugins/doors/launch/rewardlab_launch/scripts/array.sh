# A task of an array: one shard. Cut off by the limit, it is queued again, and goes on where it was.

say() { printf 'launch %s: %s\n' "$(date +%H:%M:%S)" "$*"; }

if [ -e "$folder/launch/stopped" ]; then
  say "this run was stopped"
  exit 0
fi
read_secrets
requeue=
save() {
  say 'a signal: the command saves where it is'
  kill -TERM "$pid" 2>/dev/null
}
trap 'requeue=1; save' USR1 # the limit is near
trap save TERM              # preempted, which queues it again by itself, or cancelled
srun --ntasks=1 "${step[@]}" "${container[@]}" bash "$folder/launch/shard.sh" &
pid=$!
while true; do
  wait "$pid"
  code=$?
  kill -0 "$pid" 2>/dev/null || break
done
if [ -n "$requeue" ] && ((code && ${SLURM_RESTART_COUNT:-0} < attempts_most - 1)); then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
say "shard $SLURM_ARRAY_TASK_ID of $shards ended with code $code"
exit "$code"
