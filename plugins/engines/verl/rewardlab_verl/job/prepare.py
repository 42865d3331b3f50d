"""Writing the files that verl reads for a stage: rendered prompts for rl, token ids for sft, in the recipe's order."""

import json
from collections.abc import Sequence
from typing import Any

from rewardlab import Message
from rewardlab.errors import UserError
from rewardlab.recipe import RlStage, SftStage
from rewardlab_ray.rendered_rows import Row, undo_shuffle, write_lines
from rewardlab_ray.stage_prompts import StageTokenizer, write_prompts
from rewardlab_ray.stage_task import StageTask
from rewardlab_training import PromptFormat, reading_order, run_name, steps_of, tokenized_rows

from rewardlab_verl.agent_tools import schemas_of, write_tools
from rewardlab_verl.compile import VerlFiles
from rewardlab_verl.job.checkpoints import newest_step
from rewardlab_verl.job_groups import COLUMN

ONE_TURN = "- name: rewardlab\n  _target_: rewardlab_verl.agent_loop.RenderedPromptLoop\n"
TURNS = "- name: rewardlab\n  _target_: rewardlab_verl.conversation_loop.ConversationLoop\n  plays: {}\n"
TOOL_LOOP = "tool_agent"
"""verl's name of its loop that calls tools"""
SHUFFLE_SEED = 0
"""with which verl's sft trainer shuffles, whatever its configuration says"""


def tokenizer_of(task: StageTask) -> StageTokenizer:
    """Return the stage's tokenizer, which tells the policy of the tools of its agent. UserError if it cannot."""
    agent = task.stage.agent if isinstance(task.stage, RlStage) else None
    if agent is None:
        return StageTokenizer(task)
    task.folder.mkdir(parents=True, exist_ok=True)
    tools = task.folder / "tools.py"
    write_tools(tools, agent, task.home)
    schemas = schemas_of(agent, tools, task.home)
    tokenizer = StageTokenizer(task, schemas)
    template = tokenizer.tokenizer.chat_template
    if template is None or (schemas and "tools" not in str(template)):
        problem = "has no chat template" if template is None else "has a chat template that shows no tools"
        raise UserError(f"{task.where}.agent: the model {problem}; set chat.template, or take a model for tools")
    return tokenizer


def prepare(task: StageTask, tokenizer: StageTokenizer) -> VerlFiles:
    """Write the stage's files and report rows that had to be left out. A UserError if none is left."""
    task.folder.mkdir(parents=True, exist_ok=True)
    if isinstance(task.stage, RlStage):
        return _prepare_rl(task, task.stage, tokenizer)
    assert isinstance(task.stage, SftStage)
    return _prepare_sft(task, task.stage, tokenizer)


def _prepare_rl(task: StageTask, stage: RlStage, tokenizer: StageTokenizer) -> VerlFiles:
    prompts = write_prompts(task, stage, tokenizer)
    files = _files(
        task,
        steps=prompts.steps,
        longest=prompts.longest,
        ends=tokenizer.ends,
        evaluation_rows=len(prompts.evaluation),
        evaluate_first=_evaluate_first(task, stage, prompts.steps),
    )
    plays = None if stage.agent is None else stage.agent.use or TOOL_LOOP
    files.agent_loops.write_text(ONE_TURN if plays is None else TURNS.format(json.dumps(plays)), encoding="utf-8")
    asked = None if plays is None else tokenizer.format
    training = (_row(prompts.training[row], row, position, asked) for position, row in enumerate(prompts.order))
    write_lines(files.rows, training)
    if prompts.evaluation:
        evaluation = enumerate(prompts.evaluation)
        write_lines(files.evaluation, (_row(row, number, None, asked) for number, row in evaluation))
    return files


def _row(row: Row, number: int, position: int | None, asked: PromptFormat | None) -> dict[str, Any]:
    """Return a row of verl's dataset: a prompt that is rendered already, and which one of the stage it is.

    asked: of a stage with an agent, whose loop goes on from the messages, and has the text beside them.
    """
    which = {"row": number, "position": position or 0, "evaluation": position is None, "opened": row.opened}
    prompt: Sequence[Message] = [{"role": "user", "content": row.prompt}]
    if asked is not None:
        which["text"] = row.prompt
        prompt = [{name: message[name] for name in ("role", "content")} for message in asked.messages(row.sample)]
    return {
        "prompt": prompt,
        "data_source": "rewardlab",
        "reward_model": {"style": "rewardlab", "ground_truth": ""},
        "extra_info": {"index": number},
        COLUMN: which,
    }


def _evaluate_first(task: StageTask, stage: RlStage, steps: int) -> bool:
    """Return whether this attempt evaluates before its first step: where it begins, or what an earlier one missed."""
    if stage.evaluation is None:
        return False
    done = newest_step(task.run / "checkpoints" / task.name) if task.attempt else 0
    if not done:
        return stage.eval_before
    due = done >= steps or (stage.eval_every is not None and done % stage.eval_every == 0)
    name = "after" if done >= steps else f"step-{done}"
    return due and not (task.run / "evaluation" / f"{task.name}-{name}.json").exists()


def _prepare_sft(task: StageTask, stage: SftStage, tokenizer: StageTokenizer) -> VerlFiles:
    kept = tokenized_rows(stage, task.samples(), tokenizer.format, tokenizer.context, task.where, task.say)
    order = reading_order(task.plan, task.index, [row.sample for row in kept])
    lines = [{"input_ids": row.prompt + row.texts[0], "prompt": len(row.prompt)} for row in kept]
    longest = max(len(row.prompt) + len(row.texts[0]) for row in kept)
    files = _files(task, steps=steps_of(stage, len(kept)), longest=longest)
    write_lines(files.rows, undo_shuffle([lines[row] for row in order], SHUFFLE_SEED))
    return files


def _files(task: StageTask, steps: int, longest: int, **more: Any) -> VerlFiles:
    checkpoints = task.run / "checkpoints" / task.name
    return VerlFiles(
        model=task.model,
        folder=task.folder,
        checkpoints=checkpoints,
        run_name=f"{run_name(task.plan)}-{task.name}",
        job=task.job,
        steps=steps,
        longest=longest,
        resume=task.attempt > 0 and newest_step(checkpoints) > 0,
        **more,
    )
