"""`rewardlab report`: one self-contained page about runs or scored files."""

from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Annotated

from pydantic import Field
from rewardlab import CommandResult, Config, Flag, Positional, note
from rewardlab.commands import AnyRows, Say, file_of
from rewardlab.errors import UserError
from rewardlab.serving import VisitorRules, address_of, bound_socket, needed_token

from rewardlab_viewer.page.page import write_report


class Options(Config):
    """Write one self-contained page about a run: results, reward curves, judges, every completion with its scores.

    With --follow it is served instead, and grows with the run, until Ctrl-C. The server listens on this machine only
    unless --host says otherwise; then the variable REWARDLAB_TOKEN must have the password that the browser asks for.
    """

    run: Annotated[list[Path], Positional("RUN")]
    """a run directory, or a file that `score` wrote; several stand side by side"""
    output: Annotated[Path | None, Flag("-o", metavar="PAGE")] = None
    """the page to write (report.html in the run)"""
    rows: Annotated[AnyRows | None, Flag(metavar="ROWS.jsonl")] = None
    """the rows that were scored, whose texts a file that `score` wrote lacks"""
    bundle: Annotated[Path | None, Flag(metavar="DIR")] = None
    """write a folder instead, of a page with the texts beside it, for a ledger that is too large for one page"""
    follow: bool = False
    """serve the page, and bring it up to date while the run goes on"""
    host: str = "127.0.0.1"
    """the address to listen at, with --follow; 0.0.0.0: all of this machine"""
    port: Annotated[int, Field(ge=0, le=65535), Flag("-p")] = 0
    """the port, with --follow; 0: a free one, which is printed"""
    allow_host: Annotated[tuple[str, ...], Flag(metavar="NAME")] = ()
    """with --follow, the server is also called so by those who ask; repeatable"""
    say: Say = note
    """called with each note, such as the address"""


def run(options: Options) -> CommandResult:
    """Write the page, or serve it; data: its path, and what is wrong with the run."""
    if options.follow:
        return _follow(options)
    target = options.bundle or options.output or _target(options.run)
    if options.rows is not None and not any(path.is_file() for path in options.run):
        raise UserError("--rows belongs to a file that `score` wrote; the folder of a run has its texts")
    with ExitStack() as closing:
        rows = None if options.rows is None else str(closing.enter_context(file_of(options.rows, note))[0])
        written = write_report(options.run, target, bundle=options.bundle is not None, rows=rows)
    data = {"ok": True, "output": str(target), "findings": list(written.findings)}
    return CommandResult(text=f"wrote {target}", data=data, warnings=list(written.notes))


def _follow(options: Options) -> CommandResult:
    from rewardlab_viewer.follow.live_page import LivePage
    from rewardlab_viewer.follow.server import FollowServer

    if options.output or options.bundle or options.rows:
        raise UserError("serves a page and writes none; leave out -o, --bundle and --rows", where="--follow")
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
