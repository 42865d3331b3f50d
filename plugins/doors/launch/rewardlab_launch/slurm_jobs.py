"""Jobs on Slurm: checked where they would run, submitted, asked about, stopped. On a login node by ssh, or here."""

import shlex
from pathlib import Path

from rewardlab.errors import Problem, UserError

from rewardlab_launch.launch import FOLDERS, Launch
from rewardlab_launch.record import LaunchRecord
from rewardlab_launch.shell import LINES, Shell
from rewardlab_launch.site import SlurmCompute
from rewardlab_launch.slurm import slurm_files


def submit(launch: Launch, folder: Path) -> str:
    compute = launch.site.compute
    assert isinstance(compute, SlurmCompute)
    shell = Shell(compute.host)
    there = launch.folder
    if lacking := _lacking(shell, launch, compute):
        raise UserError([Problem(where="", what=line) for line in lacking])
    shell.run(["mkdir", "-p", *(f"{there}/{name}" for name in FOLDERS)])
    shell.write(f"{there}/launch", {name: (folder / name).read_text(encoding="utf-8") for name in slurm_files(launch)})
    script = f"{there}/launch/job.sbatch"
    tested = shell.run(["sbatch", "--test-only", script], fails=False)
    if tested.returncode:
        raise UserError(f"Slurm would not take this job: {tested.stderr.decode(errors='replace').strip()[:500]}")
    return shell.text(["sbatch", "--parsable", script]).strip().partition(";")[0]


def _lacking(shell: Shell, launch: Launch, compute: SlurmCompute) -> list[str]:
    """Return what a job would miss on the cluster, a sentence each: looked for all at once, before it is submitted."""
    wanted = dict.fromkeys(compute.mounts.values(), "mounted by compute.mounts")
    wanted |= {path: f"{variable} of compute.secrets" for variable, path in compute.secrets.items()}
    named = {"job.output": launch.site.job.output, "job.workdir": launch.site.job.workdir}
    wanted |= {path: key for key, path in named.items() if path is not None}
    if compute.image is None:
        wanted |= {f"{launch.workdir}/{path}" if path[:1] != "/" else path: "rows" for path in launch.inputs}
    if compute.image is not None and compute.image.startswith("/"):
        wanted[compute.image] = "compute.image"
    checks = "\n".join(f"[ -r {shlex.quote(path)} ] || printf '%s\\n' {shlex.quote(path)}" for path in wanted)
    used = f"[ ! -e {shlex.quote(launch.folder)}/launch/attempts ] || printf 'used\\n'"
    output = shlex.quote(launch.site.job.output)
    locks = f"! command -v flock >/dev/null || [ ! -d {output} ] || flock -w 10 {output} true || printf 'no locks\\n'"
    missing = shell.script(f"{checks}\n{used}\n{locks}\ntrue").stdout.decode(errors="replace").splitlines()
    where = compute.host or "this machine"
    lines = [
        f"{path} ({wanted[path]}) is not there, or cannot be read, on {where}" for path in missing if path in wanted
    ]
    if "used" in missing:
        lines.append(f"a job has run in {launch.folder}; give this one another --name, or move that folder away")
    if "no locks" in missing:
        lines.append(
            f"the file system of {launch.site.job.output} (job.output) gives no lock, which a run directory needs"
        )
    return lines + _other_ray(shell, launch, compute, where)


def _other_ray(shell: Shell, launch: Launch, compute: SlurmCompute, where: str) -> list[str]:
    """Return that the nodes' own environment has another Ray; an image is not looked into from here."""
    if launch.ray is None or compute.image is not None:
        return []
    asked = "\n".join([*compute.setup, "ray --version"])
    said = shell.script(asked, fails=False).stdout.decode(errors="replace").split()
    version = said[-1] if said else "none"
    return [] if version == launch.ray else [f"Ray on {where} is {version}, and the job needs {launch.ray}"]


def _attempts(record: LaunchRecord, shell: Shell) -> list[str]:
    """Return the names of all jobs of a chain, as its scripts have noted them, the newest last."""
    noted = f"cd {shlex.quote(record.folder)}/launch && cat attempts successor.* 2>/dev/null | cut -d' ' -f1"
    jobs = shell.script(f"{noted}; true").stdout.decode(errors="replace").split()
    return sorted({*jobs, *filter(None, [record.job])}, key=lambda job: (len(job), job))


def status(record: LaunchRecord) -> str:
    shell = Shell(record.host)
    jobs = ",".join(_attempts(record, shell))
    columns = "JobID,State,ExitCode,Elapsed,Start,NodeList"
    accounted = shell.run(
        ["sacct", "--allocations", "--duplicates", f"--jobs={jobs}", f"--format={columns}"], fails=False
    )
    if not accounted.returncode:
        return accounted.stdout.decode(errors="replace")
    return shell.text(["squeue", f"--jobs={jobs}", "--states=all"])


def logs(record: LaunchRecord) -> str:
    folder = shlex.quote(record.folder)
    newest = f"ls -t {folder}/logs/*.log 2>/dev/null | head -n 5 | tac | xargs -r tail -n {LINES} --"
    return Shell(record.host).script(newest).stdout.decode(errors="replace") or "no logs yet\n"


def stop(record: LaunchRecord) -> None:
    shell = Shell(record.host)
    shell.run(["touch", f"{record.folder}/launch/stopped"])  # a successor that begins nevertheless ends at once
    jobs = _attempts(record, shell)
    shell.run(["scancel", *reversed(jobs)], fails=False)  # successors first; those that have ended are no error
