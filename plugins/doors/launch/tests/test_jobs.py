"""Jobs by the schedulers' own commands, which here are small programs that note their words."""

import fcntl
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from rewardlab.errors import JobError, UserError
from rewardlab_launch.kuberay_jobs import KEYS
from rewardlab_launch.record import SCHEMA, read_launch

NOTING = """#!/usr/bin/env python3
import json, os, sys
words = [os.path.basename(sys.argv[0]), *sys.argv[1:]]
secret = [os.environ["JUDGE_API_KEY"]] if words[:3] == ["sky", "jobs", "launch"] else []
with open(os.environ["NOTED"], "a") as file:
    print(json.dumps(words + secret), file=file)
for part, (said, code) in json.loads(os.environ.get("SAYS", "{}")).items():
    if part in " ".join(words):
        print(said, file=sys.stderr if code else sys.stdout)
        sys.exit(code)
"""

STOPPING = """
if words[-1].endswith("job.yaml"):
    import signal, time
    os.kill(os.getppid(), signal.SIGINT)
    time.sleep(60)
"""


@pytest.fixture
def noted(tmp_path, monkeypatch):
    """A function: the calls of kubectl and sky so far. `noted.says` sets what they answer, by words of a call."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("kubectl", "sky"):
        (folder / name).write_text(NOTING)
        (folder / name).chmod(0o700 | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("NOTED", str(tmp_path / "noted"))

    def calls():
        path = tmp_path / "noted"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    calls.says = lambda **answers: monkeypatch.setenv("SAYS", json.dumps(answers))
    return calls


@pytest.fixture
def launch(main, write, sites):
    def submit(scheduler, *words):
        write("site.yaml", sites.SITES[scheduler])
        return main("launch", sites.RECIPE, "--on", scheduler, "--site", "site.yaml", "--name", "it", *words)

    return submit


def test_nothing_is_submitted_unless_told(launch, noted, main):
    assert launch("kuberay")[0] == 0
    assert launch("kuberay", "--dry-run")[0] == 0
    assert noted() == []
    code, _, err = main("launch", "status", "it")
    assert code == 2
    assert "it was written and not submitted; add --submit" in err


def test_what_is_written_again_leaves_nothing_of_what_was_written_before(launch, main, tmp_path):
    assert launch("slurm")[0] == 0
    assert (tmp_path / "launches" / "it" / "node.sh").is_file()
    assert launch("kuberay")[0] == 0
    named = {"job.yaml", "launch.json", "site.resolved.yaml", ".lock"}
    assert {file.name for file in (tmp_path / "launches" / "it").iterdir()} - {"recipe.yaml"} == named


def test_a_ray_job_is_made_after_its_claims_and_secrets_are_found(launch, noted, main):
    noted.says(secret=["main", 0])
    code, _, err = launch("kuberay", "--submit")
    assert (code, "secret 'judges' in namespace rl has no key 'teacher' (compute.secrets)" in err) == (2, True)
    noted.says(secret=["main teacher ", 0])
    so_far = len(noted())
    assert launch("kuberay", "--submit")[0] == 0
    there = ["kubectl", "--namespace", "rl"]
    keys = [*there, "get", "secret", "judges", "-o", KEYS]
    manifest = "launches/it/job.yaml"
    assert noted()[so_far:] == [
        [*there, "get", "persistentvolumeclaim", "runs", "-o", "name"],
        keys,
        keys,
        [*there, "create", "-f", manifest, "--dry-run=server"],
        [*there, "create", "-f", manifest],
    ]
    main("launch", "stop", "it")
    label = "app.kubernetes.io/part-of=it"
    assert noted()[-1] == [*there, "delete", "rayjob,service,configmap", "-l", label]
    for action, words in {"status": "get pods", "logs": "logs -l job-name=it --tail=200"}.items():
        assert main("launch", action, "it")[0] == 0
        assert words in " ".join(noted()[-1])


def test_a_claim_that_is_not_there_ends_it_before_anything_is_made(launch, noted):
    noted.says(**{"persistentvolumeclaim": ["not found", 1]})
    code, _, err = launch("kuberay", "--submit")
    assert code == 2
    assert "no persistentvolumeclaim 'runs' in namespace rl" in err
    assert not any("create" in call for call in noted())


def test_a_scheduler_whose_command_is_absent_or_cannot_run_is_named(launch, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, err = launch("kuberay", "--submit")
    assert (code, "there is no 'kubectl' on this machine" in err) == (2, True), err
    (tmp_path / "kubectl").write_text("of another machine")
    (tmp_path / "kubectl").chmod(0o700)
    code, _, err = launch("kuberay", "--submit")
    assert (code, "Exec format error: cannot run 'kubectl' on this machine" in err) == (2, True), err


def test_ctrl_c_in_the_middle_of_a_submission_says_how_to_find_the_job(launch, noted, main, tmp_path):
    noted.says(claim=["runs", 0], secret=["main teacher", 0], server=["made", 0], **{"get rayjob": ["it", 0]})
    kubectl = tmp_path / "bin" / "kubectl"
    kubectl.write_text(NOTING.replace("for part,", STOPPING + "for part,"))
    code, _, err = launch("kuberay", "--submit")
    assert (code, "it may have been submitted: rewardlab launch status it; and stop ends it" in err) == (130, True), err
    code, _, err = launch("skypilot", "--submit")  # whose record would take the place of this one
    assert (code, "is of a job that may have been submitted elsewhere; give this" in err) == (2, True), err
    assert main("launch", "stop", "it")[0] == 0


def test_a_submission_to_skypilot_that_broke_off_is_not_made_again(launch, noted, main, monkeypatch, tmp_path):
    """The queue does not tell: SkyPilot's server puts a job there minutes after it was asked to."""
    monkeypatch.setenv("JUDGE_API_KEY", "a-very-secret-key")
    monkeypatch.setenv("MY_TEACHERS_KEY", "another-secret-key")
    sky = tmp_path / "bin" / "sky"
    sky.write_text(NOTING.replace("for part,", STOPPING + "for part,"))
    assert launch("skypilot", "--submit")[0] == 130
    sky.write_text(NOTING)
    so_far = len(noted())
    code, _, err = launch("skypilot", "--submit")
    assert (code, "is of a job that may have been submitted; give this one another --name" in err) == (2, True), err
    assert len(noted()) == so_far
    assert main("launch", "status", "it")[0] == 0


