"""The dataset of an sft stage for verl: rows of token ids, which were made as those of every other engine are."""

import json
from typing import Any

import torch
from torch.utils.data import Dataset


class TokenRows(Dataset):
    """The rows of a file with a line for each: `input_ids`, and how many of them are the prompt's."""

    def __init__(self, parquet_files: str, tokenizer: Any = None, config: Any = None, **_: Any) -> None:
        with open(parquet_files, encoding="utf-8") as file:
            self._rows = [json.loads(line) for line in file]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, item: int) -> dict[str, torch.Tensor]:
        row = self._rows[item]
        ids = torch.tensor(row["input_ids"])
        mask = torch.ones_like(ids)
        mask[: row["prompt"]] = 0
        return {"input_ids": ids, "position_ids": torch.arange(len(ids)), "loss_mask": mask}
