"""Open the process with the embedding model, which components with the same model share."""

import os
from pathlib import Path
from typing import Any

from rewardlab import Context
from rewardlab.errors import UserError

from rewardlab_embed.options import EmbedderOptions

HERE = Path(__file__).parent


def open_model(options: EmbedderOptions, context: Context, file: str = "embedding_worker.py", **more: Any) -> Any:
    """Return the worker of the model that the options name. Raises UserError for a path without a model.

    Args:
        file: the worker's file in this folder.
        more: further settings for it.
    """
    settings = options.model_dump(include=set(EmbedderOptions.model_fields))
    return context.workers.open(HERE / file, {**settings, "model": locate_model(options.model), **more})


def locate_model(model: str) -> str:
    """Return the absolute path of a folder; return a name on the hub as it is.

    Raises UserError for a path without a model.
    """
    folder = Path(os.path.expanduser(model))
    if folder.is_dir():
        if not (folder / "modules.json").is_file():
            raise UserError(
                f"model: {folder} holds no sentence-transformers model: there is no modules.json. To make one from a "
                f"plain transformers model, choose how its tokens are pooled: t = Transformer({str(folder)!r}); "
                'SentenceTransformer(modules=[t, Pooling(t.get_embedding_dimension(), pooling_mode="mean")])'
                ".save_pretrained(OTHER_FOLDER)"
            )
        return str(folder.resolve())
    if folder.exists() or model.startswith(("/", ".", "~")) or model.count("/") > 1:
        raise UserError(f"model: no folder {model!r}; name one, or a model of the hub as `organisation/name`")
    return model
