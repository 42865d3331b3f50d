"""The process that holds a reward model and answers conversations with their scores. It is run by path.

Settings: {"model", "max_tokens", "batch_size", "dtype", "trust_remote_code", "label"}. The answer to a question
{"prompt": [message], "response": text} is {"score": float, "cut": tokens} for a model with one output, {"probability":
float, "cut": tokens} for one with labels, or {"error": text}.
"""

import gc
import math
from collections.abc import Sequence

import torch
from rewardlab.workers import require_device
from transformers.utils import logging

from rewardlab_reward_model.conversations import Conversation, Conversations
from rewardlab_reward_model.loading import load_model, load_tokenizer, most_tokens, place_of_label


def build(settings: dict, context: dict) -> "RewardModel":
    """Load the model and return the object that answers the host's questions; an exception says why it cannot."""
    logging.disable_progress_bar()  # the last lines on stderr are for what went wrong
    logging.set_verbosity_error()
    require_device(context["device"])  # before the model is loaded
    return RewardModel(settings, context["device"])


class RewardModel:
    """A sequence classifier on its device; it answers the host's questions."""

    def __init__(self, settings: dict, device: str) -> None:
        self._model = load_model(settings).to(device).eval()
        self._place = place_of_label(self._model.config, settings["label"])
        tokenizer = load_tokenizer(settings, self._model.config)
        self._pads = self._model.config.get_text_config().pad_token_id is not None
        # a model that knows no padding reads the last token of a row, whatever it is
        self._batch_size = settings["batch_size"] if self._pads else 1
        limit = most_tokens(self._model.config, tokenizer, settings["max_tokens"])
        self._conversations = Conversations(tokenizer, limit)
        self._tokenizer = tokenizer

    def answer(self, questions: Sequence[dict]) -> list[dict]:
        """Return one answer for each question, in order; conversations of like length are read together."""
        read = [self._conversations.encode(question["prompt"], question["response"]) for question in questions]
        answers: dict[int, dict] = {
            at: {"error": conversation.error} for at, conversation in enumerate(read) if conversation.error
        }
        order = sorted((at for at in range(len(read)) if at not in answers), key=lambda at: (-len(read[at].ids), at))
        for start in range(0, len(order), self._batch_size):
            batch = order[start : start + self._batch_size]
            answers.update(zip(batch, self._answer_batch([read[at] for at in batch]), strict=True))
        return [answers[at] for at in range(len(read))]

    def _answer_batch(self, batch: list[Conversation]) -> list[dict]:
        """Read the conversations at once; if memory does not suffice, read the halves one after the other."""
        outputs = self._outputs(batch)
        if outputs is not None:
            return [self._answer_one(row, conversation.cut) for row, conversation in zip(outputs, batch, strict=True)]
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        if len(batch) == 1:
            return [{"error": "out of memory; a lower max_tokens would let it fit"}]
        middle = len(batch) // 2
        return self._answer_batch(batch[:middle]) + self._answer_batch(batch[middle:])

    def _outputs(self, batch: list[Conversation]) -> list[list[float]] | None:
        """Return the model's outputs (len(batch), labels); None if memory did not suffice."""
        rows: dict[str, list] = {"input_ids": [conversation.ids for conversation in batch]}
        if batch[0].types is not None:
            rows["token_type_ids"] = [conversation.types for conversation in batch]
        try:
            inputs = self._tokenizer.pad(rows, padding=self._pads, return_tensors="pt").to(self._model.device)
            with torch.inference_mode():
                return self._model(**inputs).logits.float().cpu().tolist()
        except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and not _is_out_of_memory(error):
                raise
            return None

    def _answer_one(self, outputs: list[float], cut: int) -> dict:
        if not all(map(math.isfinite, outputs)):
            return {"error": "the model's output is not finite"}
        if self._place is None:
            return {"score": outputs[0], "cut": cut}
        return {"probability": torch.tensor(outputs).softmax(-1)[self._place].item(), "cut": cut}


def _is_out_of_memory(error: RuntimeError) -> bool:
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)