def test_a_cluster_that_does_not_answer_lacks_no_claim(launch, noted):
    noted.says(claim=["E1128 memcache.go: Unhandled Error\nThe connection to the server was refused", 1])
    code, _, err = launch("kuberay", "--submit")
    told = (
        "kubectl cannot ask for persistentvolumeclaim 'runs' in namespace rl: The connection to the server was refused"
    )
    assert (code, told in err) == (2, True), err


def test_what_a_broken_submission_left_on_kubernetes_is_removed_by_a_command_that_is_named(launch, noted):
    noted.says(**{"--dry-run=server": ['configmaps "it-files" already exists', 1], "secret": ["main teacher", 0]})
    code, _, err = launch("kuberay", "--submit")
    assert code == 2
    label = "app.kubernetes.io/part-of=it"
    assert f"or end it: kubectl --namespace rl delete rayjob,service,configmap -l {label}" in err


def test_a_secret_reaches_skypilot_by_its_environment_and_stands_in_no_file(launch, noted, monkeypatch, tmp_path, main):
    code, _, err = launch("skypilot", "--submit")
    assert (code, "not set in this shell: JUDGE_API_KEY, MY_TEACHERS_KEY" in err) == (2, True)
    monkeypatch.setenv("JUDGE_API_KEY", "a-very-secret-key")
    monkeypatch.setenv("MY_TEACHERS_KEY", "another-secret-key")
    assert launch("skypilot", "--submit")[0] == 0
    queued, call = noted()
    assert queued == ["sky", "jobs", "queue", "--skip-finished"]
    words = ["sky", "jobs", "launch", "--yes", "--detach-run", "--name", "it", "--secret", "JUDGE_API_KEY"]
    words += ["--secret", "TEACHER_API_KEY"]
    assert call == [*words, "launches/it/job.yaml", "a-very-secret-key"]
    assert not any("secret-key" in file.read_text() for file in (tmp_path / "launches/it").iterdir())
    assert "it is over" in main("launch", "stop", "it")[1]
    noted.says(queue=["ID NAME STATUS\n3 with RUNNING\n4 it RUNNING", 0])
    assert main("launch", "status", "it")[1] == "ID NAME STATUS\n4 it RUNNING\n"
    assert "it is told to stop" in main("launch", "stop", "it")[1]
    assert noted()[-1] == ["sky", "jobs", "cancel", "--yes", "--name", "it"]
    (tmp_path / "launches" / "it" / "launch.json").unlink()  # as on another machine
    assert "a job 'it' is in the queue" in launch("skypilot", "--submit")[2]


