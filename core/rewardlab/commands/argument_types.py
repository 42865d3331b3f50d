"""Types of options that several commands have."""

import os
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import Field, SkipValidation

from rewardlab.command_spec import PythonOnly

Count = Annotated[int, Field(ge=1)]
"""a whole number from 1 up"""
AnyRecipe = SkipValidation[str | os.PathLike[str] | Mapping[str, Any]]
"""a recipe: a file, the name of a shipped recipe, the folder of a run, or for programs the tree itself"""
AnyRows = SkipValidation[Any]
"""rows: a file, or for programs the rows themselves"""
Say = Annotated[Callable[[str], None], PythonOnly()]
"""a function that programs pass to receive each note"""
