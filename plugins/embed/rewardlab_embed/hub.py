"""A sentence-transformers model by its name on the hub: in this machine's cache, or asked for once, without retries."""

from collections.abc import Iterator
from pathlib import Path

from huggingface_hub import HfApi, hf_hub_download
from huggingface_hub.errors import LocalEntryNotFoundError

MODULES = "modules.json"
SECONDS = 20.0
"""that the hub's first answer may take"""


class ModelError(Exception):
    """There is no such model, or it is no sentence-transformers model; one sentence."""


def cached(name: str) -> bool:
    """Whether the cache knows the model. Raises ModelError where the hub has none, or cannot be reached."""
    try:
        hf_hub_download(name, MODULES, local_files_only=True)
    except LocalEntryNotFoundError:
        _ask(name)
        return False
    return True


def _ask(name: str) -> None:
    try:
        files = {file.rfilename for file in HfApi().model_info(name, timeout=SECONDS).siblings or ()}
    except Exception as error:
        raise refusal(name, error) from error
    if MODULES not in files:
        raise ModelError(f"model {name!r} has no {MODULES} on the hub: it is no sentence-transformers model")


def refusal(name: str, error: BaseException) -> ModelError:
    """What is said of a model that the hub did not give."""
    status = next((status for one in _chain(error) if (status := _status(one)) is not None), None)
    folder = "" if Path(name).exists() else f"; nor is there a folder of that name below {Path.cwd()}"
    if status in (401, 403):
        return ModelError(
            f"the hub does not give model {name!r} (HTTP {status}): it is gated, private or not there; for a gated one "
            f"accept its terms on its page and set HF_TOKEN{folder}"
        )
    if status is not None:
        return ModelError(f"the hub does not give model {name!r} (HTTP {status}){folder}")
    return ModelError(
        f"model {name!r} is in no cache of this machine and the hub cannot be reached{folder}; "
        "name a folder, or download it first"
    )


def _status(error: BaseException) -> int | None:
    return getattr(getattr(error, "response", None), "status_code", None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
