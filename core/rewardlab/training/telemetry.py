"""The telemetry of the engines, which is turned off unless the user's environment says otherwise."""

import os

OFF = {
    "HF_HUB_DISABLE_TELEMETRY": "1",  # otherwise TRL reports at each trainer's start what it trains, and on what
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "RAY_USAGE_STATS_ENABLED": "0",
    "WANDB_ERROR_REPORTING": "false",
    "VLLM_NO_USAGE_STATS": "1",
}


def telemetry_variables() -> dict[str, str]:
    """Return the environment variables that turn telemetry off; those that this environment sets keep their values."""
    return {name: os.environ.get(name, value) for name, value in OFF.items()}
