"""A judge and its configuration, copied from verifiers/v1/judge.py and configs/judge.py of verifiers 0.4.0."""

from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

Parsed = TypeVar("Parsed")


class JudgeConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")

    id: str = ""
    name: str = ""
    weight: float = 1.0
    model: str = "openai/gpt-6-luna"


Config = TypeVar("Config", bound=JudgeConfig)


class Judge(Generic[Parsed, Config]):
    def __init__(self, config: Any) -> None:
        self.config = config

    @property
    def reward_name(self) -> str:
        return self.config.name or self.config.id
