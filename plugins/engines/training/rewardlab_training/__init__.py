"""The kit for backends: the parts that training engines are made of, and runs of recipes from Python.

A checked recipe (`Plan`) and an engine go in; run directories with models, ledgers and results come out. `RunJob`
starts, follows, stops and continues a run as `rewardlab run` does. Authors of engines implement `Backend` and find here
the parts that the engines of this repository use; docs/plugins.md is the guide.

This interface is provisional: it may change with each minor version of rewardlab until engines outside of this
repository use it. Pin `rewardlab-core~=0.1.0`.

    run_job, run_directory, run_folders   a run, its folder, and folders of runs on the disk
    evaluation_job              a run of nothing but the stages `eval`, of any policy
    longer_training             a run that is resumed with more steps
    optional_settings           the settings of stages that not every engine has
    backend, check              the engine as the rest of the library sees it, or none, and every check before a run
    stage_checks, dataset_preview   checks of stages for an engine, and of rows
    recipe_checks, dataset_checks   what stages and the rest of a recipe must agree on, and their datasets
    datasets, column_names, prompt_checks   a recipe's rows, what others call our fields, and prompts that are doubtful
    idle_settings, first_call   settings that do nothing, and one call to each judge before a run
    golden, goldens             the examples of a rubric, scored by a recipe's judges
    components_to_measure       a plan with nothing but components to measure
    dry_run, costs, judge_costs, row_counts   what can be described and estimated before a run
    stages, stage, data_stage   the stages one after the other, one of them, and the one that writes a dataset
    data_rows, data_on_hosts    what its steps make, and hosts of a cluster that ask its judges first
    policy, policy_stage        a policy that an engine has loaded in this process, and the stage that trains it
    step_reward, advantages     its reward, step by step, and what a trainer makes of it
    group_numbers               the numbers of a scored group, and what a step's log makes of them
    evaluation, step_log        its evaluations, and the log of its steps
    step_board                  the steps at the foot of a terminal
    stage_datasets              the datasets that a stage trains on and evaluates on
    stage_rows, sampling, prompts, token_rows, starting_model, named_models, decoder_size   a stage's ingredients
    special_tokens              texts as token ids, in which no quoted text is read for special tokens
    stage_batches               a step's rows, divided into updates, ranks and micro-batches
    asked_rows                  how a judge's rows were asked, beside the model
    checkpoint_choice, rank_correlation   the best of a stage's checkpoints, by a validation
    warm_up                     a learning rate's warm-up, in steps
    lora                        LoRA adapters as a recipe sets them
    tracker_options             trackers as a recipe sets them, and the context in which one is told a stage's numbers
    policy_judge                the policy as its own judge, as engines offer it
    agent_code                  the tools and environments that an agent names
    ledger_format, growing_file   the place and columns of a ledger, and what is new in a file that grows
    ledger, results             the records that a stage writes
    alarms, score_conditions, divergence_conditions, series   signs in the numbers of steps that something is wrong
    licences   what judges must have kept on labels before a run asks them, by itself
    alarm_settings, alarm_policy, alarm_watch, alarm_file, webhook   what a recipe makes of them, and who says so
    trainer_log                 the log of a training that another tool ran, for the same alarms
    aligned_columns             tables of text, as commands print them
    whole_folders, last_rows    a folder that is whole if it is there, and the last row of a file
    alarms_afterwards           the alarms of a run, with those that nobody watched for
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab_training.advantages import ADVANTAGES as ADVANTAGES
    from rewardlab_training.advantages import CENTRED as CENTRED
    from rewardlab_training.advantages import group_advantages as group_advantages
    from rewardlab_training.advantages import whitened as whitened
    from rewardlab_training.advantages import whitening as whitening
    from rewardlab_training.advantages import whitens as whitens
    from rewardlab_training.agent_code import environment_problems as environment_problems
    from rewardlab_training.agent_code import environment_tools as environment_tools
    from rewardlab_training.agent_code import load_code as load_code
    from rewardlab_training.agent_code import tool_problems as tool_problems
    from rewardlab_training.alarms.alarm_policy import ANY as ANY
    from rewardlab_training.alarms.alarm_policy import named_alarms as named_alarms
    from rewardlab_training.alarms.alarm_watch import AlarmWatch as AlarmWatch
    from rewardlab_training.alarms.alarms_afterwards import RunAlarm as RunAlarm
    from rewardlab_training.alarms.alarms_afterwards import run_alarms as run_alarms
    from rewardlab_training.aligned_columns import COLUMN_GAP as COLUMN_GAP
    from rewardlab_training.aligned_columns import columns as columns
    from rewardlab_training.aligned_columns import display_width as display_width
    from rewardlab_training.asked_rows import keep_asked as keep_asked
    from rewardlab_training.asked_rows import read_asked as read_asked
    from rewardlab_training.backend import Backend as Backend
    from rewardlab_training.backend import Capabilities as Capabilities
    from rewardlab_training.backend import JobBackend as JobBackend
    from rewardlab_training.backend import PolicyBackend as PolicyBackend
    from rewardlab_training.backend import open_backend as open_backend
    from rewardlab_training.backend import telemetry_variables as telemetry_variables
    from rewardlab_training.check import check_recipe as check_recipe
    from rewardlab_training.check import plan_of_job as plan_of_job
    from rewardlab_training.checkpoint_choice import best_checkpoint as best_checkpoint
    from rewardlab_training.column_names import FINAL as FINAL
    from rewardlab_training.column_names import columns_named as columns_named
    from rewardlab_training.column_names import field_named as field_named
    from rewardlab_training.column_names import looks_like_an_answer as looks_like_an_answer
    from rewardlab_training.components_to_measure import measured_plan as measured_plan
    from rewardlab_training.costs import most_questions as most_questions
    from rewardlab_training.datasets import is_held_out as is_held_out
    from rewardlab_training.datasets import read_dataset as read_dataset
    from rewardlab_training.decoder_size import ModelSize as ModelSize
    from rewardlab_training.decoder_size import model_size as model_size
    from rewardlab_training.decoder_size import size_of_config as size_of_config
    from rewardlab_training.dry_run import clip_text as clip_text
    from rewardlab_training.dry_run import describe_training as describe_training
    from rewardlab_training.dry_run import evaluation_sampling as evaluation_sampling
    from rewardlab_training.dry_run import model_line as model_line
    from rewardlab_training.evaluation_job import load_evaluation as load_evaluation
    from rewardlab_training.first_call import probe_judges as probe_judges
    from rewardlab_training.golden import Golden as Golden
    from rewardlab_training.goldens import GoldenScore as GoldenScore
    from rewardlab_training.goldens import golden_scores as golden_scores
    from rewardlab_training.goldens import goldens_of as goldens_of
    from rewardlab_training.group_numbers import GroupNumbers as GroupNumbers
    from rewardlab_training.group_numbers import metrics_of_step as metrics_of_step
    from rewardlab_training.group_numbers import numbers_of_group as numbers_of_group
    from rewardlab_training.growing_file import GrowingFile as GrowingFile
    from rewardlab_training.growing_file import ReplacedFile as ReplacedFile
    from rewardlab_training.last_rows import last_row as last_row
    from rewardlab_training.ledger import Ledger as Ledger
    from rewardlab_training.ledger import Phase as Phase
    from rewardlab_training.ledger import UsageLog as UsageLog
    from rewardlab_training.ledger import ledger_lines as ledger_lines
    from rewardlab_training.ledger_format import LEDGER_BEGINNING as LEDGER_BEGINNING
    from rewardlab_training.ledger_format import LEDGER_COLUMNS as LEDGER_COLUMNS
    from rewardlab_training.ledger_format import LEDGER_VERSION as LEDGER_VERSION
    from rewardlab_training.ledger_format import SCORE_COLUMNS as SCORE_COLUMNS
    from rewardlab_training.ledger_format import SOME_HAVE as SOME_HAVE
    from rewardlab_training.ledger_format import UNLICENSED as UNLICENSED
    from rewardlab_training.ledger_format import ColumnType as ColumnType
    from rewardlab_training.ledger_format import ledger_path as ledger_path
    from rewardlab_training.lora import Lora as Lora
    from rewardlab_training.named_models import looks_local as looks_local
    from rewardlab_training.optional_settings import OPTIONAL as OPTIONAL
    from rewardlab_training.policy import Policy as Policy
    from rewardlab_training.policy import Sampling as Sampling
    from rewardlab_training.policy import Training as Training
    from rewardlab_training.policy_judge import PolicyJudgeOptions as PolicyJudgeOptions
    from rewardlab_training.policy_judge import judges_itself as judges_itself
    from rewardlab_training.policy_judge import policy_judge_spec as policy_judge_spec
    from rewardlab_training.policy_judge import question_tokens as question_tokens
    from rewardlab_training.prompt_checks import prompt_findings as prompt_findings
    from rewardlab_training.prompts import PromptFormat as PromptFormat
    from rewardlab_training.prompts import ends_of as ends_of
    from rewardlab_training.prompts import load_tokenizer as load_tokenizer
    from rewardlab_training.rank_correlation import kendall_tau_b as kendall_tau_b
    from rewardlab_training.results import Results as Results
    from rewardlab_training.results import write_evaluation as write_evaluation
    from rewardlab_training.run_directory import RunDirectory as RunDirectory
    from rewardlab_training.run_folders import run_name as run_name
    from rewardlab_training.run_job import RunJob as RunJob
    from rewardlab_training.run_job import RunResult as RunResult
    from rewardlab_training.sampling import shuffled as shuffled
    from rewardlab_training.sampling import stratified_sample as stratified_sample
    from rewardlab_training.special_tokens import chat_ids as chat_ids
    from rewardlab_training.special_tokens import literal_ids as literal_ids
    from rewardlab_training.stage import StageJob as StageJob
    from rewardlab_training.stage_batches import StageBatches as StageBatches
    from rewardlab_training.stage_batches import divisors as divisors
    from rewardlab_training.stage_checks import context_of as context_of
    from rewardlab_training.stage_datasets import evaluation_datasets as evaluation_datasets
    from rewardlab_training.stage_datasets import scores as scores
    from rewardlab_training.stage_datasets import stage_dataset as stage_dataset
    from rewardlab_training.stage_rows import evaluation_samples as evaluation_samples
    from rewardlab_training.stage_rows import reading_order as reading_order
    from rewardlab_training.stage_rows import sample_of_set as sample_of_set
    from rewardlab_training.stage_rows import steps_of as steps_of
    from rewardlab_training.stage_rows import training_samples as training_samples
    from rewardlab_training.starting_model import find_starting_model as find_starting_model
    from rewardlab_training.step_board import StepBoard as StepBoard
    from rewardlab_training.step_board import step_line as step_line
    from rewardlab_training.step_reward import StageReward as StageReward
    from rewardlab_training.step_reward import refuse_step as refuse_step
    from rewardlab_training.token_rows import TokenRow as TokenRow
    from rewardlab_training.token_rows import tokenized_rows as tokenized_rows
    from rewardlab_training.tracker_options import TRACKERS as TRACKERS
    from rewardlab_training.tracker_options import TrackerOptions as TrackerOptions
    from rewardlab_training.warm_up import warm_up_steps as warm_up_steps
    from rewardlab_training.whole_folders import whole_folder as whole_folder

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
