"""Prompts as the policy reads them: through its chat template if it has one, otherwise as plain text.

A sample gives the same token ids in supervised training, in reinforcement learning and in evaluation.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from rewardlab import Completion, Message, Sample, Turn
from rewardlab.errors import UserError, one_line
from rewardlab.recipe import Chat

from rewardlab_training.special_tokens import chat_ids, literal_ids


def load_tokenizer(source: str) -> Any:
    """Return the tokenizer in the folder or hub repository `source`, with left padding and a padding token.

    Raises UserError if transformers cannot load it, or if it has no end-of-sequence token.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(source, padding_side="left")
    except Exception as error:  # transformers raises many kinds; all mean that the model cannot be used
        raise UserError(f"model {source!r} has no tokenizer that transformers can load: {one_line(error)}") from error
    if tokenizer.eos_token is None:
        raise UserError(f"model {source!r}: its tokenizer has no end-of-sequence token, so no completion could end")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def ends_of(tokenizer: Any, generation: Any) -> tuple[int, ...]:
    """Return the ids of the tokens that end a completion: the tokenizer's, then those of the generation config."""
    declared = generation.eos_token_id
    if not isinstance(declared, list):
        declared = [] if declared is None else [declared]
    return tuple(dict.fromkeys([tokenizer.eos_token_id, *declared]))


THINK, THOUGHT = "<think>", "</think>"
ANSWER, CALLED = "ANSWER", "called_tool"
TOOLS = Sample(id="tools")


def as_text(prompt: Sequence[Message]) -> str:
    """Return messages as text for a model without a chat template: their contents, each followed by a newline."""
    return "\n".join(message["content"] for message in prompt) + "\n"


def _calling(name: str) -> list[Turn]:
    """Return a conversation that ends with the call of a tool."""
    calls = [{"type": "function", "function": {"name": name, "arguments": {}}}]
    return [{"role": "user", "content": "?"}, {"role": "assistant", "content": "", "tool_calls": calls}]


