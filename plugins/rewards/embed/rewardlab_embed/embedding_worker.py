"""The process that holds an embedding model and answers pairs of texts with their cosine. It is run by path.

Settings: {"model", "max_tokens", "batch_size", "dtype", "trust_remote_code"}. The answer to a question
{"a": text, "b": text} is {"cosine": float, "cut": [tokens lost of a, of b]} or {"error", "of": "a" | "b"}.
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
from rewardlab.workers import require_device
from sentence_transformers import SentenceTransformer
from transformers.utils import logging

from rewardlab_embed.hub import cached_folder, model_error

KEPT_BYTES = 256 << 20
"""bytes of embeddings that are kept: references come again in every group and every step"""


def build(settings: dict, context: dict) -> "PairCosines":
    """Load the model and return the object that answers the host's questions; an exception says why it cannot."""
    return PairCosines(Embedder(settings, context["device"]))


class PairCosines:
    """The cosines of pairs of texts; it answers the host's questions."""

    def __init__(self, embedder: "Embedder") -> None:
        self._embedder = embedder

    def answer(self, questions: Sequence[dict]) -> list[dict]:
        """Return one answer for each question, in order; no text is embedded twice."""
        texts = [question[side] for question in questions for side in "ab"]
        sides = iter(self._embedder.embed(texts))
        return [_answer(a, b) for a, b in zip(sides, sides, strict=True)]


def _answer(a: "Embedding", b: "Embedding") -> dict:
    if a.vector is None:
        return {"error": a.error, "of": "a"}
    if b.vector is None:
        return {"error": b.error, "of": "b"}
    # rounding may bring a text's cosine with itself above 1
    return {"cosine": max(-1.0, min(1.0, float(np.dot(a.vector, b.vector)))), "cut": [a.cut, b.cut]}


@dataclass(frozen=True, slots=True)
class Embedding:
    """The embedding of a text.

    Args:
        vector: float32, of length 1; None if `error` says why there is none.
        cut: tokens over the model's limit.
    """

    vector: np.ndarray | None = None
    cut: int = 0
    error: str | None = None


