"""The process that holds an embedding model and answers pairs of texts with their cosine. Run by path.

Settings: {"model", "max_tokens", "batch_size", "dtype", "trust_remote_code"}. A question
{"a": text, "b": text} is answered by {"cosine": float, "cut": [tokens lost of a, of b]} or {"error", "of": "a" | "b"}.
Embeddings never leave the process.
"""

import gc
import unicodedata
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from transformers.utils import logging

from rewardlab_embed.device import usable
from rewardlab_embed.hub import cached, refusal

KEPT_BYTES = 256 << 20
"""of embeddings that are kept: references come again in every group and every step"""


def build(settings: dict, context: dict) -> "Pairs":
    """The object that the host asks; an exception says why there is none."""
    return Pairs(Embedder(settings, context["device"]))


class Pairs:
    """Cosines of pairs."""

    def __init__(self, embedder: "Embedder"):
        self._embedder = embedder

    def answer(self, questions: Sequence[dict]) -> list[dict]:
        """One answer a question, in order; no text of them is embedded twice."""
        texts = [question[side] for question in questions for side in "ab"]
        sides = iter(self._embedder.embed(texts))
        return [_answer(a, b) for a, b in zip(sides, sides, strict=True)]


def _answer(a: "Embedded", b: "Embedded") -> dict:
    if a.vector is None:
        return {"error": a.error, "of": "a"}
    if b.vector is None:
        return {"error": b.error, "of": "b"}
    # rounding may lead a text's cosine with itself over 1
    return {"cosine": max(-1.0, min(1.0, float(np.dot(a.vector, b.vector)))), "cut": [a.cut, b.cut]}


@dataclass(frozen=True, slots=True)
class Embedded:
    """vector: float32, of length 1; None where `error` says why there is none. cut: tokens over the model's limit."""

    vector: np.ndarray | None = None
    cut: int = 0
    error: str | None = None


class Embedder:
    """A sentence-transformers model, without instructions: both sides of a pair are embedded alike."""

    def __init__(self, settings: dict, device: str):
        logging.disable_progress_bar()  # the last lines on stderr are for what went wrong
        logging.set_verbosity_error()  # texts over the limit are counted, not warned of
        self._batch_size = settings["batch_size"]
        self.model = _loaded(settings, usable(device)).eval()
        self._wrapped = bool({"image", "audio", "video"}.intersection(self.model.modalities))
        self.limit = _limit(self.model, settings["max_tokens"])
        """Tokens that the model reads, with those that it adds itself; None where nothing bounds them."""
        self._added = self._tokens("a") if self.limit is not None else 0
        self._kept = _Kept(KEPT_BYTES)

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """One for each text, in order. Equal texts are embedded once, those of like length together."""
        keys = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
        named = dict(zip(keys, texts, strict=True))
        found = {key: known for key in named if (known := self._kept.get(key)) is not None}
        missing = sorted(named.keys() - found.keys(), key=lambda key: (-len(named[key]), key))
        for start in range(0, len(missing), self._batch_size):
            batch = missing[start : start + self._batch_size]
            made = self._embed_batch([_readable(named[key]) for key in batch])
            found.update(zip(batch, made, strict=True))
        self._kept.put((key, found[key]) for key in missing)
        return [found[key] for key in keys]

    def _embed_batch(self, texts: list[str]) -> list[Embedded]:
        """Without room for all of them, the halves one after the other."""
        vectors = self._vectors(texts)
        if vectors is not None:
            return [_checked(vector, self._cut(text)) for vector, text in zip(vectors, texts, strict=True)]
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        if len(texts) == 1:
            return [Embedded(error="out of memory; a lower max_tokens would let it fit")]
        middle = len(texts) // 2
        return self._embed_batch(texts[:middle]) + self._embed_batch(texts[middle:])

    def _vectors(self, texts: list[str]) -> np.ndarray | None:
        """(len(texts), dimension), float32; None where there was no room. In a function of its own, so that what
        the failed try holds is free before the next one."""
        try:
            found = self.model.encode(
                [self._input(text) for text in texts],
                prompt="",  # not the model's default prompt
                batch_size=len(texts),
                convert_to_tensor=True,
                show_progress_bar=False,
            )
            return found.float().cpu().numpy()
        except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and not _is_out_of_memory(error):
                raise
            return None

    def _input(self, text: str) -> str | dict[str, str]:
        """A model that also sees would fetch a text that is a picture's address; as a dict it is a text."""
        return {"text": text} if self._wrapped else text

    def _cut(self, text: str) -> int:
        if self.limit is None or _most_tokens(text) + self._added <= self.limit:
            return 0
        return max(0, self._tokens(text) - self.limit)

    def _tokens(self, text: str) -> int:
        """As the model itself counts them before it cuts, with those that it adds."""
        whole = {"text": {"truncation": False}}
        return self.model.preprocess([self._input(text)], prompt="", processing_kwargs=whole)["input_ids"].shape[-1]


