"""A grader of the audit: what is installed, what is called, and the rows that it is probed with."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Grader:
    """A grader as the audit installs and probes it.

    Args:
        name: "source/grader", which names its result, too.
        packages: what pip installs, pinned: ("reasoning-gym==0.1.25",). Graders with the same packages,
            options and `alone` share an environment.
        target: "package.module:function" of these packages, "adapters/FILE.py:function" or
            "sources/OWNER+NAME/FILE.py:function"; behind the name may stand `.attribute` and calls without arguments,
            as in "inspect_ai.scorer:match()".
        signature: one of `rewardlab_probe.SIGNATURES`; "" if the parameters' names say it.
        rows: a file of rows, from evidence/audit/rows on; or a script there with its words, as in
            "generated_tasks.py sudoku", which the grader's own Python runs and which prints rows.
        origin: the page of its code.
        licence: of the package, as an SPDX identifier; "" if it has none.
        deadline: seconds for a call.
        network: whether it may open connections.
        known: family -> why it may win or cannot be judged here, such as {"empty": "an empty list is a right answer"}.
        python: a version that it needs, such as "3.13"; "" for that of this environment.
        pip: options of the installer, such as "--no-deps".
        alone: packages that are installed without what they require, behind the others.
        source: "github:OWNER/NAME@COMMIT" for a grader that no package has; it is looked for in
            evidence/audit/sources/OWNER+NAME.
        path: folders, from evidence/audit on, in which its imports are.
    """

    name: str
    packages: tuple[str, ...]
    target: str
    rows: str
    origin: str
    licence: str
    signature: str = ""
    deadline: float = 10.0
    network: bool = False
    known: Mapping[str, str] = field(default_factory=dict)
    python: str = ""
    pip: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    source: str = ""
    path: tuple[str, ...] = ()

    @property
    def checkout(self) -> str:
        """The folder of its source, from evidence/audit on; "" if it comes from packages."""
        return (
            f"sources/{self.source.removeprefix('github:').partition('@')[0].replace('/', '+')}" if self.source else ""
        )
