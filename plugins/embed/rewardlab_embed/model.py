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
        if not (folder / "modules.json").is_file():
            raise UserError(
                f"model: {folder} holds no sentence-transformers model, which has a modules.json. One is made of a "
                f"plain transformers model by choosing how its tokens are pooled: t = Transformer({str(folder)!r}); "
                'SentenceTransformer(modules=[t, Pooling(t.get_embedding_dimension(), pooling_mode="mean")])'
                ".save_pretrained(OTHER_FOLDER)"
            )
        return str(folder.resolve())
    if folder.exists() or model.startswith(("/", ".", "~")) or model.count("/") > 1:
        raise UserError(f"model: no folder {model!r}; name one, or a model of the hub as `organisation/name`")
    return model