class PromptFormat:
    """The format of one stage's prompts: it turns samples into token ids, and token ids into `Completion.text`.

    Args:
        ends: the ids of the tokens that end a completion.
        stop: texts that do.
        tools: JSON schemas of what the policy may call, for the chat template. A chat template in the recipe
            becomes the tokenizer's own and is saved with it.

    Raises UserError if the recipe gives variables that no template reads.
    """

    def __init__(
        self,
        tokenizer: Any,
        chat: Chat,
        ends: Sequence[int],
        stop: Sequence[str] = (),
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        if chat.template is not None:
            tokenizer.chat_template = chat.template
        self._tokenizer = tokenizer
        self._system = chat.system
        self._ends, self._stop = ends, stop
        self._is_chat = tokenizer.chat_template is not None
        if chat.variables and not self._is_chat:
            given = "chat.thinking" if chat.thinking is not None else "chat.arguments"
            raise UserError(f"{given} is an option of chat templates, and the model has none; set chat.template")
        for name in chat.arguments:
            if name not in str(tokenizer.chat_template):
                raise UserError(f"chat.arguments: the model's chat template reads nothing that is called {name!r}")
        self._options = {**chat.variables, **({"tools": list(tools)} if tools else {})}
        self._ending: list[int] | None = None

    def text(self, sample: Sample) -> str:
        """Return the prompt's text, up to where the policy continues. Raises UserError if the template fails on it."""
        messages = self.messages(sample)
        return self._render(sample, messages, add_generation_prompt=True) if self._is_chat else as_text(messages)

    def tokens(self, text: str) -> list[int]:
        """Return the token ids of a prompt's text, as `text` returns it."""
        # a chat template writes its own special tokens
        ids: list[int] = self._tokenizer(text, add_special_tokens=not self._is_chat)["input_ids"]
        return ids if self._is_chat else self._to_be_continued(ids)

    def quoting_tokens(self, sample: Sample) -> list[int]:
        """Return the token ids of a prompt that quotes what a policy wrote: of special tokens, only the template's.

        Raises UserError as `text` does.
        """
        messages = self.messages(sample)
        if not self._is_chat:
            ids: list[int] = literal_ids(self._tokenizer, as_text(messages))["input_ids"]
            return self._to_be_continued(ids)
        return chat_ids(self._tokenizer, messages, partial(self._render, sample, add_generation_prompt=True))

    def tokens_of_results(self, results: Sequence[Turn]) -> list[int]:
        """Return the token ids from the end of a turn that calls tools to where the policy continues.

        The first of them is the end itself. Of special tokens, the results have none: only the template's are such.
        Raises UserError if the template fails, or ends such a turn with no token that ends a completion.
        """
        known = {tool["function"]["name"] for tool in self._options.get("tools", ())}
        named = [{**result, "name": result["name"] if result["name"] in known else CALLED} for result in results]
        messages = [*_calling(named[0]["name"]), *named]
        ids = chat_ids(self._tokenizer, messages, partial(self._render, TOOLS, add_generation_prompt=True))
        # not what begins alike: a template may show the reasoning of a last turn alone
        ends = self._places_of_ends(ids)[self._ends_before_a_call :]
        if not ends:
            raise UserError("the chat template ends a turn that calls tools with no token that ends a completion")
        return ids[ends[0] :]

    @cached_property
    def _ends_before_a_call(self) -> int:
        """The number of ends in a conversation up to where its last turn calls a tool."""
        before, _, _ = self._render(TOOLS, _calling(CALLED), add_generation_prompt=False).rpartition(CALLED)
        return len(self._places_of_ends(self._tokenizer(before, add_special_tokens=False)["input_ids"]))

    def _places_of_ends(self, ids: Sequence[int]) -> list[int]:
        return [place for place, token in enumerate(ids) if token in self._ends]

    def _to_be_continued(self, ids: list[int]) -> list[int]:
        """Return the ids of a text that the policy is to continue: some tokenizers end every text."""
        return ids[:-1] if ids and ids[-1] == self._tokenizer.eos_token_id else ids

    def plain(self, text: str) -> str:
        """Return a prompt's text for engines that add no special tokens; they get the same ids as `tokens` returns.

        Raises UserError if the tokenizer adds tokens that no text stands for.
        """
        wanted = self.tokens(text)
        for candidate in (text, (self._tokenizer.bos_token or "") + text):
            if self._tokenizer(candidate, add_special_tokens=False)["input_ids"] == wanted:
                return candidate
        raise UserError(f"the model's tokenizer reads {text[:60]!r} with tokens that no text stands for")

    def answer(self, sample: Sample, response: str) -> list[int]:
        """Return the token ids that the policy is to write after the prompt: `response` and the end of an answer.

        If the template has opened `<think>` and `response` begins with it, too, it is not repeated. Raises UserError
        if the template has opened `<think>` and `response` has no reasoning.
        """
        text = self._response_after_prompt(sample, response)
        return [*self._tokenizer(text, add_special_tokens=False)["input_ids"], *self._end(sample)]

    def answer_text(self, sample: Sample, response: str) -> str:
        """Return the text of `answer`, for engines that read texts; it ends with the tokenizer's end-of-sequence token.

        Raises UserError as `answer` does.
        """
        end: str = self._tokenizer.decode(self._end(sample), clean_up_tokenization_spaces=False)
        eos: str = self._tokenizer.eos_token
        return self._response_after_prompt(sample, response) + end + ("" if end.endswith(eos) else eos)

    def _response_after_prompt(self, sample: Sample, response: str) -> str:
        """Return `response` without the `<think>` that the prompt ends with."""
        if opened := self.opened(self.text(sample)):
            if THOUGHT not in response:
                raise UserError(
                    f"the chat template opens {THINK}, but the response of {sample.id!r} has no {THOUGHT}; "
                    "set chat.thinking to false, or chat.template, or train on responses with reasoning"
                )
            for copy in (opened, THINK):
                if response.startswith(copy):
                    return response[len(copy) :]
        return response

    def completions(self, prompts: Sequence[str], completion_ids: Sequence[Sequence[int]]) -> list[Completion]:
        """Return a completion for each prompt's text and the ids that follow it, at least one each.

        Its text ends with the first stop text, if there is one: the last token may have more than that.
        """
        made = []
        for prompt, text, ids in zip(prompts, self.decode(completion_ids), completion_ids, strict=True):
            end = min((text.index(stop) + len(stop) for stop in self._stop if stop in text), default=None)
            truncated = end is None and ids[-1] not in self._ends
            made.append(Completion(text=self.opened(prompt) + text[:end], token_count=len(ids), truncated=truncated))
        return made

    def fitting(
        self,
        samples: Sequence[Sample],
        context: int | None,
        max_new_tokens: int,
        max_prompt_tokens: int | None,
        where: str,
        say: Callable[[str], None],
    ) -> Sequence[Sample]:
        """Return the samples whose prompts fit, in their order: those not longer than either limit, in tokens.

        The limits are `max_prompt_tokens`, and the model's `context` less `max_new_tokens`; None means no limit. `say`
        gets a line with the number of samples left out. Raises UserError, which names the stage at `where`, if none is
        left.
        """
        room = None if context is None else context - max_new_tokens
        most = min((limit for limit in (room, max_prompt_tokens) if limit is not None), default=None)
        if most is None:
            return samples
        why = f"{most} tokens"
        if most == room:
            why += f" (the model's context of {context} less max_new_tokens, {max_new_tokens})"
        kept = [sample for sample in samples if len(self.tokens(self.text(sample))) <= most]
        if not kept:
            raise UserError(f"all {len(samples)} prompts are longer than {why}", where=where)
        if len(kept) < len(samples):
            say(f"left out {len(samples) - len(kept)} of {len(samples)} prompts longer than {why}")
        return kept

    def decode(self, completion_ids: Sequence[Sequence[int]]) -> list[str]:
        """Return the text of each completion, without the special tokens that end and pad it."""
        texts: list[str] = self._tokenizer.batch_decode(
            [list(ids) for ids in completion_ids],
            skip_special_tokens=True,
            clean_up_tokenization_spaces=False,
        )
        return texts

    def opened(self, text: str) -> str:
        """Return the `<think>` and white space at the end of a prompt's text, which begin the completion; else ""."""
        return text[text.rindex(THINK) :] if self._is_chat and text.rstrip().endswith(THINK) else ""

    def messages(self, sample: Sample) -> list[Message]:
        """Return a prompt's messages, with the recipe's system message before those that have none."""
        messages: list[Message] = [{**message} for message in sample.prompt]
        if self._system is not None and all(message["role"] != "system" for message in messages):
            messages.insert(0, {"role": "system", "content": self._system})
        return messages

    def _render(self, sample: Sample, messages: Sequence[Turn], add_generation_prompt: bool) -> str:
        try:
            text: str = self._tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=add_generation_prompt, **self._options
            )
        except Exception as error:  # a chat template can raise anything
            raise UserError(f"the chat template fails on sample {sample.id!r}: {one_line(error)}") from error
        return text

    def _end(self, sample: Sample) -> list[int]:
        """Return the ids that the template puts after an answer, up to a token that ends it, or only such a token."""
        if self._ending is None:
            self._ending = [self._tokenizer.eos_token_id]
            messages: list[Message] = [*self.messages(sample), {"role": "assistant", "content": ANSWER}]
            text = self._render(sample, messages, add_generation_prompt=False) if self._is_chat else ""
            _, answer, rest = text.rpartition(ANSWER)
            ids = self._tokenizer(rest, add_special_tokens=False)["input_ids"] if answer else []
            ends = [position for position, token in enumerate(ids) if token in self._ends]
            if ends:
                self._ending = ids[: ends[0] + 1]
        return self._ending
