"""The kit for backends: the parts that training engines are made of, and runs of recipes from Python.

A checked recipe (`Plan`) and an engine go in; run directories with models, ledgers and results come out. `RunJob`
starts, follows, stops and continues a run as `rewardlab run` does. Authors of engines implement `Backend` and find here
the parts that the engines of this repository use; docs/plugins.md is the guide.

This interface is provisional: it may change with each minor version of rewardlab until engines outside of this
repository use it. Pin `rewardlab~=0.1.0`.

    run_job, run_directory      a run, and its folder
    evaluation_job              a run of nothing but the stages `eval`, of any policy
    backend, no_engine, check   the engine as the rest of the library sees it, or none, and every check before a run
    readiness, dry_run, costs   what can be tried, described and estimated before a run
    stages, data_stage          the stages one after the other, and the one that writes a dataset
    served_evaluation, served_policy   the stage that evaluates a served policy, which needs no engine
    stage, splits, prompts, prompt_lengths, tokenizers, starting_model, tiny_model, model_folder   a stage's ingredients
    asked_rows                  how a judge's rows were asked, beside the model
    checkpoint_choice           the best of a stage's checkpoints, by a validation
    hub_models                  models that are named on the hub, and whether they are here
    lora                        LoRA adapters as a recipe sets them
    policy_judge                the policy as its own judge, as engines offer it
    ledger, ledger_shards, step_metrics, results, evaluation_rows   the records that a stage writes
    group_rounds                the groups of a group sampler, for engines that generate in batches
    divergence, divergence_watch   signs in the numbers of steps that a training has diverged, and who tells of them
    stage_checks, dataset_preview, data_provenance, telemetry   checks of stages and rows; telemetry stays off
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.concurrency import CallThread, LoopThread, grace_s, sigterm_as_interrupt, sigterm_heard, together
    from rewardlab.data import kind_of, spread
    from rewardlab.files import LineAppender, cut_torn_line, whole_folder, write_json
    from rewardlab.judging import (
        JudgeLenders,
        Judges,
        JudgeShare,
        JudgingSettings,
        LeaseGrant,
        LeaseReport,
        ReplyLine,
        ReplyOwner,
        Usage,
        open_judges,
        probe_judges,
        require_secrets,
    )
    from rewardlab.plan.component import Component, secret_variables
    from rewardlab.plan.plan import Plan
    from rewardlab.plan.total_range import Interval
    from rewardlab.recipe.models import (
        Chat,
        Critic,
        DataStage,
        Divergence,
        DpoStage,
        EvalStage,
        Evaluation,
        RlStage,
        SftStage,
        Stage,
        TinyModel,
        needs_engine,
    )
    from rewardlab.recipe.use import ComponentUse
    from rewardlab.recipe.validation import Finding, RecipePath
    from rewardlab.redaction import redact
    from rewardlab.scoring import (
        GroupNumbers,
        Machine,
        MissingGuard,
        Pool,
        PooledGroup,
        ScoredGroup,
        Scorer,
        numbers_of_group,
    )
    from rewardlab.training.advantages import CENTRED, batch_advantages, group_advantages, is_flat, whitened
    from rewardlab.training.asked_rows import keep_asked, read_asked
    from rewardlab.training.backend import Backend, open_backend
    from rewardlab.training.check import check_recipe, plan_of_job
    from rewardlab.training.checkpoint_choice import best_checkpoint
    from rewardlab.training.costs import data_costs, describe_evaluation, reward_costs
    from rewardlab.training.divergence import DivergenceDetector, Sign
    from rewardlab.training.divergence_watch import DivergenceWatch
    from rewardlab.training.dry_run import (
        clip_note,
        describe_length,
        describe_optimiser,
        describe_sampling,
        describe_updates,
        model_line,
        shaped_line,
        total_lines,
    )
    from rewardlab.training.evaluation_job import load_evaluation
    from rewardlab.training.evaluation_rows import write_evaluation_rows
    from rewardlab.training.group_rounds import collect_groups
    from rewardlab.training.hub_models import hub_configs, hub_warnings, refuse_missing_models
    from rewardlab.training.ledger import Ledger, Phase, UsageLog
    from rewardlab.training.ledger_shards import LedgerIndex, LedgerShard, LedgerSpan, read_span
    from rewardlab.training.lora import Lora, lora_findings
    from rewardlab.training.model_folder import looks_local
    from rewardlab.training.policy_judge import (
        PolicyJudgeOptions,
        judges_itself,
        policy_judge_spec,
        question_sampling,
        question_tokens,
    )
    from rewardlab.training.prompt_lengths import fitting_prompts
    from rewardlab.training.prompts import PromptFormat
    from rewardlab.training.results import Results, results_table, summarise
    from rewardlab.training.row_order import reading_order, steps_of
    from rewardlab.training.run_directory import RunDirectory, run_name
    from rewardlab.training.run_job import RunJob, RunResult, written_models
    from rewardlab.training.splits import evaluation_samples, read_samples, training_samples
    from rewardlab.training.stage import StageJob
    from rewardlab.training.stage_checks import (
        benchmark_findings,
        context_of,
        divisors,
        length_findings,
        model_findings,
        template_findings,
        update_findings,
    )
    from rewardlab.training.stages import run_stages
    from rewardlab.training.starting_model import find_starting_model, written_before
    from rewardlab.training.step_metrics import evaluation_metrics, judge_metrics, metrics_of_numbers, metrics_of_step
    from rewardlab.training.telemetry import telemetry_variables
    from rewardlab.training.tokenizers import ends_of, load_tokenizer
    from rewardlab.workers.environments import EnvironmentDefinition, InstallStep
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "rewardlab.concurrency": [
                "CallThread",
                "LoopThread",
                "grace_s",
                "sigterm_as_interrupt",
                "sigterm_heard",
                "together",
            ],
            "rewardlab.data": ["kind_of", "spread"],
            "rewardlab.files": ["LineAppender", "cut_torn_line", "whole_folder", "write_json"],
            "rewardlab.judging": [
                "JudgeLenders",
                "JudgeShare",
                "Judges",
                "JudgingSettings",
                "LeaseGrant",
                "LeaseReport",
                "ReplyLine",
                "ReplyOwner",
                "Usage",
                "open_judges",
                "probe_judges",
                "require_secrets",
            ],
            "rewardlab.plan.component": ["Component", "secret_variables"],
            "rewardlab.plan.plan": ["Plan"],
            "rewardlab.plan.total_range": ["Interval"],
            "rewardlab.recipe.models": [
                "Chat",
                "Critic",
                "DataStage",
                "Divergence",
                "DpoStage",
                "EvalStage",
                "Evaluation",
                "RlStage",
                "SftStage",
                "Stage",
                "TinyModel",
                "needs_engine",
            ],
            "rewardlab.recipe.use": ["ComponentUse"],
            "rewardlab.recipe.validation": ["Finding", "RecipePath"],
            "rewardlab.redaction": ["redact"],
            "rewardlab.scoring": [
                "GroupNumbers",
                "Machine",
                "MissingGuard",
                "Pool",
                "PooledGroup",
                "ScoredGroup",
                "Scorer",
                "numbers_of_group",
            ],
            "asked_rows": ["keep_asked", "read_asked"],
            "backend": ["Backend", "open_backend"],
            "check": ["check_recipe", "plan_of_job"],
            "checkpoint_choice": ["best_checkpoint"],
            "costs": ["data_costs", "describe_evaluation", "reward_costs"],
            "divergence": ["DivergenceDetector", "Sign"],
            "divergence_watch": ["DivergenceWatch"],
            "dry_run": [
                "clip_note",
                "describe_length",
                "describe_optimiser",
                "describe_sampling",
                "describe_updates",
                "model_line",
                "shaped_line",
                "total_lines",
            ],
            "evaluation_job": ["load_evaluation"],
            "evaluation_rows": ["write_evaluation_rows"],
            "group_rounds": ["collect_groups"],
            "ledger": ["Ledger", "Phase", "UsageLog"],
            "ledger_shards": ["LedgerIndex", "LedgerShard", "LedgerSpan", "read_span"],
            "hub_models": ["hub_configs", "hub_warnings", "refuse_missing_models"],
            "lora": ["Lora", "lora_findings"],
            "model_folder": ["looks_local"],
            "policy_judge": [
                "PolicyJudgeOptions",
                "judges_itself",
                "policy_judge_spec",
                "question_sampling",
                "question_tokens",
            ],
            "prompt_lengths": ["fitting_prompts"],
            "prompts": ["PromptFormat"],
            "results": ["Results", "results_table", "summarise"],
            "run_directory": ["RunDirectory", "run_name"],
            "run_job": ["RunJob", "RunResult", "written_models"],
            "splits": ["evaluation_samples", "read_samples", "training_samples"],
            "row_order": ["reading_order", "steps_of"],
            "stage": ["StageJob"],
            "stage_checks": [
                "benchmark_findings",
                "context_of",
                "divisors",
                "length_findings",
                "model_findings",
                "template_findings",
                "update_findings",
            ],
            "stages": ["run_stages"],
            "starting_model": ["find_starting_model", "written_before"],
            "advantages": ["CENTRED", "batch_advantages", "group_advantages", "is_flat", "whitened"],
            "step_metrics": ["evaluation_metrics", "judge_metrics", "metrics_of_numbers", "metrics_of_step"],
            "telemetry": ["telemetry_variables"],
            "tokenizers": ["ends_of", "load_tokenizer"],
            "rewardlab.workers.environments": ["EnvironmentDefinition", "InstallStep"],
        },
    )

__all__ = [
    "CENTRED",
    "Backend",
    "CallThread",
    "Chat",
    "Component",
    "ComponentUse",
    "Critic",
    "DataStage",
    "Divergence",
    "DivergenceDetector",
    "DivergenceWatch",
    "DpoStage",
    "EnvironmentDefinition",
    "EvalStage",
    "Evaluation",
    "Finding",
    "GroupNumbers",
    "InstallStep",
    "Interval",
    "JudgeLenders",
    "JudgeShare",
    "Judges",
    "JudgingSettings",
    "LeaseGrant",
    "LeaseReport",
    "Ledger",
    "LedgerIndex",
    "LedgerShard",
    "LedgerSpan",
    "LineAppender",
    "LoopThread",
    "Lora",
    "Machine",
    "MissingGuard",
    "Phase",
    "Plan",
    "PolicyJudgeOptions",
    "Pool",
    "PooledGroup",
    "PromptFormat",
    "RecipePath",
    "ReplyLine",
    "ReplyOwner",
    "Results",
    "RlStage",
    "RunDirectory",
    "RunJob",
    "RunResult",
    "ScoredGroup",
    "Scorer",
    "SftStage",
    "Sign",
    "Stage",
    "StageJob",
    "TinyModel",
    "Usage",
    "UsageLog",
    "batch_advantages",
    "benchmark_findings",
    "best_checkpoint",
    "check_recipe",
    "clip_note",
    "collect_groups",
    "context_of",
    "cut_torn_line",
    "data_costs",
    "describe_evaluation",
    "describe_length",
    "describe_optimiser",
    "describe_sampling",
    "describe_updates",
    "divisors",
    "ends_of",
    "evaluation_metrics",
    "evaluation_samples",
    "find_starting_model",
    "fitting_prompts",
    "grace_s",
    "group_advantages",
    "hub_configs",
    "hub_warnings",
    "is_flat",
    "judge_metrics",
    "judges_itself",
    "keep_asked",
    "kind_of",
    "length_findings",
    "load_evaluation",
    "load_tokenizer",
    "looks_local",
    "lora_findings",
    "metrics_of_numbers",
    "metrics_of_step",
    "model_findings",
    "model_line",
    "needs_engine",
    "numbers_of_group",
    "open_backend",
    "open_judges",
    "plan_of_job",
    "policy_judge_spec",
    "probe_judges",
    "question_sampling",
    "question_tokens",
    "read_asked",
    "read_samples",
    "read_span",
    "reading_order",
    "redact",
    "refuse_missing_models",
    "require_secrets",
    "results_table",
    "reward_costs",
    "run_name",
    "run_stages",
    "secret_variables",
    "shaped_line",
    "sigterm_as_interrupt",
    "sigterm_heard",
    "spread",
    "steps_of",
    "summarise",
    "telemetry_variables",
    "template_findings",
    "together",
    "total_lines",
    "training_samples",
    "update_findings",
    "whitened",
    "whole_folder",
    "write_evaluation_rows",
    "write_json",
    "written_before",
    "written_models",
]
