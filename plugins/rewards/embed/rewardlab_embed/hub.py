"""Look for a sentence-transformers model by its name on the hub: in this machine's cache, or on the hub, once."""

from collections.abc import Iterator
from pathlib import Path

from huggingface_hub import HfApi, hf_hub_download
from huggingface_hub.errors import LocalEntryNotFoundError

MODULES = "modules.json"
SECONDS = 20.0
"""seconds that the hub's first answer may take"""


class ModelError(Exception):
    """A model that does not exist, or is not a sentence-transformers model; the message is one sentence."""


def cached_folder(name: str) -> str | None:
    """Return the model's folder in the cache; None if only the hub has it. Raises ModelError if neither has it."""
    try:
        return str(Path(hf_hub_download(name, MODULES, local_files_only=True)).parent)
    except LocalEntryNotFoundError:
        _require_on_hub(name)
        return None


def _require_on_hub(name: str) -> None:
    try:
        files = {file.rfilename for file in HfApi().model_info(name, timeout=SECONDS).siblings or ()}
    except Exception as error:
        raise model_error(name, error) from error
    if MODULES not in files:
        raise ModelError(f"model {name!r} has no {MODULES} on the hub: it is not a sentence-transformers model")


def model_error(name: str, error: BaseException) -> ModelError:
    """Return the error about a model that could not be had from the hub, from the exception that says so."""
    status = next((status for cause in _chain(error) if (status := _status(cause)) is not None), None)
    folder = "" if Path(name).exists() else f"; nor is there a folder of that name below {Path.cwd()}"
    if status in (401, 403):
        return ModelError(
            f"the hub refuses model {name!r} (HTTP {status}): it is gated, private or does not exist; for a gated one "
            f"accept its terms on its page and set HF_TOKEN{folder}"
        )
    if status is not None:
        return ModelError(f"the hub refuses model {name!r} (HTTP {status}){folder}")
    return ModelError(
        f"model {name!r} is not in this machine's cache and the hub cannot be reached{folder}; "
        "name a folder, or download it first"
    )


def _status(error: BaseException) -> int | None:
    return getattr(getattr(error, "response", None), "status_code", None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
