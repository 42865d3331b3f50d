"""`rewardlab new recipe`: a recipe to start from.

In goes a file of rows, or the name of a recipe that comes with rewardlab. Out comes a recipe file that passes `check`.

    writing    a recipe for somebody's rows: which columns are the fields, which rewards fit them
    text       that recipe as text, with comments that say what was guessed
    copying    a shipped recipe with its side files
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.authoring.new_recipe.copying import copy_recipe
    from rewardlab.authoring.new_recipe.writing import NewRecipe, write_recipe
else:
    __getattr__, __dir__ = lazy_names(__name__, {"copying": ["copy_recipe"], "writing": ["NewRecipe", "write_recipe"]})

__all__ = ["NewRecipe", "copy_recipe", "write_recipe"]
