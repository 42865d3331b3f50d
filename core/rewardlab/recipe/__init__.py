"""The recipe: a YAML file is read into validated models, or every mistake in it is reported.

The input is a YAML file and overrides; the output is a `Document` (the tree, with a line for each value) and the
pydantic models of a `Recipe`. No plugin is consulted: the plan validates `with` and `backend` by the plugins' configs.

    loading           a file, what it extends, overrides and the environment: a tree with line numbers
    extends           a recipe's keys over those of the recipe that it extends
    overrides         KEY=VALUE of the command line
    merging           the walk along dotted keys by which both change a recipe
    interpolation     ${oc.env:...}, by OmegaConf
    shipped           the recipes that come with rewardlab, by name
    logins            users and passwords of URLs, which are not written
    yaml12            YAML 1.2 as recipes use it
    models, use       the models: the recipe; components by name with their options
    descriptions      what stands below the fields of models and options
    training_stages, evaluation   the models of stages that train, and of what samples and scores
    teach             the model of which groups teach
    agent             the model of several turns
    alarms            what happens if a training's numbers show that something is wrong
    validation        pydantic's errors as lines that say where, what and the nearest name
    other_names       what TRL, OpenRLHF and verl call the settings of a stage
    partial_validation           the valid parts of a recipe that has mistakes, so that one run names every mistake
    expression, expression_tree   the grammar of `total`
    terms             the total as a sum of terms: weighted names, gates, and what no sum can separate
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.recipe.agent import Agent as Agent
    from rewardlab.recipe.alarms import ALARM_NAMES as ALARM_NAMES
    from rewardlab.recipe.alarms import AlarmLevels as AlarmLevels
    from rewardlab.recipe.alarms import AlarmName as AlarmName
    from rewardlab.recipe.annotations import RecipePath as RecipePath
    from rewardlab.recipe.annotations import lookup as lookup
    from rewardlab.recipe.descriptions import descriptions_of as descriptions_of
    from rewardlab.recipe.evaluation import MISSING_FIELD as MISSING_FIELD
    from rewardlab.recipe.evaluation import SET_FIELD as SET_FIELD
    from rewardlab.recipe.evaluation import Chat as Chat
    from rewardlab.recipe.evaluation import EvalStage as EvalStage
    from rewardlab.recipe.evaluation import Evaluation as Evaluation
    from rewardlab.recipe.evaluation import StageEvaluation as StageEvaluation
    from rewardlab.recipe.evaluation import TokenSampling as TokenSampling
    from rewardlab.recipe.evaluation import Validation as Validation
    from rewardlab.recipe.expression import parse as parse
    from rewardlab.recipe.extends import EXTENDS as EXTENDS
    from rewardlab.recipe.loading import RESOLVED as RESOLVED
    from rewardlab.recipe.loading import Document as Document
    from rewardlab.recipe.loading import RecipeSource as RecipeSource
    from rewardlab.recipe.loading import load as load
    from rewardlab.recipe.loading import source_file as source_file
    from rewardlab.recipe.models import FAMILIES as FAMILIES
    from rewardlab.recipe.models import BackendUse as BackendUse
    from rewardlab.recipe.models import DataStage as DataStage
    from rewardlab.recipe.models import Family as Family
    from rewardlab.recipe.models import Recipe as Recipe
    from rewardlab.recipe.models import RewardSection as RewardSection
    from rewardlab.recipe.models import Stage as Stage
    from rewardlab.recipe.models import TinyModel as TinyModel
    from rewardlab.recipe.models import needs_engine as needs_engine
    from rewardlab.recipe.overrides import parse_value as parse_value
    from rewardlab.recipe.presets import PRESETS as PRESETS
    from rewardlab.recipe.shipped import shipped_recipes as shipped_recipes
    from rewardlab.recipe.training_stages import CriticSettings as CriticSettings
    from rewardlab.recipe.training_stages import Divergence as Divergence
    from rewardlab.recipe.training_stages import DpoStage as DpoStage
    from rewardlab.recipe.training_stages import RlStage as RlStage
    from rewardlab.recipe.training_stages import SftStage as SftStage
    from rewardlab.recipe.use import MAX_REPEATS as MAX_REPEATS
    from rewardlab.recipe.use import ColumnNames as ColumnNames
    from rewardlab.recipe.use import ComponentUse as ComponentUse
    from rewardlab.recipe.use import DatasetUse as DatasetUse
    from rewardlab.recipe.use import JudgeUse as JudgeUse
    from rewardlab.recipe.use import Price as Price
    from rewardlab.recipe.use import Use as Use
    from rewardlab.recipe.validation import Finding as Finding
    from rewardlab.recipe.validation import type_text as type_text
    from rewardlab.recipe.validation import validate as validate
    from rewardlab.recipe.yaml12 import Place as Place
    from rewardlab.recipe.yaml12 import compose as compose
    from rewardlab.recipe.yaml12 import dump as dump

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