@pytest.mark.usefixtures("trl")
def test_slurm_is_asked_on_the_cluster_before_a_job_is_submitted(main, write, slurm, monkeypatch, tmp_path):
    """Everything that is missing there is named at once."""
    for name in ("PATH", "FAKE_SLURM"):
        monkeypatch.setenv(name, slurm[name])
    site = {"version": 1, "job": {"output": str(tmp_path / "shared"), "workdir": str(tmp_path)}}
    site["compute"] = {
        "walltime": "01:00:00",
        "pools": {"cpu": {"gpus": 0}},
        "mounts": {"/no/such/mount": "/no/such/mount"},
    }
    site["compute"]["secrets"] = {"KEY": "/no/such/key"}
    write("site.yaml", json.dumps(site))
    words = ("launch", "quickstart", "--on", "slurm", "--site", "site.yaml", "--name", "it", "--submit")
    code, _, err = main(*words, "dataset={use: data/jsonl, with: {path: no-rows.jsonl}}")
    assert code == 2
    for missing in ("/no/such/mount", "/no/such/key", "no-rows.jsonl", "shared (job.output)"):
        assert missing in err, missing
    assert not (tmp_path / "slurm" / "jobs").exists()
    (tmp_path / "shared" / "it" / "launch").mkdir(parents=True)
    (tmp_path / "shared" / "it" / "launch" / "job").write_text("7\n")
    site["compute"] |= {"mounts": {}, "secrets": {}}
    write("site.yaml", json.dumps(site))
    assert "(7); give this one another --name" in main(*words)[2]
    (tmp_path / "slurm" / "bin" / "flock").write_text("#!/bin/sh\nexit 1\n")  # as on a file system without locks
    (tmp_path / "slurm" / "bin" / "flock").chmod(0o700)
    assert "shared (job.output) gives no lock" in main(*words)[2]
    (tmp_path / "slurm" / "bin" / "flock").unlink()
    site["compute"]["pools"]["cpu"]["extra"] = ["--nonsense=1"]
    write("site.yaml", json.dumps(site))
    assert "Slurm would not take this job" in main(*words[:-2], "other", "--submit")[2]


def test_records_of_this_release_are_read_by_any_later_one(tmp_path):
    """`record_1.json` is what the first release wrote; it stays as it is."""
    folder = tmp_path / "old"
    folder.mkdir()
    first = {
        "schema": 1,
        "name": "old",
        "scheduler": "slurm",
        "folder": "/shared/old",
        "host": "login",
        "context": None,
    }
    first |= {"namespace": None, "job": "17", "shards": 0, "output": "", "version": "0.1.0"}
    (folder / "launch.json").write_text(json.dumps(first))
    _, record = read_launch(tmp_path, "old")
    assert (record.job, record.host, record.scheduler) == ("17", "login", "slurm")
    (folder / "launch.json").write_text(json.dumps(first | {"of_a_later_release": [1, 2]}))
    assert read_launch(tmp_path, "old")[1] == record
    record.write(folder)
    assert json.loads((folder / "launch.json").read_text()) == first
    for damaged, said in [({"shards": "two"}, "shards: "), ({"job": 17}, "job: "), ({"name": None}, "name: ")]:
        (folder / "launch.json").write_text(json.dumps(first | damaged))
        with pytest.raises(UserError, match=f"this is no record of a launch: {said}"):
            read_launch(tmp_path, "old")
    (folder / "launch.json").write_text(json.dumps(first | {"schema": SCHEMA + 1, "version": "9.0"}))
    with pytest.raises(UserError, match=r"written by rewardlab 9\.0, which says more than this release reads"):
        read_launch(tmp_path, "old")


def test_files_and_commands_go_to_the_login_node_by_ssh(tmp_path, monkeypatch):
    """ssh is a program that runs its last word in a shell, as the real one does."""
    from rewardlab_launch.shell import Shell, packed

    (tmp_path / "ssh").write_text(
        '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\n[ "$2" = login ] || exit 255\nexec sh -c "$3"\n'
    )
    (tmp_path / "ssh").chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    shell = Shell("login")
    assert shell.text(["printf", "%s|", "a b", "$HOME; 'x'"]) == "a b|$HOME; 'x'|"
    (tmp_path / "to").mkdir()
    files = packed({"job.sbatch": "#!/bin/bash\n", "recipe.yaml": "ä\n"})
    shell.script(f"cd {tmp_path}/to && tar -x", files)
    assert (tmp_path / "to" / "recipe.yaml").read_text() == "ä\n"
    assert subprocess.run(["bash", str(tmp_path / "to" / "job.sbatch")]).returncode == 0
    with pytest.raises(
        JobError, match="the connection to other by ssh has failed: ssh says nothing"
    ):  # also where a command may fail
        Shell("other").run(["printf", "a b"], fails=False)


