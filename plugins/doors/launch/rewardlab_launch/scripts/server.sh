# The servers of a service on one node: COUNT of them, of which the first has the number FIRST and the port PORT.
# One that dies is started again, `restarts` times. Of several each has `gpus` of the node's GPUs.

first=$1 count=$2 port=$3

keep() { # INDEX: a server, for as long as it is started again
  trap 'kill -TERM "$pid" 2>/dev/null; exit 0' TERM INT
  if ((count > 1 && gpus)); then
    CUDA_VISIBLE_DEVICES=$(IFS=,; printf '%s' "${devices[*]:$1 * gpus:gpus}")
    export CUDA_VISIBLE_DEVICES
  fi
  for ((try = 0; try <= restarts; try++)); do
    serve "$((port + $1))" &
    pid=$!
    wait "$pid"
    code=$?
    printf 'launch: server %s has ended with code %s\n' "$((first + $1))" "$code" >&2
    sleep 5
  done
  exit "$code"
}

IFS=, read -ra devices <<<"${CUDA_VISIBLE_DEVICES:-}"
if ((${#devices[@]} == 0)); then mapfile -t devices < <(seq 0 $((count * gpus - 1))); fi
trap 'jobs -p | xargs -r kill 2>/dev/null; exit 0' TERM INT
kept=()
for ((k = 0; k < count; k++)); do
  keep "$k" &
  kept+=($!)
done
for one in "${kept[@]}"; do
  wait "$one"
  code=$?
done
exit "$code"
