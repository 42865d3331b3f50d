"""Write rows of a recipe for OpenRLHF: python prepare.py rows.jsonl prompts.jsonl (docs/agents.md)."""

import json
import sys
from pathlib import Path

given, made = map(Path, sys.argv[1:])
with made.open("w", encoding="utf-8") as file:
    for line in given.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        prompt = row["prompt"]
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
        file.write(json.dumps({"input": messages, "label": json.dumps(row)}) + "\n")
