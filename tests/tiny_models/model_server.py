"""A small causal language model on the CPU as an OpenAI-compatible server, for judges that were trained here.

    python tests/tiny_models/model_server.py FOLDER [--port 8767]

FOLDER is a model with its tokenizer, such as runs/r3-miniature-.../models/1-sft. Questions that wait are answered
together, as vLLM does in the large; temperature, max_tokens and seed count, other parameters do not. A real GPU wants a
real server: this one is for models of some million weights.
"""

import argparse
import queue
import sys
import threading
from concurrent.futures import Future
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from chat_server import ChatServer, serve_until_interrupted

PORT = 8767
MAX_BATCH = 64
"""questions that are answered together"""
GATHER_S = 0.02
"""how long the first of a batch waits for others"""


class Generator:
    """A model and the thread that answers for it, batch by batch."""

    def __init__(self, folder, largest_batch=MAX_BATCH):
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self._tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left")
        self._model = AutoModelForCausalLM.from_pretrained(folder).eval()
        self._largest_batch = largest_batch
        self._waiting = queue.SimpleQueue()
        threading.Thread(target=self._answer_for_ever, daemon=True).start()

    def reply(self, request):
        """The text of the model's answer to a chat request. ValueError of one that it cannot read."""
        messages = [{"role": message["role"], "content": message["content"]} for message in request["messages"]]
        prompt = self._prompt(messages)
        how = (float(request.get("temperature") or 0), int(request.get("max_tokens") or 128), request.get("seed") or 0)
        answer = Future()
        self._waiting.put((how, prompt, answer))
        return answer.result()

    def _prompt(self, messages):
        if self._tokenizer.chat_template is None:  # as vLLM would not: a model before its training can be asked, too
            return "\n\n".join(message["content"] for message in messages)
        return self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)

    def _answer_for_ever(self):
        while True:
            batch = sorted(self._batch(), key=lambda asked: asked[0])
            for how, asked in groupby(batch, key=lambda asked: asked[0]):
                _, prompts, answers = zip(*asked, strict=True)
                try:
                    texts = self._generate(list(prompts), *how)
                except Exception as error:  # whoever asked is told; the next batch may be better
                    for answer in answers:
                        answer.set_exception(error)
                    continue
                for answer, text in zip(answers, texts, strict=True):
                    answer.set_result(text)

    def _batch(self):
        """Those that wait; the first is waited for."""
        batch = [self._waiting.get()]
        while len(batch) < self._largest_batch:
            try:
                batch.append(self._waiting.get(timeout=GATHER_S))
            except queue.Empty:
                break
        return batch

    def _generate(self, prompts, temperature, max_tokens, seed):
        import torch

        inputs = self._tokenizer(prompts, return_tensors="pt", padding=True, add_special_tokens=False)
        how = {"do_sample": True, "temperature": temperature} if temperature else {"do_sample": False}
        torch.manual_seed(seed)
        with torch.inference_mode():
            written = self._model.generate(**inputs, max_new_tokens=max_tokens, **how)
        return self._tokenizer.batch_decode(written[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)


class Server(ChatServer):
    """The server of a folder's model."""

    def __init__(self, folder, port=0):
        super().__init__(Generator(folder).reply, port)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=PORT)
    given = parser.parse_args()
    serve_until_interrupted(Server(given.folder, given.port), given.folder.name)


if __name__ == "__main__":
    main()
