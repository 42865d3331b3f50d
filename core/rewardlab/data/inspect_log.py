"""The log of an evaluation of inspect_ai, as rows to score.

A log (`.json`, or `.eval`, a zip of one JSON for each sample) has `eval`, which says the task and its arguments, and
samples: `id`, `epoch`, `messages`, `target`, `metadata`, `output`. Source: inspect_ai/log/_log.py and
inspect_ai/log/_recorders, version 0.3.285.
"""

import json
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rewardlab.data.log_form import LogForm, fields_of_name, own_columns
from rewardlab.errors import Problem, UserError, nearest

SUFFIXES = (".eval", ".json")
CUT_OFF = ("max_tokens", "model_length")
"""stop reasons of a text that the limit on tokens ended"""
ATTACHED = "attachment://"
ZSTD = "its parts are compressed by zstd, which Python reads from 3.14 on: pip install 'rewardlab[zstd]'"
MAX_LOG = 4 << 30
"""bytes of a log's parts, unpacked, that are read: a zip of a megabyte can hold what no memory does"""
CHUNK = 1 << 20


def inspect_rows(path: str, form: LogForm) -> Iterator[dict[str, Any] | Problem]:
    """Yield a row, or what is wrong with a sample, for each question of a log, whose epochs are its completions.

    A row has `prompt` (the messages before the model's last), `completions`, `answer`, `task`, `problem` (the sample's
    id), the task's arguments, the sample's metadata and `choices`. Raises UserError for a file that is no such log.
    """
    if form.filter is not None or form.read != "resps":
        raise UserError("inspect_ai logs no filters; leave out --filter and --filtered", where=path)
    log, samples = _read(path)
    named = fields_of_name(path, form.name)
    task = str(log.get("task", Path(path).stem))
    always = {
        name: value for name, value in (log.get("task_args") or {}).items() if isinstance(value, (str, int, float))
    }
    prefix = "/".join(named.values()) or task
    questions: dict[str, list[Mapping[str, Any]]] = {}
    for sample in samples:
        questions.setdefault(str(sample.get("id")), []).append(sample)
    for id, epochs in questions.items():
        try:
            row = _row(sorted(epochs, key=lambda one: one.get("epoch", 1)), form)
        except ValueError as error:
            yield Problem(where=f"{path}: sample {id}", what=str(error))
        else:
            yield {"task": task, **own_columns(always, "task_"), **row, **named, **form.fields, "id": f"{prefix}/{id}"}


def _read(path: str) -> tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]:
    """Return (what the log says of its evaluation, its samples)."""
    try:
        log = json.loads(Path(path).read_bytes()) if path.endswith(".json") else _unzipped(path)
        if isinstance(log["eval"], dict) and all(isinstance(sample, dict) for sample in log["samples"]):
            return log["eval"], log["samples"]
        raise ValueError
    except NotImplementedError:
        raise UserError(ZSTD, where=path) from None
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror or error}", where=path) from None
    except (ValueError, LookupError, TypeError):
        raise UserError("is no log of inspect_ai: no evaluation with its samples", where=path) from None


def _unzipped(path: str) -> Mapping[str, Any]:
    try:
        with _zip_library().ZipFile(path) as parts:
            names = [name for name in parts.namelist() if name.startswith("samples/")]
            read = _Parts(parts, path)
            return {"eval": read.part("header.json")["eval"], "samples": [read.part(name) for name in names]}
    except (UserError, OSError, MemoryError, NotImplementedError):
        raise
    except Exception as error:  # a broken zip, of which each library and each way of packing has an error of its own
        raise ValueError(str(error)) from None


def _zip_library() -> Any:
    """Return the module that reads zips: the standard library's, which knows zstd from 3.14 on, or backports.zstd's."""
    if sys.version_info < (3, 14):
        try:
            import backports.zstd.zipfile

            return backports.zstd.zipfile
        except ImportError:
            pass
    return zipfile


class _Parts:
    """The parts of a log, of which no more than MAX_LOG bytes are unpacked, whatever sizes the zip states."""

    def __init__(self, parts: zipfile.ZipFile, path: str):
        self._parts, self._path, self._left = parts, path, MAX_LOG

    def part(self, name: str) -> Any:
        """Return a part's JSON. A UserError where the log is too large."""
        content = bytearray()
        with self._parts.open(name) as file:
            while chunk := file.read(CHUNK):
                content += chunk
                self._left -= len(chunk)
                if self._left < 0:
                    what = f"holds more than {MAX_LOG >> 20:,} MB, unpacked, and is not read"
                    raise UserError(f"{what}; evaluate fewer samples in one log", where=self._path)
        return json.loads(content)


def _row(epochs: Sequence[Mapping[str, Any]], form: LogForm) -> dict[str, Any]:
    first, metadata = epochs[0], epochs[0].get("metadata") or {}
    if form.gold is not None and metadata.get(form.gold) is None:
        raise ValueError(f"its metadata have no {form.gold!r}{nearest(form.gold, metadata)}")
    prompts = [_prompt(sample) for sample in epochs]
    if any(prompt != prompts[0] for prompt in prompts):
        raise ValueError("its epochs were asked different things; the model wrote more than one message of each")
    row = own_columns(metadata, "metadata_")
    if first.get("choices"):
        row["choices"] = first["choices"]
    gold = first.get("target") if form.gold is None else metadata[form.gold]
    row["problem"] = str(first.get("id"))
    return {**row, "prompt": prompts[0], "completions": [_completion(sample) for sample in epochs], "answer": gold}


def _prompt(sample: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the messages before the model's last one."""
    messages = sample.get("messages") or []
    last = max((at for at, one in enumerate(messages) if one.get("role") == "assistant"), default=len(messages))
    return [{"role": str(one.get("role")), "content": _text(one.get("content"), sample)} for one in messages[:last]]


def _completion(sample: Mapping[str, Any]) -> dict[str, Any]:
    epoch = sample.get("epoch", 1)
    if error := sample.get("error"):
        raise ValueError(f"epoch {epoch} ended with an error: {str(error.get('message', error))[:120]}")
    output = sample.get("output") or {}
    choices = output.get("choices") or []
    if not choices:
        raise ValueError(f"epoch {epoch} has no output of a model")
    text = _text(choices[0].get("message", {}).get("content"), sample)
    found: dict[str, Any] = {"text": text, "truncated": choices[0].get("stop_reason") in CUT_OFF}
    if (tokens := (output.get("usage") or {}).get("output_tokens")) is not None:
        found["token_count"] = tokens
    return found


def _text(content: Any, sample: Mapping[str, Any]) -> str:
    """Return the text of a message; a list has parts, of which the model's reasoning is none of its answer."""
    if isinstance(content, list):
        other = [str(part.get("type")) for part in content if part.get("type") not in ("text", "reasoning")]
        if other:
            raise ValueError(f"a message has {', '.join(sorted(set(other)))}, and not only text")
        content = "\n".join(_text(part.get("text"), sample) for part in content if part.get("type") == "text")
    if not isinstance(content, str):
        raise ValueError(f"a message has no text, but {str(content)[:80]}")
    if content.startswith(ATTACHED):  # long texts stand beside the messages
        return str((sample.get("attachments") or {}).get(content.removeprefix(ATTACHED), content))
    return content
