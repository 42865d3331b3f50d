"""Jobs on Slurm: checked where they would run, submitted, asked about, stopped. On a login node by ssh, or here."""

import re
import shlex
from pathlib import Path

from rewardlab.errors import JobError, Problem, UserError

from rewardlab_launch.launch import FOLDERS, Launch
from rewardlab_launch.record import LaunchRecord
from rewardlab_launch.shell import LINES, Shell, before_submission, packed
from rewardlab_launch.site import SlurmCompute
from rewardlab_launch.slurm import slurm_files

JOB = "job"
"""the file in launch/ that the first attempt is noted in"""
LOST = """
lost() {{ # the number of a job whose submission was cut off before it was noted: by its own name, or that of its log
  if [ -s {job} ] || [ ! -s intended ]; then return 0; fi
  local queued
  queued=$(squeue --noheader --states=all --name="$(cat intended)" --format=%F) || return 1
  {{ printf '%s\\n' "$queued"; ls ../logs; }} | sed -n 's/^ *\\([0-9][0-9]*\\).*/\\1/p' | sort -n | head -n 1
}}
"""
SUBMITTED = """
trap '' HUP # a connection that ends does not end this before the job is noted
exec 9>>{job}
if command -v flock >/dev/null && ! flock -n 9; then exit {taken}; fi
if [ -s {job} ]; then exit {taken}; fi
number=$(lost) || exit 1
if [ -n "$number" ]; then printf '%s\\n' "$number" >|{job}; exit {taken}; fi
tar -x && rm -f stopped && sbatch --test-only job.sbatch &&
  printf '%s.%s\\n' {name} "$(od -An -N4 -tx4 /dev/urandom | tr -d ' ')" >|intended &&
  sbatch --parsable --job-name="$(cat intended)" "$PWD/job.sbatch" >|{job}
"""
TAKEN = 75
"""the exit code of SUBMITTED where a job was submitted before, or is at this moment"""

SIGNALS = 128
"""exit codes above it are of commands that a signal has ended"""


def submit(launch: Launch, _: Path) -> str:
    compute = launch.site.compute
    assert isinstance(compute, SlurmCompute)
    shell = Shell(compute.host)
    there = launch.folder
    with before_submission():
        if lacking := _lacking(shell, launch, compute):
            raise UserError([Problem(where="", what=line) for line in lacking])
        shell.run(["mkdir", "-p", *(f"{there}/{name}" for name in FOLDERS)])
    # one command does it all, so that none that ended in the middle leaves anything in the way of the next
    lines = f"cd {shlex.quote(f'{there}/launch')} || exit 1{LOST.format(job=JOB)}"
    lines += SUBMITTED.format(job=JOB, taken=TAKEN, name=launch.name)
    ended = shell.script(lines, packed(slurm_files(launch)), fails=False)
    if ended.returncode == TAKEN:
        which = ", ".join(_noted(shell, there)) or "it is on its way at this moment"
        raise UserError(f"a job was submitted in {there} ({which}); give this one another --name, or move it away")
    if ended.returncode > SIGNALS:
        raise JobError(f"the submission was killed on {compute.host or 'this machine'}")
    if ended.returncode:
        raise UserError(f"Slurm would not take this job: {ended.stderr.decode(errors='replace').strip()[:500]}")
    jobs = _noted(shell, there)
    if not jobs:
        raise JobError(f"sbatch has said no number of a job on {compute.host or 'this machine'}")
    return jobs[0]


def _noted(shell: Shell, folder: str) -> list[str]:
    """Return the names of all jobs in a folder, as they are noted there, the oldest first."""
    # marked, since a login shell may say more than it is asked
    noted = f"cd {shlex.quote(folder)}/launch 2>/dev/null || exit 0{LOST.format(job=JOB)}"
    noted += f"cat {JOB} attempts successor.* 2>/dev/null\nlost"
    lines = shell.script(f"set -o pipefail\n({noted}) | sed 's/^ */noted job /'").stdout.decode(errors="replace")
    return sorted({*re.findall(r"(?m)^noted job (\d+)", lines)}, key=int)