def _loaded(settings: dict, device: str) -> SentenceTransformer:
    """From a folder, or from the cache without asking the hub; what the cache lacks comes from the hub."""
    name = settings["model"]
    if "/" not in name:
        name = f"sentence-transformers/{name}"  # as the library has it

    def load(*, local: bool) -> SentenceTransformer:
        return SentenceTransformer(
            name,
            device=device,
            trust_remote_code=settings["trust_remote_code"],
            local_files_only=local,
            model_kwargs={"dtype": settings["dtype"]},
        )

    if Path(name).is_dir():
        return load(local=True)
    if cached(name):
        with suppress(OSError):  # a file that is not in the cache
            return load(local=True)
    try:
        return load(local=False)
    except OSError as error:
        raise refusal(name, error) from error


def _limit(model: SentenceTransformer, wanted: int | None) -> int | None:
    own = [bound for bound in (model.max_seq_length, _positions(model)) if bound is not None and bound < 1 << 30]
    limit = min(own) if own else None
    if wanted is not None:
        if limit is None:
            raise ValueError("max_tokens: this model has no limit to lower; leave it out")
        if wanted > limit:
            raise ValueError(f"max_tokens {wanted}: this model reads at most {limit} tokens")
        limit = wanted
    if limit is not None and limit != model.max_seq_length:
        model.max_seq_length = limit
    return limit


def _positions(model: SentenceTransformer) -> int | None:
    """Positions that the transformer has; in the family of RoBERTa those up to the padding's stay unused."""
    if model.config is None:
        return None
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    for module in model.modules():
        table, padding = getattr(module, "position_embeddings", None), getattr(module, "padding_idx", None)
        if positions and isinstance(table, torch.nn.Embedding) and isinstance(padding, int):
            return positions - padding - 1
    return positions


def _most_tokens(text: str) -> int:
    """No tokenizer makes more of it: a token has a byte at least, of the text as it normalises it."""
    if text.isascii():
        return len(text) + 1  # one that opens the text
    longest = unicodedata.normalize("NFKD", text.lower())
    return max(len(text.encode()), len(longest.encode())) + 1


def _readable(text: str) -> str:
    """Lone surrogates, which no tokenizer takes, become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _checked(vector: np.ndarray, cut: int) -> Embedded:
    if not np.isfinite(vector).all():
        return Embedded(error="its embedding is not finite", cut=cut)
    length = np.linalg.norm(vector)
    if not length > 0:
        return Embedded(error="its embedding is zero, which is near to nothing", cut=cut)
    return Embedded(vector=vector / length, cut=cut)


def _is_out_of_memory(error: RuntimeError) -> bool:
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)


class _Kept:
    """The embeddings used last, up to a number of bytes. Failures are not kept: memory may be there next time."""

    def __init__(self, most: int):
        self._most, self._bytes = most, 0
        self._by_key: OrderedDict[bytes, Embedded] = OrderedDict()

    def get(self, key: bytes) -> Embedded | None:
        if key in self._by_key:
            self._by_key.move_to_end(key)
        return self._by_key.get(key)

    def put(self, found: Iterable[tuple[bytes, Embedded]]) -> None:
        for key, embedded in found:
            if embedded.vector is not None:
                self._by_key[key] = embedded
                self._bytes += embedded.vector.nbytes
        while self._bytes > self._most:
            _, oldest = self._by_key.popitem(last=False)
            assert oldest.vector is not None  # no other is kept
            self._bytes -= oldest.vector.nbytes
