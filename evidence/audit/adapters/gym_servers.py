"""The `verify` of each of NeMo-Gym's resources servers by its name, without a web server, with default settings."""

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints


@cache
def server(name: str) -> Any:
    """Return a server of the wheel."""
    from nemo_gym.base_resources_server import SimpleResourcesServer
    from nemo_gym.server_utils import ServerClient

    app = f"resources_servers.{name}.app"
    place = Path(importlib.util.find_spec("resources_servers").submodule_search_locations[0])  # type: ignore[union-attr, index]
    sys.path.insert(0, str(place / name))
    module = importlib.import_module(app)
    kinds = [
        kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, SimpleResourcesServer)
    ]
    kind = next(kind for kind in kinds if kind.__module__ == app)
    settings = get_type_hints(kind)["config"]
    config = settings.model_construct(host="127.0.0.1", port=0, entrypoint="app.py", name=name)
    return kind(config=config, server_client=ServerClient.model_construct())


def __getattr__(name: str) -> Callable[..., Any]:
    """Return the verify of a server."""
    if name.startswith("_"):
        raise AttributeError(name)
    return server(name).verify