def _lacking(shell: Shell, launch: Launch, compute: SlurmCompute) -> list[str]:
    """Return what a job would miss on the cluster, a sentence each: looked for all at once, before it is submitted."""
    wanted = dict.fromkeys(compute.mounts.values(), "mounted by compute.mounts")
    wanted |= {path: f"{variable} of compute.secrets" for variable, path in compute.secrets.items()}
    named = {"job.output": launch.site.job.output, "job.workdir": launch.site.job.workdir}
    wanted |= {launch.on_node(path): key for key, path in named.items() if path is not None}
    wanted |= {
        launch.on_node(f"{launch.workdir}/{path}" if path[:1] != "/" else path): "rows" for path in launch.inputs
    }
    if compute.image is not None and compute.image.startswith("/"):
        wanted[compute.image] = "compute.image"
    checks = "\n".join(f"[ -r {shlex.quote(path)} ] || printf '%s\\n' {shlex.quote(path)}" for path in wanted)
    output = shlex.quote(launch.site.job.output)
    locks = f"! command -v flock >/dev/null || [ ! -d {output} ] || flock -w 10 {output} true || printf 'no locks\\n'"
    missing = shell.script(f"{checks}\n{locks}\ntrue").stdout.decode(errors="replace").splitlines()
    where = compute.host or "this machine"
    lines = [
        f"{path} ({wanted[path]}) is not there, or cannot be read, on {where}" for path in missing if path in wanted
    ]
    if "no locks" in missing:
        lines.append(
            f"the file system of {launch.site.job.output} (job.output) gives no lock, which a run directory needs"
        )
    return lines + _other_programs(shell, launch, compute, where)


def _other_programs(shell: Shell, launch: Launch, compute: SlurmCompute, where: str) -> list[str]:
    """Return what is wrong with the programs of the nodes' own environment; an image is not looked into from here."""
    if compute.image is not None:
        if compute.runtime == "apptainer":
            return []
        options = shell.script("srun --help", fails=False).stdout
        return [] if b"--container-image" in options else [f"srun on {where} has no pyxis (compute.runtime: apptainer)"]
    ray = [] if launch.ray is None else ["ray --version"]
    asked = [*compute.setup, "command -v rewardlab | sed 's/^/has rewardlab /'", *ray]
    said = shell.script("\n".join(asked), fails=False).stdout.decode(errors="replace")
    lines = [] if "has rewardlab " in said else [f"rewardlab is not on PATH on {where} after compute.setup"]
    version = re.search(r"(?m)^ray, version (\S+)", said)
    if launch.ray is not None and (version is None or version[1] != launch.ray):
        there = "not there" if version is None else version[1]
        lines.append(f"Ray on {where} is {there}, and the job needs {launch.ray}")
    return lines


def status(record: LaunchRecord) -> str:
    shell = Shell(record.host)
    jobs = ",".join(_jobs(record, shell))
    if not jobs:
        return f"no job of it is noted in {record.folder} on {record.host or 'this machine'}: it was not submitted\n"
    columns = "JobID,State,ExitCode,Elapsed,Start,NodeList"
    accounted = shell.run(
        ["sacct", "--allocations", "--duplicates", f"--jobs={jobs}", f"--format={columns}"], fails=False
    )
    if not accounted.returncode:
        return accounted.stdout.decode(errors="replace")
    return shell.text(["squeue", f"--jobs={jobs}", "--states=all"])


def logs(record: LaunchRecord) -> str:
    folder = shlex.quote(f"{record.folder}/logs")
    newest = f"cd {folder} && ls -t | grep '[.]log$' | head -n 5 | tac | xargs -r tail -n {LINES} --; true"
    return Shell(record.host).script(newest).stdout.decode(errors="replace") or "no logs yet\n"


def stop(record: LaunchRecord) -> bool:
    shell = Shell(record.host)
    # a successor that begins nevertheless ends at once
    shell.script(f"cd {shlex.quote(record.folder)}/launch 2>/dev/null && touch stopped; true")
    jobs = _jobs(record, shell)
    if not jobs:
        return False
    queued = f"squeue --noheader --jobs={','.join(jobs)} --format=%i 2>/dev/null | sed 's/^ */queued /'"
    there = "queued " in shell.script(queued, fails=False).stdout.decode(errors="replace")
    shell.run(["scancel", *reversed(jobs)], fails=False)  # successors first; those that have ended are no error
    return there


def _jobs(record: LaunchRecord, shell: Shell) -> list[str]:
    """Return the names of all jobs of a chain, the newest last."""
    return sorted({*_noted(shell, record.folder), *filter(None, [record.job])}, key=int)
