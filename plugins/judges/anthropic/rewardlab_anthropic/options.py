"""Options of the judge anthropic/messages."""

import json
from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field
from rewardlab_http import ServerOptions


class MessagesOptions(ServerOptions):
    """Options of anthropic/messages."""

    path: ClassVar[str] = "/messages"
    key_header: ClassVar[str] = "x-api-key"
    headers: ClassVar[Mapping[str, str]] = {"anthropic-version": "2023-06-01"}
    sent: ClassVar[tuple[str, ...]] = ("max_tokens", "temperature", "top_p", "top_k")
    reserved: ClassVar[tuple[str, ...]] = (*ServerOptions.reserved, "system")

    base_url: str = "https://api.anthropic.com/v1"
    """the address above `/messages`"""
    max_tokens: Annotated[int, Field(ge=1)]
    """the most tokens of an answer, thinking included"""
    temperature: Annotated[float, Field(ge=0, le=1)] | None = None
    """the sampling temperature; null leaves it to the server, as recent models want it"""
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    """the share of probability that is sampled from; null leaves it to the server"""
    top_k: Annotated[int, Field(ge=1)] | None = None
    """how many tokens are sampled from; null leaves it to the server"""
    continues: bool = False
    """whether the model continues a last message of role assistant, as Claude did up to 4.5; a reward that begins the
    judge's reply needs it"""

    def writes_cache(self) -> bool:
        """Return whether the server puts questions into its cache: if `cache_control` is anywhere in the request."""
        return '"cache_control": {' in json.dumps(self.extra_body, default=str)
