# A node of the trainer: the same command on each makes a Ray cluster of them, and the head runs command.sh in it.

trap ':' TERM INT # the command on the head hears the signal itself; its node stays for as long as it takes to end
export RAY_SYMMETRIC_RUN_CLUSTER_WAIT_TIMEOUT="$ray_wait_s" # Ray's own 30 s are too few for many nodes
export REWARDLAB_RAY=1
unset RAY_ADDRESS # of the shell that submitted this: Ray would look for its nodes there
if ! ray symmetric-run --help >/dev/null 2>&1; then
  printf 'launch: %s has no symmetric-run, which came with Ray 2.49\n' "$(ray --version 2>&1)" >&2
  exit 1
fi
ray symmetric-run --address "$REWARDLAB_HEAD:$ray_port" --min-nodes "$nodes" "${ray_options[@]}" -- \
  bash "$folder/launch/command.sh" &
symmetric=$!
while true; do
  wait "$symmetric"
  code=$?
  kill -0 "$symmetric" 2>/dev/null || break
done
if [ "${SLURM_NODEID:-0}" = 0 ]; then
  while pid=$(cat "$folder/launch/pid" 2>/dev/null) && kill -0 "$pid" 2>/dev/null; do sleep 1; done
fi
exit "$code"
