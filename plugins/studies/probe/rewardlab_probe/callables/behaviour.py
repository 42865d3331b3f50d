"""What a grader does beside returning scores: it prints, starts processes, calls the network, is lost."""

from collections.abc import Iterator

from rewardlab.text import counted

from rewardlab_probe.callables.grader_process import MAX_LOST, GraderProcess
from rewardlab_probe.findings import Finding

CHECKS_OF_BEHAVIOUR = ("network", "prints", "processes", "given_up")


def behaviour(grader: GraderProcess, network: bool) -> Iterator[Finding]:
    """Yield a finding for each thing that it does.

    Args:
        network: whether it may open connections.
    """
    seen = grader.behaviour
    if seen.connects:
        hosts = ", ".join(host for host, _ in seen.connects.most_common(3))
        calls = counted(max(seen.connects.values()), "call")
        said = "" if network else "; each was refused, and --network lets them"
        yield Finding(check="network", level="note" if network else "error", what=f"it calls {hosts} in {calls}{said}")
    if seen.printed:
        beginning = seen.beginning.decode(errors="replace").strip().partition("\n")[0]
        first = f", first {beginning!r}" if beginning else ""
        yield Finding(check="prints", level="note", what=f"it prints {seen.printed:,} bytes{first}")
    if seen.started:
        left = f", and leaves up to {seen.left} running" if seen.left else ""
        yield Finding(
            check="processes", level="note", what=f"it starts processes in {counted(seen.started, 'call')}{left}"
        )
    if seen.troubles["not_asked"]:
        skipped = counted(seen.troubles["not_asked"], "call")
        yield Finding(
            check="given_up", what=f"{skipped} were not made: more than {MAX_LOST} processes were lost before"
        )
