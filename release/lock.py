"""Write requirements.lock: every package that requirements.txt brings, with the hashes of its files. It needs uv.

  python release/lock.py

Torch, and what it alone brings for GPUs, is left out: its build is the user's choice (for CPUs, or for a version of
CUDA), and so are its hashes. No address of an index is written: hashes hold wherever the files come from.
"""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
OPTIONS = ("--universal", "--fork-strategy=fewest", "--python-version=3.11", "--generate-hashes")
PLAIN = ("--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links")
BROUGHT_BY_TORCH = re.compile(r"(torch|triton|nvidia-[\w-]+|cuda-[\w-]+)==")
HEAD = """\
# Every package of requirements.txt with the hashes of its files, but for torch; written by `python release/lock.py`.
# Install torch first, then: pip install --no-deps --require-hashes -r requirements.lock
"""


def main() -> None:
    """Resolve requirements.txt anew and write the file."""
    command = ["uv", "pip", "compile", *OPTIONS, *PLAIN, "--quiet", "requirements.txt"]
    resolved = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    blocks = re.split(r"\n(?=\S)", resolved.strip())
    kept = [block for block in blocks if not block.startswith("-e ") and not BROUGHT_BY_TORCH.match(block)]
    (ROOT / "requirements.lock").write_text(HEAD + "\n".join(kept) + "\n", encoding="utf-8")
    print(f"{len(kept)} packages: requirements.lock")


if __name__ == "__main__":
    main()
