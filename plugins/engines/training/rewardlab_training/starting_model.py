"""The model that a stage starts from; `{use: tiny}` is a small random Llama with a tokenizer of the dataset's texts."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rewardlab import Sample
from rewardlab.errors import JobError, one_line
from rewardlab.files import expanded
from rewardlab.plan import Plan
from rewardlab.recipe import EvalStage, SftStage, TinyModel

from rewardlab_training.prompts import as_text
from rewardlab_training.stage_rows import training_samples
from rewardlab_training.whole_folders import whole_folder


def find_starting_model(plan: Plan, run: Path, index: int) -> str:
    """Return the folder or hub name of the model that stage `index` starts from, in the run in folder `run`.

    It is the `policy.model` of a stage `eval`; else the model that the last training stage before it wrote, or the
    recipe's model; a tiny one is built first.
    """
    stage = plan.recipe.stages[index]
    if isinstance(stage, EvalStage) and stage.policy is not None and stage.policy.model is not None:
        return _named(stage.policy.model)
    if (written := written_before(plan, run, index)) is not None:
        return str(written)
    model = plan.recipe.model
    if isinstance(model, TinyModel):
        return str(_tiny_model_folder(plan, run, index, model))
    assert model is not None  # a stage that needs a model is refused without one
    return _named(model)


def _named(model: str) -> str:
    return str(expanded(model)) if model.startswith("~") else model


def written_before(plan: Plan, run: Path, index: int) -> Path | None:
    """Return the folder of the last model that a stage before stage `index` wrote; None if there is none."""
    for earlier in range(index - 1, -1, -1):
        written = run / "models" / f"{earlier}-{plan.recipe.stages[earlier].use}"
        if written.is_dir():
            return written
    return None


def _tiny_model_folder(plan: Plan, run: Path, index: int, model: TinyModel) -> Path:
    from safetensors import SafetensorError

    folder = run / "models" / "tiny"
    if not folder.is_dir():
        stages = plan.recipe.stages
        first_sft = next((i for i, s in enumerate(stages) if isinstance(s, SftStage)), index)
        samples = training_samples(plan, first_sft)
        try:
            build_tiny(model, samples, plan.recipe.seed, folder)
        except SafetensorError as error:
            problem = f"stage {index}-{stages[index].use}: the model cannot be written; is the disk full?"
            raise JobError(f"{problem} ({one_line(error, 200)})") from error
    return folder


PAD, END = "<pad>", "<eos>"


def build_tiny(tiny: TinyModel, corpus: Sequence[Sample], seed: int, folder: Path) -> None:
    """Write a random Llama and a byte-level BPE tokenizer, trained on `corpus`, to `folder`, whole or not at all."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    tokenizer = _tokenizer(_texts(corpus), tiny.vocabulary)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=tiny.hidden_size,
        num_hidden_layers=tiny.layers,
        num_attention_heads=tiny.heads,
        num_key_value_heads=tiny.heads,
        intermediate_size=tiny.intermediate_size,
        max_position_embeddings=tiny.context,
        tie_word_embeddings=True,
        initializer_range=0.05,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    with whole_folder(folder) as scratch:
        LlamaForCausalLM(config).save_pretrained(scratch)
        tokenizer.save_pretrained(scratch)


def _texts(corpus: Sequence[Sample]) -> Iterator[str]:
    for sample in corpus:
        yield as_text(sample.prompt) + str(sample.fields.get("response") or sample.fields.get("reference") or "")


def _tokenizer(texts: Iterator[str], vocabulary: int) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    # each digit is a token, so that the model can learn to count; each byte is one, so that it can read any text
    digits = pre_tokenizers.Digits(individual_digits=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[PAD, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        padding_side="left",
        clean_up_tokenization_spaces=False,
    )
