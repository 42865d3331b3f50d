"""What the engines tell their makers of a run: nothing, unless the user's environment says otherwise."""

import os

OFF = {
    "HF_HUB_DISABLE_TELEMETRY": "1",  # TRL would say at each trainer's start what it trains, and on what
    "RAY_USAGE_STATS_ENABLED": "0",
    "VLLM_NO_USAGE_STATS": "1",
}


def variables() -> dict[str, str]:
    """Of every process of a run; what this environment sets stays."""
    return {name: os.environ.get(name, value) for name, value in OFF.items()}
