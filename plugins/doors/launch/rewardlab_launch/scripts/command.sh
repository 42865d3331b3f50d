# The command of the job, on its head node: waits for Ray and for the servers, then begins or resumes the work.
#
# folder, workdir, progress, hands_on, words and resumed are set above: the words of the command, and those by which it
# goes on. hands_on: whether a signal is handed on to the command; empty where the command gets it anyway.
# REWARDLAB_SERVERS: for each service "VARIABLE PATH SECONDS HOST:PORT...;". The recipe finds the service by the
# variable. Several servers are asked through a balancer, which listens on a port of this node.
# REWARDLAB_RAY: set if the job has a Ray cluster, whose head is this node.

say() { printf 'launch: %s\n' "$*" >&2; }

finish() { # CODE: notes it for the script that started this one, which other programs stand between
  printf '%s\n' "$1" >"$folder/launch/code"
  rm -f "$folder/launch/pid"
  jobs -p | xargs -r kill 2>/dev/null
  exit "$1"
}

pid=
stop() { # at SIGTERM
  if [ -z "$pid" ]; then
    say 'a signal before the command has begun: nothing is there to save'
    finish 143
  fi
  if [ -n "$hands_on" ]; then kill -TERM "$pid" 2>/dev/null; fi
}

# shellcheck disable=SC2016  # the text is for the other bash
probe='exec 3<>"/dev/tcp/$1/$2" && printf "GET %s HTTP/1.0\r\nHost: %s\r\n\r\n" "$3" "$1" >&3 &&
  IFS= read -r line <&3 && [[ $line == *" 200 "* || $line == *" 401 "* ]]'

wait_for() { # HOST:PORT PATH SECONDS: until a server answers there, with 200 or, if it asks for a key, with 401
  local end=$((SECONDS + $3))
  until timeout 15 bash -c "$probe" probe "${1%:*}" "${1##*:}" "$2" 2>/dev/null; do
    if ((SECONDS >= end)); then
      say "nothing answers at http://$1$2 within $3 s; logs of the servers are in $folder/logs"
      finish 1
    fi
    sleep 2
  done
}

mkdir -p "$folder/launch" "$folder/logs" "$folder/scores"
if [ -e "$folder/launch/refused" ]; then
  say "an earlier attempt was refused, see its log; begin anew under another name"
  finish 2
fi
rm -f "$folder/launch/code"
trap stop TERM INT
printf '%s\n' "$$" >"$folder/launch/pid" # until the command has begun, a signal is for this script

if [ -n "${REWARDLAB_RAY:-}" ]; then
  wait_for 127.0.0.1:8265 /api/version 300
  export RAY_ADDRESS=http://127.0.0.1:8265
fi

while read -r -d ';' variable path seconds hosts; do
  for host in $hosts; do wait_for "$host" "$path" "$seconds"; done
  if [[ $hosts == *' '* ]]; then
    port=$(mktemp)
    # shellcheck disable=SC2086  # a word each
    python3 -m rewardlab_launch.balance $hosts >"$port" &
    until [ -s "$port" ]; do # it says which one it has: another's balancer would do as well, for all that a probe sees
      if ! kill -0 "$!" 2>/dev/null; then finish 1; fi
      sleep 0.2
    done
    hosts=${REWARDLAB_HEAD:-$(hostname)}:$(cat "$port")
    rm "$port"
    wait_for "$hosts" "$path" 60
  fi
  say "$variable is http://$hosts/v1"
  export "$variable=http://$hosts/v1"
done <<<"${REWARDLAB_SERVERS:-}"

cd "$workdir" || finish 1
begun=
if [ -n "$progress" ] && [ -e "$progress" ]; then
  begun=1
  words=("${resumed[@]}")
fi
# in a session of its own, it hears no signal twice that is meant for all of a group; the second means "at once"
setsid "${words[@]}" &
pid=$!
printf '%s\n' "$pid" >"$folder/launch/pid"
while true; do
  wait "$pid"
  code=$?
  kill -0 "$pid" 2>/dev/null || break # else a signal has ended the wait, not the command
done
if [ "$code" = 2 ] && [ -z "$begun" ] && { [ -z "$progress" ] || [ ! -e "$progress" ]; }; then
  : >"$folder/launch/refused" # a mistake, of which no further attempt makes anything else
fi
finish "$code"
