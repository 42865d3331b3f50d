"""LoRA adapters that OpenRLHF wrote, merged into the model that they were trained on."""

import shutil
from pathlib import Path

from rewardlab.errors import JobError, one_line


def merge_adapter(folder: Path, base: str) -> None:
    """Put the whole model in place of the adapter in `folder`; do nothing if it holds none.

    Without an adapter, nobody who loads the model needs peft. Raises JobError if it cannot be merged.
    """
    if not (folder / "adapter_config.json").is_file():
        return
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    whole = folder.with_name(f"{folder.name}.merged")
    try:
        model = AutoModelForCausalLM.from_pretrained(base, dtype="auto")
        PeftModel.from_pretrained(model, str(folder)).merge_and_unload().save_pretrained(whole)
    except Exception as error:  # peft and transformers raise many kinds
        raise JobError(f"the adapter in {folder} cannot be merged into {base}: {one_line(error)}") from error
    shutil.rmtree(folder)
    whole.rename(folder)
