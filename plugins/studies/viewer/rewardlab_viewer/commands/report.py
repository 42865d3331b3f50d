"""`rewardlab report`: one self-contained page about runs or scored files."""

from contextlib import ExitStack, closing, suppress
from dataclasses import asdict
from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated

from pydantic import Field
from rewardlab import CommandResult, Config, Flag, Positional, note
from rewardlab.commands import AnyRows, Say, file_of
from rewardlab.errors import Problem, UserError
from rewardlab_http import VisitorRules, address_of, bound_socket, needed_token
from rewardlab_training import ANY, RunAlarm, named_alarms

from rewardlab_viewer.demo import demo_run
from rewardlab_viewer.page.page import write_report
from rewardlab_viewer.read.runs_folder import RUNS, list_runs, refuse_runs

SUMMARY = "write one page about a run"


class Options(Config):
    """Write one self-contained page about a run: results, reward curves, judges, every completion with its scores.

    With --follow it is served instead, and grows with the run, until Ctrl-C. The server listens on this machine only
    unless --host says otherwise; then the variable REWARDLAB_TOKEN must have the password that the browser asks for.
    """

    run: Annotated[tuple[Path, ...], Positional("RUN")] = ()
    """a run directory, or a file that `score` wrote; several stand side by side"""
    output: Annotated[Path | None, Flag("-o", metavar="PAGE")] = None
    """the page to write (report.html in the run; of the demo in a new folder)"""
    rows: Annotated[AnyRows | None, Flag(metavar="ROWS.jsonl")] = None
    """the rows that were scored, whose texts a file that `score` wrote lacks"""
    fail_on: Annotated[str | None, Flag(metavar="NAME[,NAME]|any")] = None
    """exit code 1 if one of these alarms of a run went off, or any that its recipe does not ignore"""
    labels: Annotated[tuple[Path, ...], Flag("--labels", metavar="LABELS.jsonl")] = ()
    """people's labels, which the page downloads: judges against people; repeatable, a file a person"""
    to_label: Annotated[Path | None, Flag(metavar="NEXT.jsonl")] = None
    """pairs that `rewardlab judge --next` chose: the page's labelling begins with them"""
    bundle: Annotated[Path | None, Flag(metavar="DIR")] = None
    """write a folder instead, of a page with the texts beside it, for a ledger that is too large for one page"""
    demo: bool = False
    """the page of a run of the quickstart that comes with rewardlab, in place of RUN"""
    follow: bool = False
    """serve the page, and bring it up to date while the run goes on"""
    host: str = "127.0.0.1"
    """the address to listen at, with --follow; 0.0.0.0: all of this machine"""
    port: Annotated[int, Field(ge=0, le=65535), Flag("-p")] = 0
    """the port, with --follow; 0: a free one, which is printed"""
    allow_host: Annotated[tuple[str, ...], Flag(metavar="NAME")] = ()
    """with --follow, another host name that requests may use; repeatable"""
    say: Say = note
    """called with each note, such as the address"""


def run(options: Options) -> CommandResult:
    """Write the page, or serve it; data: its path, and what is wrong with the run.

    Not ok if an alarm of `fail_on` went off.
    """
    if options.demo == bool(options.run):
        problem = "it takes either --demo or a RUN: a run directory, or a file that `score` wrote"
        raise UserError([Problem(where="", what=problem), *list_runs(RUNS)])
    for path in options.run:
        refuse_runs(path)
    if options.follow:
        return _follow(options)
    if options.bundle is not None and options.output is not None:
        raise UserError("--bundle writes a folder in place of a page; leave out one of the two", where="-o")
    fail_on = named_alarms(options.fail_on)
    with ExitStack() as stack:
        sources = [stack.enter_context(demo_run())] if options.demo else [*options.run]
        target = options.bundle or options.output or (_of_demo() if options.demo else _target(sources))
        if fail_on and all(path.is_file() for path in sources):
            raise UserError("--fail-on asks for the alarms of a run, and a file has none; name the run's folder")
        if options.rows is not None and not any(path.is_file() for path in sources):
            raise UserError("--rows belongs to a file that `score` wrote; the folder of a run has its texts")
        rows = None if options.rows is None else str(stack.enter_context(file_of(options.rows, note))[0])
        written = write_report(sources, target, options.bundle is not None, rows, options.labels, options.to_label)
    failing = [alarm for alarm in written.alarms if _fails(alarm, fail_on)]
    alarms = [asdict(alarm) for alarm in written.alarms if not alarm.ignored or alarm in failing]
    data = {"ok": not failing, "output": str(target), "findings": list(written.findings), "alarms": alarms}
    places = [f"{alarm.run}: " if len(options.run) > 1 else "" for alarm in failing]
    lines = (f"alarm {alarm.name}: {place}{alarm.sentence}" for alarm, place in zip(failing, places, strict=True))
    text = "\n".join([f"wrote {target}", *lines])
    return CommandResult(ok=not failing, text=text, data=data, warnings=list(written.notes))


def _fails(alarm: RunAlarm, names: set[str]) -> bool:
    return alarm.name in names or (ANY in names and not alarm.ignored)


def _follow(options: Options) -> CommandResult:
    from rewardlab_viewer.follow.live_page import LivePage
    from rewardlab_viewer.follow.server import FollowServer

    for flag in ("demo", "output", "rows", "fail_on", "labels", "to_label", "bundle"):
        if getattr(options, flag):
            problem = f"serves the page of a run and writes none; leave out --{flag.replace('_', '-')}"
            raise UserError(problem, where="--follow")
    if files := [str(path) for path in options.run if path.is_file()]:
        raise UserError("is a file; only the folder of a run can be followed", where=files[0])
    rules = VisitorRules(token=needed_token(options.host), hosts=options.allow_host)
    with (
        bound_socket(options.host, options.port) as listening,
        closing(LivePage(options.run)) as page,
        FollowServer(page, rules, listening) as server,
        suppress(KeyboardInterrupt),
    ):
        where = address_of(options.host, listening)
        options.say(f"following {' and '.join(map(str, options.run))} at {where}; Ctrl-C ends it")
        server.serve_forever()
    return CommandResult()


def _target(sources: list[Path]) -> Path:
    if len(sources) == 1:
        return sources[0] / "report.html" if sources[0].is_dir() else sources[0].with_suffix(".html")
    raise UserError("several runs make one page, which belongs to none of them; name it: -o PAGE")


def _of_demo() -> Path:
    return Path(mkdtemp(prefix="rewardlab-demo-")) / "report.html"