class Embedder:
    """A sentence-transformers model, without instructions: both sides of a pair are embedded alike."""

    def __init__(self, settings: dict, device: str) -> None:
        logging.disable_progress_bar()  # the last lines on stderr are for what went wrong
        logging.set_verbosity_error()  # texts over the limit are counted instead of warned about
        require_device(device)  # before the model is loaded
        self._batch_size = settings["batch_size"]
        self.model = _load(settings, device).eval()
        self._multimodal = bool({"image", "audio", "video"}.intersection(self.model.modalities))
        self.limit = _limit(self.model, settings["max_tokens"])
        """Tokens that the model reads, with those that it adds itself; None if nothing bounds them."""
        self._added = self._count_tokens("a") if self.limit is not None else 0
        self._cache = _EmbeddingCache(KEPT_BYTES)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return one embedding for each text, in order.

        Equal texts are embedded once, and texts of like length together.
        """
        keys = [blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
        by_key = dict(zip(keys, texts, strict=True))
        embedded = {key: known for key in by_key if (known := self._cache.get(key)) is not None}
        missing = sorted(by_key.keys() - embedded.keys(), key=lambda key: (-len(by_key[key]), key))
        for start in range(0, len(missing), self._batch_size):
            batch = missing[start : start + self._batch_size]
            embeddings = self._embed_batch([_encodable(by_key[key]) for key in batch])
            embedded.update(zip(batch, embeddings, strict=True))
        self._cache.put((key, embedded[key]) for key in missing)
        return [embedded[key] for key in keys]

    def _embed_batch(self, texts: list[str]) -> list[Embedding]:
        """Embed the texts at once; if memory does not suffice, embed the halves one after the other."""
        vectors = self._vectors(texts)
        if vectors is not None:
            return [_normalized(vector, self._lost(text)) for vector, text in zip(vectors, texts, strict=True)]
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        if len(texts) == 1:
            return [Embedding(error="out of memory; a lower max_tokens would let it fit")]
        middle = len(texts) // 2
        return self._embed_batch(texts[:middle]) + self._embed_batch(texts[middle:])

    def _vectors(self, texts: list[str]) -> np.ndarray | None:
        """Return the vectors (len(texts), dimension), float32; None if memory did not suffice.

        This is a function of its own, so that whatever a failed try holds is freed before the next one.
        """
        try:
            vectors = self.model.encode(
                [self._input(text) for text in texts],
                prompt="",  # not the model's default prompt
                batch_size=len(texts),
                convert_to_tensor=True,
                show_progress_bar=False,
            )
            return vectors.float().cpu().numpy()
        except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and not _is_out_of_memory(error):
                raise
            return None

    def _input(self, text: str) -> str | dict[str, str]:
        """Return the text as the model's input.

        A multimodal model would fetch a text that is the address of a picture; in a dict it stays a text.
        """
        return {"text": text} if self._multimodal else text

    def _lost(self, text: str) -> int:
        """Return how many tokens of the text are over the limit."""
        if self.limit is None or _most_tokens(text) + self._added <= self.limit:
            return 0
        return max(0, self._count_tokens(text) - self.limit)

    def _count_tokens(self, text: str) -> int:
        """Return the tokens of the text as the model counts them before it cuts, with those that it adds."""
        whole = {"text": {"truncation": False}}
        return self.model.preprocess([self._input(text)], prompt="", processing_kwargs=whole)["input_ids"].shape[-1]


def _load(settings: dict, device: str) -> SentenceTransformer:
    """Load the model from a folder, or from the cache without asking the hub, or else from the hub."""
    name = settings["model"]
    if "/" not in name:
        name = f"sentence-transformers/{name}"  # as the library does

    def load(model: str, *, local: bool) -> SentenceTransformer:
        return SentenceTransformer(
            model,
            device=device,
            trust_remote_code=settings["trust_remote_code"],
            local_files_only=local,
            model_kwargs={"dtype": settings["dtype"]},
        )

    if Path(name).is_dir():
        return load(name, local=True)
    if (folder := cached_folder(name)) is not None:
        with suppress(OSError):  # a file that is not in the cache
            # by its folder: by the name transformers asks the hub for adapters, whatever local_files_only says
            return load(folder, local=True)
    try:
        return load(name, local=False)
    except OSError as error:
        raise model_error(name, error) from error


def _limit(model: SentenceTransformer, wanted: int | None) -> int | None:
    """Return the most tokens that the model reads, lowered to `wanted`, and set the model to it."""
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
    """Return how many positions the transformer uses; the RoBERTa family leaves those up to the padding's unused."""
    if model.config is None:
        return None
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    for module in model.modules():
        table, padding = getattr(module, "position_embeddings", None), getattr(module, "padding_idx", None)
        if positions and isinstance(table, torch.nn.Embedding) and isinstance(padding, int):
            return positions - padding - 1
    return positions


def _most_tokens(text: str) -> int:
    """Return an upper bound for the tokens of a text: each has at least one byte of the text as it is normalised."""
    if text.isascii():
        return len(text) + 1  # one that opens the text
    longest = unicodedata.normalize("NFKD", text.lower())
    return max(len(text.encode()), len(longest.encode())) + 1


def _encodable(text: str) -> str:
    """Return the text with U+FFFD in place of lone surrogates, which no tokenizer takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _normalized(vector: np.ndarray, cut: int) -> Embedding:
    if not np.isfinite(vector).all():
        return Embedding(error="its embedding is not finite", cut=cut)
    length = np.linalg.norm(vector)
    if not length > 0:
        return Embedding(error="its embedding is zero, which is near to nothing", cut=cut)
    return Embedding(vector=vector / length, cut=cut)


def _is_out_of_memory(error: RuntimeError) -> bool:
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)


class _EmbeddingCache:
    """A cache of the embeddings used last, up to a number of bytes.

    Failures are not kept: next time there may be enough memory.
    """

    def __init__(self, most: int) -> None:
        self._most, self._bytes = most, 0
        self._by_key: OrderedDict[bytes, Embedding] = OrderedDict()

    def get(self, key: bytes) -> Embedding | None:
        if key in self._by_key:
            self._by_key.move_to_end(key)
        return self._by_key.get(key)

    def put(self, embeddings: Iterable[tuple[bytes, Embedding]]) -> None:
        for key, embedding in embeddings:
            if embedding.vector is not None:
                self._by_key[key] = embedding
                self._bytes += embedding.vector.nbytes
        while self._bytes > self._most:
            _, oldest = self._by_key.popitem(last=False)
            assert oldest.vector is not None  # others are not kept
            self._bytes -= oldest.vector.nbytes
