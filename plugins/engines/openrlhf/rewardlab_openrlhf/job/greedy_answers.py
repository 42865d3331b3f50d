"""The greedy answers of one model: a process that reads prompts as token ids and writes token ids.

    python -m rewardlab_openrlhf.job.greedy_answers MODEL < SETTINGS

SETTINGS: {"prompts": [[id, ...]], "max_new_tokens": N, "pad": id, "end": id}. The last line of its output is a list of
{"ids", "ended"}, in the order of the prompts.
"""

import json
import sys
from typing import Any

BATCH = 16
"""prompts at once, of similar lengths"""


def main() -> None:
    """Read, generate, write."""
    settings = json.load(sys.stdin)
    answers = generate(sys.argv[1], **settings)
    print(json.dumps(answers))


def generate(model: str, prompts: list[list[int]], max_new_tokens: int, pad: int, end: int) -> list[dict[str, Any]]:
    """Return the tokens that the model writes after each prompt, and whether it ended by itself."""
    import torch
    from transformers import AutoModelForCausalLM, GenerationConfig

    device = "cuda" if torch.cuda.is_available() else "cpu"
    policy: Any = AutoModelForCausalLM.from_pretrained(model, dtype="auto")
    policy = policy.to(device).eval()
    declared = policy.generation_config.eos_token_id
    ends = {end, *(declared if isinstance(declared, list) else [declared])} - {None}
    # a config of its own: a model may declare sampling, or a penalty of repetition
    policy.generation_config = config = GenerationConfig(
        max_new_tokens=max_new_tokens, do_sample=False, eos_token_id=sorted(ends), pad_token_id=pad
    )
    answers: list[dict[str, Any]] = [{}] * len(prompts)
    order = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))
    for start in range(0, len(order), BATCH):
        places = order[start : start + BATCH]
        longest = len(prompts[places[-1]])
        rows = [[pad] * (longest - len(prompts[place])) + prompts[place] for place in places]
        read = [[0] * (longest - len(prompts[place])) + [1] * len(prompts[place]) for place in places]
        inputs = {"input_ids": torch.tensor(rows), "attention_mask": torch.tensor(read)}
        with torch.inference_mode():
            made = policy.generate(
                **{name: tensor.to(device) for name, tensor in inputs.items()}, generation_config=config
            )
        for place, ids in zip(places, made[:, longest:].tolist(), strict=True):
            answers[place] = _until_end(ids, ends)
    return answers


def _until_end(ids: list[int], ends: set[int]) -> dict[str, Any]:
    for place, token in enumerate(ids):
        if token in ends:
            return {"ids": ids[: place + 1], "ended": True}
    return {"ids": ids, "ended": False}


if __name__ == "__main__":
    main()
