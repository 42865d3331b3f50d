"""`rewardlab plugins new`: a distribution to start from, whose component keeps every law of its kind.

In go a name, a kind of component and a folder. Out come the files of a distribution, with its tests, and the commands
to type next.

    scaffold  writes the files, from the templates
    kinds     what each kind's examples are called, and what their tests need
    naming    which names a new plugin can have
    full/     the templates, a folder for each kind and `every` for all of them; @name@ and the like are filled in
    minimal/  those of the smallest distributions
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.authoring.scaffold.kinds import KINDS
    from rewardlab.authoring.scaffold.scaffold import Scaffold, next_steps, write_scaffold
else:
    __getattr__, __dir__ = lazy_names(
        __name__, {"kinds": ["KINDS"], "scaffold": ["Scaffold", "next_steps", "write_scaffold"]}
    )

__all__ = ["KINDS", "Scaffold", "next_steps", "write_scaffold"]
