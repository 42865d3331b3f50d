"""The commands that come with rewardlab, one file each: the options, and what is done with them.

They come in as everybody's do, by entry points: `find` finds any; `arguments` reads options classes; `parsing` makes
parsers of them, `functions` what programs call.
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.commands.arguments import AnyRecipe as AnyRecipe
    from rewardlab.commands.arguments import AnyRows as AnyRows
    from rewardlab.commands.arguments import Count as Count
    from rewardlab.commands.arguments import RolloutName as RolloutName
    from rewardlab.commands.arguments import Say as Say
    from rewardlab.commands.elsewhere import ScoredOn as ScoredOn
    from rewardlab.commands.elsewhere import ShardOf as ShardOf
    from rewardlab.commands.elsewhere import scorer_on as scorer_on
    from rewardlab.commands.elsewhere import share_of as share_of
    from rewardlab.commands.find import find_command as find_command
    from rewardlab.commands.parsing import command_line as command_line
    from rewardlab.commands.row_inputs import file_of as file_of

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
