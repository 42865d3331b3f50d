# The job of an attempt. It queues its successor, which begins if this one fails or is cut off, and goes on from there.

say() { printf 'launch %s: %s\n' "$(date +%H:%M:%S)" "$*"; }

trainer=
asked=
save() { # at a signal, before the limit or by preemption
  local pid
  say 'a signal: the command saves where it is'
  if pid=$(cat "$folder/launch/pid" 2>/dev/null); then
    kill -TERM "$pid" 2>/dev/null
  elif [ -n "$trainer" ]; then # its Ray is not up yet
    kill -TERM "$trainer" 2>/dev/null
  else # a successor comes first
    asked=1
  fi
}
trap save USR1 TERM

# --- Which attempt this is, and whether there may be one

launch=$folder/launch
if [ -e "$launch/stopped" ]; then
  say "this run was stopped"
  exit 0
fi
rm -f "$launch/code" "$launch/pid" # of an attempt that was killed
printf '%s %s\n' "$SLURM_JOB_ID" "${SLURM_RESTART_COUNT:-0}" >>"$launch/attempts"
attempt=$(wc -l <"$launch/attempts")
if ((attempt > attempts_most)); then
  say "attempt $attempt is one more than job.resume allows; \`rewardlab launch\` under another name begins anew"
  exit 1
fi

used_s() { # what all attempts have had; where nothing is accounted, their limits
  local jobs
  jobs=$(cut -d' ' -f1 "$launch/attempts" | sort -u | paste -sd, -)
  sacct --noheader --parsable2 --allocations --duplicates --jobs="$jobs" --format=ElapsedRaw 2>/dev/null |
    awk '{ s += $1 } END { if (NR) print s; else exit 1 }' || printf '%s\n' $(((attempt - 1) * walltime_s))
}
if ((walltime_most_s)); then
  left=$((walltime_most_s - $(used_s)))
  if ((left < grace_s + 60)); then
    say "the attempts have had the walltime of job.resume"
    exit 1
  fi
  if ((left < walltime_s)); then scontrol update JobId="$SLURM_JOB_ID" TimeLimit=$((left / 60)); fi
fi

successor=
if [ -e "$launch/successor.$SLURM_JOB_ID" ]; then
  successor=$(cat "$launch/successor.$SLURM_JOB_ID") # of this job, before it was requeued
elif ((attempt < attempts_most)); then
  successor=$(sbatch --parsable --dependency="afternotok:$SLURM_JOB_ID" --kill-on-invalid-dep=yes "$launch/job.sbatch")
  successor=${successor%%;*}
  if [ -n "$successor" ]; then printf '%s\n' "$successor" >"$launch/successor.$SLURM_JOB_ID"; fi
fi
say "attempt $attempt of $attempts_most, job $SLURM_JOB_ID, successor ${successor:-none}"

read_secrets # only now: Slurm keeps the variables that a job is submitted with, the successor's too
# a step would take them for options of its own, beside those that it is given here
unset SLURM_GPUS SLURM_GPUS_PER_NODE SLURM_GRES SLURM_NTASKS_PER_NODE SLURM_CPUS_PER_TASK SLURM_TRES_PER_TASK

# whoever reaches a port of a Ray may run programs as you, unless it asks for a token
RAY_AUTH_TOKEN=${RAY_AUTH_TOKEN:-$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')}
export RAY_AUTH_TOKEN RAY_AUTH_MODE=token

# --- The nodes: those of the trainer first, then those of the servers

nodes_of() { # GROUP: the names of its nodes, a line each
  local list=SLURM_JOB_NODELIST_HET_GROUP_$1
  scontrol show hostnames "${!list:-$SLURM_JOB_NODELIST}"
}
in_group() { if ((groups > 1)); then printf -- '--het-group=%s\n' "$1"; fi; }

mapfile -t trainers < <(nodes_of 0 | head -n "$nodes")
REWARDLAB_HEAD=${trainers[0]}
if ((nodes > 1)); then # a name may mean 127.0.1.1 on its own node, which no other node finds
  address=$(getent ahostsv4 "$REWARDLAB_HEAD" | awk 'NR == 1 { print $1 }')
  if [[ -z $address || $address == 127.* ]]; then address=$(hostname -I | awk '{ print $1 }'); fi
  REWARDLAB_HEAD=${address:-$REWARDLAB_HEAD}
fi
export REWARDLAB_HEAD
export REWARDLAB_SERVERS=''
ports_from=0
if [ -n "$shared" ]; then ports_from=$((SLURM_JOB_ID % 400 * 50)); fi # another job there may have the same site
steps=()
for ((s = 0; s < ${#services[@]}; s++)); do
  read -r service variable path seconds group first per_node replicas gpus cpus port <<<"${services[s]}"
  mapfile -t places < <(nodes_of "$group")
  line="$variable $path $seconds"
  for ((r = 0; r < replicas; r += per_node)); do # a step a node: two would wait for each other's memory
    place=${places[first + r / per_node]}
    here=$((replicas - r < per_node ? replicas - r : per_node))
    for ((k = 0; k < here; k++)); do line+=" $place:$((port + ports_from + k))"; done
    mapfile -t options < <(in_group "$group")
    if ((gpus)); then options+=(--gpus-per-node=$((here * gpus))); else options+=(--gres=none); fi
    if ((cpus)); then options+=(--cpus-per-task="$cpus"); fi
    declare -n image=container_${service//-/_}
    srun "${options[@]}" --nodes=1 --ntasks=1 --nodelist="$place" --cpu-bind=none \
      --output="$folder/logs/$SLURM_JOB_ID.$service.$((r / per_node)).log" "${image[@]}" \
      bash "$launch/serve-$service.sh" "$r" "$here" "$((port + ports_from))" &
    steps+=($!)
  done
  REWARDLAB_SERVERS+="$line;"
done

# --- The command

if [ -n "$asked" ]; then exit 143; fi
# --wait: the other nodes' Rays would look for their head for a minute once it is gone
mapfile -t options < <(in_group 0)
srun "${options[@]}" --nodes="$nodes" --ntasks="$nodes" --ntasks-per-node=1 --kill-on-bad-exit=1 --wait=15 \
  --nodelist="$(IFS=,; printf '%s' "${trainers[*]}")" "${step[@]}" "${container[@]}" bash "$launch/$main.sh" &
trainer=$!
while true; do
  wait "$trainer"
  kill -0 "$trainer" 2>/dev/null || break
done
code=$(cat "$launch/code" 2>/dev/null || printf '1\n') # `ray symmetric-run` ends with 0 also if Ray did not start

# --- What comes next

if ((${#steps[@]})); then kill -TERM "${steps[@]}" 2>/dev/null; fi
if [ -e "$launch/refused" ] && [ -n "$successor" ]; then
  say 'the command refuses what it was given: no successor'
  scancel "$successor"
fi
say "ended with code $code"
exit "$code"
