"""The process with the embedding model, which components with the same model share."""

from pathlib import Path
from typing import Any

from rewardlab import Context
from rewardlab.errors import UserError

from rewardlab_embed.options import ModelOptions

HERE = Path(__file__).parent


def open_model(options: ModelOptions, context: Context, file: str = "embedding_worker.py", **more: Any) -> Any:
    """The worker of the model that the options name; a UserError where it is a path and there is no model."""
    settings = options.model_dump(include=set(ModelOptions.model_fields))
    return context.workers.open(HERE / file, {**settings, "model": located(options.model), **more})


def located(model: str) -> str:
    """The folder's whole path, or the name on the hub as it is. A UserError where a path leads to no model."""
    folder = Path(model).expanduser()
    if folder.is_dir():
        if not any((folder / name).exists() for name in ("modules.json", "config.json")):
            raise UserError(f"model: {folder} holds no model, which has a modules.json or a config.json")
        return str(folder.resolve())
    if folder.exists() or model.startswith(("/", ".", "~")) or model.count("/") > 1:
        raise UserError(f"model: no folder {model!r}; name one, or a model of the hub as `organisation/name`")
    return model
