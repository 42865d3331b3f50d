"""`rewardlab plugins new`: a distribution to start from, whose reward keeps every law.

In go a name and a folder. Out come the files of a distribution, with a reward, its tests, a recipe and rows, and the
commands to type next.

    scaffold  writes the files, from the templates in reward/
    naming    which names a new plugin can have
    reward/   the templates: the files of the distribution, with @name@, @package@ and @release@ for its own
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.authoring.scaffold.scaffold import Scaffold, next_steps, write_scaffold
else:
    __getattr__, __dir__ = lazy_names(__name__, {"scaffold": ["Scaffold", "next_steps", "write_scaffold"]})

__all__ = ["Scaffold", "next_steps", "write_scaffold"]
