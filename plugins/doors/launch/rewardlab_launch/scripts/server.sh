# A server of a service, on its node; one that dies is started again, `restarts` times.

trap 'kill -TERM "$pid" 2>/dev/null; exit 0' TERM INT
for ((try = 0; try <= restarts; try++)); do
  "${command[@]}" &
  pid=$!
  wait "$pid"
  code=$?
  printf 'launch: server %s has ended with code %s\n' "$1" "$code" >&2
  sleep 5
done
exit "$code"