SLURM = Path(__file__).parent / "fake_slurm" / "slurm.py"
SBATCH = """#!/bin/sh
[ "$1" = --test-only ] || echo 17
"""
SSH = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
env -i HOME="$HOME" PATH=/usr/bin:/bin sh -c "$3"  # what else is there the profile says
code=$?
case "$3" in *"sbatch --parsable"*) [ -e {broken} ] && exit 255 ;; esac
exit $code
"""


@pytest.fixture
def by_ssh(trl, main, write, slurm, monkeypatch, tmp_path):
    """A function that submits the quickstart to a cluster behind ssh, whose connection ends if `broken` is there."""
    folder = tmp_path / "slurm" / "bin"
    for name, text in {"sbatch": SBATCH, "ssh": SSH.format(broken=tmp_path / "broken"), "ray": "exit 1"}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o700)
    (tmp_path / ".profile").write_text(
        f"echo you have 3 new messages\nexport PATH='{slurm['PATH']}' FAKE_SLURM='{slurm['FAKE_SLURM']}'\n"
    )
    for name, value in {"PATH": slurm["PATH"], "FAKE_SLURM": slurm["FAKE_SLURM"], "HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "my shared").mkdir()
    compute = {"host": "login", "walltime": "01:00:00", "pools": {"cpu": {"gpus": 0}}}
    job = {"output": str(tmp_path / "my shared")}
    write("site.yaml", json.dumps({"version": 1, "compute": compute, "job": job}))
    return lambda: main("launch", "quickstart", "--on", "slurm", "--site", "site.yaml", "--name", "it", "--submit")


def test_two_launches_of_one_name_are_one_job(by_ssh, tmp_path):
    code, out, err = by_ssh()
    assert (code, "job 17: rewardlab launch status it" in out) == (0, True), err
    assert "launches/it is of a job that was submitted" in by_ssh()[2]
    (tmp_path / "launches").rename(tmp_path / "of-somebody-else")
    code, _, err = by_ssh()
    assert code == 2
    assert "a job was submitted in" in err
    assert "(17); give this one another --name" in err
    with (tmp_path / "my shared" / "it" / "launch" / "job").open("w") as job:
        fcntl.flock(job, fcntl.LOCK_EX)  # as another submission has it
        assert "(it is on its way at this moment)" in by_ssh()[2]


def test_a_submission_that_is_killed_is_in_nobodys_way(by_ssh, main, tmp_path):
    """What it has left is no job; and a job that is stopped before it was one, and submitted again, runs."""
    (tmp_path / "slurm" / "bin" / "sbatch").write_text('#!/bin/sh\n[ "$1" = --test-only ] || kill -9 $PPID\n')
    code, _, err = by_ssh()
    assert (code, "the submission was killed on login" in err) == (1, True)
    assert "it was not submitted" in main("launch", "status", "it")[1]
    assert "it is over" in main("launch", "stop", "it")[1]
    assert (tmp_path / "my shared" / "it" / "launch" / "stopped").exists()
    (tmp_path / "slurm" / "bin" / "sbatch").write_text(SBATCH)
    code, out, err = by_ssh()
    assert (code, "job 17" in out) == (0, True), err
    assert not (tmp_path / "my shared" / "it" / "launch" / "stopped").exists()


def test_a_connection_that_ends_in_the_middle_leaves_a_job_that_can_be_stopped(by_ssh, main, tmp_path):
    (tmp_path / "broken").touch()
    code, _, err = by_ssh()
    assert code == 1
    assert "it may have been submitted: rewardlab launch status it" in err
    (tmp_path / "broken").unlink()
    jobs = tmp_path / "slurm" / "jobs" / "17"
    jobs.mkdir(parents=True)
    (jobs / "state").write_text('"RUNNING"')
    assert "17|RUNNING" in main("launch", "status", "it")[1]
    assert "(17); give this one another --name" in by_ssh()[2]
    assert "it is told to stop" in main("launch", "stop", "it")[1]
    assert (jobs / "cancelled").exists()
    (jobs / "state").write_text('"CANCELLED"')
    assert "it is over, as far as its scheduler knows" in main("launch", "stop", "it")[1]
    assert (tmp_path / "my shared" / "it" / "launch" / "stopped").exists()


LOSING = """#!/bin/sh
[ "$1" = --test-only ] && exit
{sbatch} "$@" --dependency=afternotok:1 >/dev/null  # which waits for ever
kill -9 $PPID $$
"""


@pytest.mark.parametrize("has_ended", [False, True], ids=["waiting", "ended"])
def test_a_job_whose_number_was_lost_is_found_and_not_submitted_twice(by_ssh, main, tmp_path, has_ended):
    """The submission is killed after Slurm has taken the job, and before its number is noted."""
    sbatch = tmp_path / "slurm" / "bin" / "sbatch"
    sbatch.write_text(LOSING.format(sbatch=f"{sys.executable} {SLURM} sbatch"))
    code, _, err = by_ssh()
    assert (code, "the submission was killed on login" in err) == (1, True), err
    jobs, folder = tmp_path / "slurm" / "jobs", tmp_path / "my shared" / "it"
    assert (folder / "launch" / "job").read_text() == ""
    state = "PENDING"
    if has_ended:  # for so long that only its log is left
        (folder / "logs" / "101.log").touch()
        (jobs / "101" / "state").write_text(f'"{(state := "COMPLETED")}"')
    assert f"101|{state}" in main("launch", "status", "it")[1]
    for _ in range(2):  # found, then noted
        code, _, err = by_ssh()
        assert (code, "(101); give this one another --name" in err) == (2, True), err
    (folder / "launch" / "job").write_text("")
    assert ("it is over" if has_ended else "it is told to stop") in main("launch", "stop", "it")[1]
    assert (jobs / "101" / "cancelled").exists()
    assert [job.name for job in jobs.iterdir()] == ["101"]


def test_nothing_is_submitted_while_slurm_cannot_say_whether_it_was(by_ssh, main, tmp_path):
    sbatch, squeue = (tmp_path / "slurm" / "bin" / name for name in ("sbatch", "squeue"))
    sbatch.write_text('#!/bin/sh\n[ "$1" = --test-only ] || kill -9 $PPID\n')
    assert by_ssh()[0] == 1
    sbatch.write_text(SBATCH)
    squeue.write_text("#!/bin/sh\necho squeue: error: Unable to contact slurm controller >&2\nexit 1\n")
    for code, _, err in (by_ssh(), main("launch", "status", "it")):
        assert (code != 0, "Unable to contact slurm controller" in err) == (True, True), err
    assert (tmp_path / "my shared" / "it" / "launch" / "job").read_text() == ""


def test_a_login_node_that_is_out_of_reach_has_no_job(by_ssh, main, tmp_path):
    ssh = tmp_path / "slurm" / "bin" / "ssh"
    ssh.write_text("#!/bin/sh\necho no route to host >&2\nexit 255\n")
    told = "error: the connection to login by ssh has failed: no route to host; nothing was submitted\n"
    code, _, err = by_ssh()
    assert (code, err.endswith(told)) == (2, True), err
    assert "it was written and not submitted" in main("launch", "status", "it")[2]


def test_an_image_needs_pyxis_and_other_jobs_a_rewardlab_on_the_nodes(by_ssh, main, tmp_path):
    (tmp_path / ".profile").write_text(f"export PATH={tmp_path}/slurm/bin:/usr/bin:/bin\n")
    assert "rewardlab is not on PATH on login after compute.setup" in by_ssh()[2]
    (tmp_path / "slurm" / "bin" / "srun").write_text("#!/bin/sh\necho Usage: srun\n")
    (tmp_path / "rl.sqsh").touch()
    site = json.loads((tmp_path / "site.yaml").read_text())
    site["compute"] |= {"image": f"{tmp_path}/rl.sqsh", "mounts": {str(tmp_path): str(tmp_path)}}
    (tmp_path / "site.yaml").write_text(json.dumps(site))
    assert "srun on login has no pyxis" in by_ssh()[2]
    site["compute"]["runtime"] = "apptainer"
    (tmp_path / "site.yaml").write_text(json.dumps(site))
    assert by_ssh()[0] == 0


def test_a_job_that_slurm_refuses_can_be_submitted_again(by_ssh, main, tmp_path):
    sbatch = tmp_path / "slurm" / "bin" / "sbatch"
    sbatch.write_text("#!/bin/sh\necho sbatch: error: Invalid account or account/partition combination >&2; exit 1\n")
    code, _, err = by_ssh()
    assert (code, "Slurm would not take this job: sbatch: error: Invalid account" in err) == (2, True)
    assert "it was written and not submitted" in main("launch", "status", "it")[2]
    sbatch.write_text(SBATCH)
    assert by_ssh()[0] == 0


def test_a_scheduler_of_a_later_release_is_named(by_ssh, main, tmp_path):
    assert by_ssh()[0] == 0
    path = tmp_path / "launches" / "it" / "launch.json"
    path.write_text(path.read_text().replace('"slurm"', '"lsf"'))
    assert "its scheduler is 'lsf', which this release does not know" in main("launch", "stop", "it")[2]
