"""`rewardlab serve`: the reward of a recipe for trainers that ask over HTTP."""

import signal
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, PositiveInt
from rewardlab import CommandResult, Config, Flag, Overrides, Positional, note
from rewardlab.commands import AnyRecipe, Say
from rewardlab.errors import UserError
from rewardlab.judging import Share
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab.text import counted
from rewardlab_http import address_of, bound_socket, needed_token

SUMMARY = "answer trainers with rewards over HTTP"


class Options(Config):
    """Answer with rewards over HTTP until it is stopped: whole groups, or their members one by one.

    POST /v1/groups takes a row as `rewardlab score` reads it and answers with the line that it writes. Trainers with
    words of their own come in by a door (--door). The server listens on this machine only unless --host says otherwise;
    then the variable REWARDLAB_TOKEN must have the token that requests bring. It ends at Ctrl-C or SIGTERM, once what
    is under way is answered.
    """

    recipe: Annotated[AnyRecipe, Positional("RECIPE")]
    """the recipe with the reward"""
    overrides: Annotated[tuple[str, ...], Overrides()] = ()
    """changes of the recipe"""
    host: str = "127.0.0.1"
    """the address to listen at; 0.0.0.0: all of this machine"""
    port: Annotated[int, Field(ge=0, le=65535), Flag("-p")] = 8321
    """the port; 0: a free one, which is printed"""
    door: tuple[str, ...] = ()
    """also speak as this trainer expects: openrlhf, slime, nemo_gym, openreward, google, aws, eval_protocol; repeatable
    """
    label: Annotated[str, Flag(metavar="FIELD")] = "answer"
    """the recipe's field that a door's label, reference or ground truth fills"""
    group_size: Annotated[PositiveInt | None, Flag(metavar="N")] = None
    """completions of a group, for a door whose requests do not say it"""
    end_token: Annotated[tuple[str, ...], Flag(metavar="TOKEN")] = ()
    """a special token that a door's trainer leaves at the end of its answers, such as </s>; repeatable"""
    cohort_timeout: Annotated[PositiveFloat, Flag(metavar="SECONDS")] = 600.0
    """how long the members of a group may take to arrive"""
    on_partial: Literal["fail", "score"] = "fail"
    """members do not arrive in that time: fail answers the others with an error, score scores them as a group of their
    own size"""
    scoring_timeout: Annotated[PositiveFloat | None, Flag(metavar="SECONDS")] = None
    """how long a complete group may take to score"""
    max_groups: Annotated[PositiveInt, Flag(metavar="N")] = 1024
    """groups in progress at most; others are answered 429"""
    max_requests: Annotated[PositiveInt, Flag(metavar="N")] = 8192
    """requests in progress at most; others are answered 429"""
    max_body: Annotated[PositiveInt, Flag(metavar="BYTES")] = 16 * 2**20
    """largest body of a request"""
    rate: Annotated[PositiveFloat | None, Flag(metavar="N")] = None
    """requests a second; others are answered 429"""
    keep: Annotated[PositiveInt, Flag(metavar="BYTES")] = 64 * 2**20
    """memory for answers to repeated requests"""
    drain: Annotated[float, Field(ge=0), Flag(metavar="SECONDS")] = 30.0
    """how long groups in progress may take after the signal to stop"""
    access_log: bool = False
    """print a line for each request on stdout"""
    share: Annotated[str, Flag(metavar="K/N")] = "1/1"
    """part K of N of the judges' limits and budgets, where N servers of one recipe are behind one address"""
    state: Annotated[str | None, Flag(metavar="DIR")] = None
    """a folder that keeps judges' answers and what was spent, so that budgets hold when the server is started again"""
    allow_host: Annotated[tuple[str, ...], Flag(metavar="NAME")] = ()
    """another host name that requests may use; repeatable"""
    say: Say = note
    """called with each note, such as the address"""


def run(options: Options) -> CommandResult:
    """Serve until a signal ends it. A UserError for an address, a door or a recipe that cannot be served."""
    from rewardlab_serve.doors import DoorOptions, door, refuse_recipe
    from rewardlab_serve.gate import GateRules
    from rewardlab_serve.judge_share import shared_scorer
    from rewardlab_serve.reward_service import ServiceLimits
    from rewardlab_serve.server import RewardServer, ServerSettings, connections_for, reward_app

    plan = make_plan(load(options.recipe, options.overrides, strict=False), purpose="score")
    if plan.replaces_groups:
        problem = "no server generates other prompts; write drop: all of a flat group get the same `shaped`"
        raise UserError(problem, where=plan.document.where(("reward", "teach", "flat")))
    for line in plan.notes:
        options.say(line)
    requests = connections_for(options.max_requests)
    if requests < options.max_requests:
        options.say(f"warning: at most {requests:,} requests at a time, since `ulimit -Hn` allows no more connections")
    settings = ServerSettings(
        rules=GateRules(
            token=needed_token(options.host),
            hosts=options.allow_host,
            body=options.max_body,
            requests=requests,
            rate=options.rate,
        ),
        limits=ServiceLimits(
            cohort=options.cohort_timeout,
            on_partial=options.on_partial,
            scoring=options.scoring_timeout,
            groups=options.max_groups,
            kept=options.keep,
        ),
        doors=[door(name) for name in options.door],
        door_options=DoorOptions(label=options.label, group_size=options.group_size, end_tokens=options.end_token),
    )
    for named_door in settings.doors:
        refuse_recipe(plan, named_door, settings.door_options)
    folder = None if options.state is None else Path(options.state)
    with (
        bound_socket(options.host, options.port) as listening,
        shared_scorer(plan, Share.parse(options.share), folder, options.say) as scorer,
    ):
        scorer.warm()
        app, service = reward_app(plan, scorer, settings)
        where = f"serving {options.recipe} at {address_of(options.host, listening)}; Ctrl-C ends it"
        ending = f"answers what is under way, for {options.drain:g} s at most; Ctrl-C again ends that wait"
        server = RewardServer(
            app,
            service,
            options.drain,
            ready=lambda: options.say(where),
            ending=lambda: options.say(ending),
            access_log=options.access_log,
        )
        server.serve_at(listening)
        usage = scorer.judges.summary()
    for line in usage:
        options.say(line)
    failed = f"; {counted(service.failed, 'group')} had no reward" if service.failed else ""
    options.say(f"ended, after scores for {counted(service.scored, 'group')}{failed}")
    return CommandResult(ok=not server.interrupted, code=128 + signal.SIGINT if server.interrupted else None)
